#!/usr/bin/env python3
"""Uses the sign-in page in Chromium as a person would who has a keyboard and no mouse.

usage: sign_in_page.py SCENARIO ORIGIN ARTEFACTS [ARGUMENT…]
"""
from selenium.webdriver.common.keys import Keys

from page_browser import check, main

PASSWORD = "correct horse"
HOSTILE = "<img src=x onerror=\"document.title='taken'\"><script>alert(1)</script>&amp;"


def sign_in(page, user="mira", password=PASSWORD):
    page.enter("User Name", user)
    page.enter("Password", password)
    page.keys(Keys.ENTER)


def cookies(page):
    found = page.driver.execute_cdp_cmd("Network.getAllCookies", {})["cookies"]
    return [cookie for cookie in found if cookie["name"] == "iPlanetDirectoryPro"]


def password(page):
    """Password sign-in, wrong passwords, the session and signing out."""
    page.open("/")
    page.expect_heading("Sign in")
    check("Login" in page.names() and "Choice" in page.names(), "the journeys are listed", page.names())
    page.judge("journeys")
    page.press("Login")
    page.expect_focus("User Name")
    page.judge("credentials")

    sign_in(page, password="wrong")
    page.expect_alert("Check what you entered")
    page.expect_focus("User Name")
    check(page.find("Password").get_property("value") == "", "the password is not kept")
    page.judge("asked-again")

    sign_in(page)
    page.expect_heading("Signed in")
    page.expect_text("You are signed in as mira in realm /.")
    page.judge("signed-in")
    cookie, = cookies(page)
    check(cookie["httpOnly"] and cookie["sameSite"] == "Lax" and cookie["path"] == "/am", "the cookie is guarded", cookie)
    held = page.driver.execute_script(
        "return [document.documentElement.outerHTML, document.cookie, JSON.stringify([localStorage, sessionStorage]),"
        " location.href].join()")
    check(cookie["value"] not in held, "no script can see the session's token")

    page.open("/")
    page.expect_text("You are signed in as mira in realm /.")
    page.judge("journeys-signed-in")
    page.open("/?journey=Login")
    page.expect_heading("Signed in")
    page.press("Sign out")
    page.expect_heading("Signed out")
    check(cookies(page) == [], "the cookie is gone", cookies(page))
    page.judge("signed-out")
    page.press("Start again")
    page.expect_focus("User Name")


def refusal(page):
    """A wrong password and three more tries end a journey; what the server says of it is announced."""
    page.open("/?journey=Login")
    for _ in range(3):
        sign_in(page, password="wrong")
        page.expect_alert("Check what you entered")
        page.driver.execute_script("document.getElementById('alert').textContent = ''")
    page.allow("401")
    sign_in(page, password="wrong")
    page.expect_heading("Not signed in")
    page.expect_alert("Login failure")
    page.expect_focus("Start again")
    page.judge("refused")
    page.press("Start again")
    page.expect_focus("User Name")
    check(page.alert() == "", "a new start is no second try", page.alert())
    page.allow("400")
    page.open("/?journey=NoSuchJourney")
    page.expect_alert("No Configuration found")
    page.open("/?journey=Login&realm=/nowhere")
    page.expect_alert("no such realm")
    page.judge("no-such-realm")
    page.open("/?journey=Login&realm=/alpha")
    sign_in(page, "noor")
    page.expect_text("You are signed in as noor in realm /alpha.")


def callbacks(page):
    """Every plain callback, and texts that would be markup."""
    page.open("/?journey=Everything")
    page.expect_heading(HOSTILE)
    for text in [HOSTILE, "described " + HOSTILE, "warned", "failed", "(FutureCallback)"]:
        check(text in page.text(), f"the page says {text!r}", page.text())
    check("console.log" not in page.text(), "a script is neither shown nor run", page.text())
    check(page.names() == ["Nickname " + HOSTILE, "Go on?", "Continue"], "the controls are named", page.names())
    check(page.driver.find_elements("css selector", "main img, main script") == [], "text makes no elements")
    page.expect_focus("Nickname " + HOSTILE)
    check(page.focused().get_property("value") == "none", "the default text is there")
    page.judge("everything")
    page.enter("Nickname " + HOSTILE, HOSTILE)
    page.tab_to("Go on?")
    page.keys(Keys.ARROW_DOWN)
    page.press("Continue")
    # The server tells what it was answered.
    page.expect_text(f"nickname {HOSTILE}, trace trace, choice No, future unchanged")
    check(page.names() == ["First", "Second"], "a confirmation is buttons", page.names())
    page.judge("confirmation")
    page.press("Second")
    page.expect_text("pressed 1")
    page.press("Continue")
    sign_in(page, HOSTILE)
    page.expect_text(f"You are signed in as {HOSTILE} in realm /.")
    page.judge("hostile-name")
    page.press("Sign out")
    page.expect_heading("Signed out")


def waiting(page, mailbox):
    """Waits, leaving them, and journeys that are parked until a link is followed."""
    page.open("/?journey=Polling")
    sign_in(page)
    page.expect_text("One moment")
    page.expect_heading("Signed in")
    page.press("Sign out")
    page.open("/?journey=LongWait")
    page.expect_text("This takes long")
    page.judge("waiting")
    page.allow("401")
    page.press("Leave")
    page.expect_heading("Not signed in")

    page.open("/?journey=Suspend")
    page.enter("User Name", "mira")
    page.keys(Keys.ENTER)
    page.expect_text("An email has been sent")
    page.judge("parked")

    def letter():
        try:
            with open(mailbox, encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None
    page.open(page.until(letter, "a link"))
    page.expect_focus("Password")
    check("suspendedId" not in page.driver.current_url, "the link's id is not left in the address",
          page.driver.current_url)
    page.keys(PASSWORD, Keys.ENTER)
    page.expect_heading("Signed in")


def app(page):
    """What needs the app says so, and the journey goes on without it."""
    page.open("/?journey=BindDevice")
    sign_in(page)
    page.expect_text("which needs the app")
    page.judge("needs-the-app")
    page.allow("401")
    page.press("Go on without the app")
    page.expect_heading("Not signed in")


def offline(page):
    """A server that cannot be reached costs the person nothing of what they entered."""
    page.open("/?journey=Login")
    page.enter("User Name", "mira")
    page.enter("Password", PASSWORD)
    conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": True, **conditions})
    page.allow("ERR_INTERNET_DISCONNECTED")
    page.keys(Keys.ENTER)
    page.expect_alert("cannot be reached")
    page.expect_focus("Password")
    page.judge("offline")
    page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": False, **conditions})
    page.press("Continue")
    page.expect_heading("Signed in")


def control(page):
    """The judge sees what it is there to see: a policy that is violated, a script that fails, a control without a name."""
    page.open("/?journey=Login")
    page.expect_focus("User Name")
    page.judge("control")
    bad = {
        "img-src": "document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.1:9/x.png'}))",
        "style-src": "document.body.setAttribute('style', 'color: red')",
        "require-trusted-types-for": "document.body.innerHTML = '<p>x'",
        "error": "setTimeout(() => { throw new Error('boom') })",
    }
    for word, script in bad.items():
        page.driver.execute_script("complaints.length = 0; try {" + script + "} catch {}")
        found = page.until(lambda: page.driver.execute_script("return window.complaints"), f"a complaint of {word}")
        check(any(word in each for each in found), f"a complaint names {word}", found)
    check(page.driver.execute_script("return window.taken ?? null") is None, "a script that was put in does not run")
    page.driver.get_log("browser")
    page.driver.execute_script("complaints.length = 0")
    for script in ["document.body.append(document.createElement('input'))",
                   "document.querySelector('button').tabIndex = -1", "document.querySelector('input').style.display = 'none'",
                   "document.querySelector('main').prepend(Object.assign(document.createElement('pre'), {textContent: 'x'.repeat(999)}))"]:
        page.open("/?journey=Login")
        page.expect_focus("User Name")
        page.driver.execute_script(script)
        try:
            page.judge("spoiled")
        except Exception:
            continue
        check(False, "the judge complains", script)
    page.open("/")


main({each.__name__: each for each in [password, refusal, callbacks, waiting, app, offline, control]})
