"""Headless Chromium for the judges of the sign-in page: how it is started, looked at and, whatever happens, ended."""
import contextlib
import ctypes
import os
import shutil
import signal
import sys
import tempfile
import threading
import time

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

CONTROLS = "a[href], button, input, select, textarea"
# What a person can operate, as the accessibility tree calls it.
ROLES = {"button", "link", "textbox", "combobox", "checkbox", "radio", "listbox", "spinbutton", "searchbox", "slider",
         "switch", "tab", "menuitem"}
# Runs before the page's own scripts and writes down what must not happen.
WITNESS = """
window.complaints = [];
addEventListener("securitypolicyviolation", e => complaints.push(`policy: ${e.violatedDirective} ${e.blockedURI}`));
addEventListener("error", e => complaints.push(`error: ${e.message}`));
addEventListener("unhandledrejection", e => complaints.push(`rejection: ${e.reason}`));
for (const name of ["alert", "confirm", "prompt"]) window[name] = () => complaints.push(`dialog: ${name}`);
"""


class Judgment(Exception):
    """What the page should have done and did not."""


class Stopped(BaseException):
    """The judge's time is over, or nobody waits for it any more. No handler of mere failures catches this."""


def check(isTrue, text, found=None):
    if not isTrue:
        raise Judgment(f"{text}; found: {found!r}")


@contextlib.contextmanager
def browser(origin, artefacts, seconds=240):
    """A page in a browser of its own. At the end, or after so many seconds, no process of it is left."""
    become_subreaper()
    watch(seconds)
    profile = tempfile.mkdtemp(prefix="sign-in-page-")
    driver = None
    try:
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        flags = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
                 "--no-first-run", "--lang=en", f"--user-data-dir={profile}"]
        # Chromium's sandbox refuses to run as root.
        for flag in flags + (["--no-sandbox"] if os.geteuid() == 0 else []):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        driver.set_page_load_timeout(60)
        driver.set_script_timeout(60)
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WITNESS})
        page = Page(driver, origin, artefacts)
        page.resize(1024)
        yield page
        page.check_quiet()
    except Stopped:
        driver = None  # Whoever is stopped asks nobody to leave.
        raise
    finally:
        if driver is not None:
            with contextlib.suppress(Exception):
                driver.quit()
        end_descendants()
        shutil.rmtree(profile, ignore_errors=True)


def become_subreaper():
    """Processes whose parent ends become this one's children, so that none gets away."""
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def watch(seconds):
    """Ends the judge in an orderly way when its time is over, when it is told to, or when whoever started it is gone."""
    def stop(number, _):
        for each in [signal.SIGALRM, signal.SIGTERM]:
            signal.signal(each, signal.SIG_IGN)
        raise Stopped(f"stopped by signal {number}")
    signal.signal(signal.SIGALRM, stop)
    signal.signal(signal.SIGTERM, stop)
    signal.alarm(seconds)
    parent = os.getppid()

    def look():
        while os.getppid() == parent:
            time.sleep(1)
        os.kill(os.getpid(), signal.SIGTERM)
    threading.Thread(target=look, daemon=True).start()


def descendants():
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                # The name of the program stands in brackets, and may hold any character.
                parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
    found, grew = {os.getpid()}, True
    while grew:
        more = {child for child, parent in parents.items() if parent in found} - found
        found |= more
        grew = bool(more)
    return found - {os.getpid()}


def end_descendants():
    """Kills every process that this one started, or that those started, and waits for them."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for process in descendants():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not descendants():
            return
        time.sleep(0.05)
    raise Judgment(f"processes of the browser are left: {descendants()}")


class Page:
    """The page as a person meets it: by headings, names of controls, and keys."""

    def __init__(self, driver, origin, artefacts):
        self.driver, self.origin, self.artefacts = driver, origin, artefacts
        self.pictures = 0
        self.expected = []

    # Looking

    def open(self, path):
        self.check_quiet()
        self.driver.get(path if path.startswith("http") else self.origin + path)

    def text(self):
        return self.driver.execute_script("return document.body.innerText")

    def heading(self):
        return self.driver.execute_script("return document.querySelector('h1')?.textContent ?? null")

    def alert(self):
        return self.driver.execute_script("return document.getElementById('alert').textContent")

    def until(self, condition, text, seconds=30):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            # An element of a view that is being replaced tells nothing yet.
            with contextlib.suppress(StaleElementReferenceException):
                found = condition()
                if found:
                    return found
            time.sleep(0.02)
        raise Judgment(f"waited in vain for {text}; the page says: {self.text()!r}, its alert: {self.alert()!r}")

    def expect_heading(self, title):
        self.until(lambda: self.heading() == title, f"the heading {title!r}")
        check(self.driver.title == title, f"the title is {title!r} too", self.driver.title)

    def expect_text(self, text):
        self.until(lambda: text in self.text(), f"the text {text!r}")

    def expect_alert(self, text):
        self.until(lambda: text in self.alert(), f"the alert {text!r}")

    def controls(self):
        return self.driver.find_elements("css selector", CONTROLS)

    def names(self):
        return [control.accessible_name for control in self.controls()]

    def find(self, name):
        """The control that assistive technology calls this."""
        return self.until(
            lambda: next((each for each in self.controls() if each.accessible_name == name), None),
            f"a control named {name!r}")

    def focused(self):
        return self.driver.execute_script("return document.activeElement")

    def expect_focus(self, name):
        self.until(lambda: self.focused().accessible_name == name, f"the focus on {name!r}")

    # Doing, by keyboard alone

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def tab_to(self, name):
        target = self.find(name)
        for _ in range(len(self.controls()) + 3):
            if self.focused() == target:
                return
            self.keys(Keys.TAB)
        raise Judgment(f"{name!r} cannot be reached by Tab")

    def press(self, name):
        self.tab_to(name)
        self.keys(Keys.ENTER)

    def enter(self, name, text):
        self.tab_to(name)
        self.driver.execute_script("document.activeElement.select()")
        self.keys(text) if text else self.keys(Keys.DELETE)

    # Judging

    def judge(self, picture):
        """Everything that holds for every view, and pictures of it."""
        self.check_tree()
        self.check_tabs()
        self.check_layout(picture)
        self.check_quiet()

    def check_tree(self):
        nodes = [node for node in self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
                 if not node.get("ignored")]

        def role(node):
            return node["role"]["value"]

        def name(node):
            return node.get("name", {}).get("value", "").strip()

        operable = [node for node in nodes if role(node) in ROLES]
        for node in operable:
            check(name(node), f"each control has a name in the accessibility tree, a {role(node)} has none", node)
        check(len(operable) == len(self.controls()), "the accessibility tree has all controls",
              ([(role(node), name(node)) for node in operable], self.names()))
        roles = [role(node) for node in nodes]
        for wanted in ["main", "heading", "alert", "status"]:
            check(wanted in roles, f"the accessibility tree has a {wanted}", roles)
        check(name(nodes[0]) == self.heading(), "the document is named as its heading", name(nodes[0]))
        language = self.driver.execute_script("return document.documentElement.lang")
        check(language == "en", "the document says its language", language)
        for id in self.driver.execute_script(
                "return [...document.querySelectorAll('[aria-labelledby],[aria-describedby]')]"
                ".flatMap(e => [e.getAttribute('aria-labelledby'), e.getAttribute('aria-describedby')])"
                ".filter(id => id !== null)"):
            check(self.driver.find_elements("id", id), "what a name refers to is there", id)

    def check_tabs(self):
        """Tab reaches every control, in the order of the page, and each shows that it has the focus."""
        wanted = [control for control in self.controls() if control.is_displayed()]
        check(len(wanted) == len(self.controls()), "no control is hidden", self.names())
        before = self.focused()
        self.driver.execute_script(
            "document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')")
        reached = []
        for _ in wanted:
            self.keys(Keys.TAB)
            reached.append(self.focused())
            outline = self.driver.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
            check(outline != "none", "the focus can be seen", reached[-1].accessible_name)
        check(reached == wanted, "Tab reaches the controls in their order",
              ([each.accessible_name for each in reached], self.names()))
        self.driver.execute_script("arguments[0].focus()", before)

    def check_layout(self, picture):
        self.pictures += 1
        for scheme in ["light", "dark"]:
            self.driver.execute_cdp_cmd(
                "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            weak = self.driver.execute_script(CONTRAST)
            check(weak == [], f"text can be read in the {scheme} scheme", weak)
            for width in [320, 1024]:
                self.resize(width)
                overflow = self.driver.execute_script(
                    "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                check(overflow <= 0, f"nothing is wider than {width} pixels", overflow)
                if (scheme, width) in [("light", 1024), ("dark", 320)]:
                    self.picture(f"{self.pictures:02}-{picture}-{scheme}-{width}")
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def resize(self, width):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})

    def picture(self, name):
        os.makedirs(self.artefacts, exist_ok=True)
        self.driver.execute_script("scrollTo(0, 0)")
        check(self.driver.save_screenshot(os.path.join(self.artefacts, name + ".png")), "a picture is taken")

    def allow(self, text):
        """From now on, one console entry of the browser with this text is no complaint."""
        self.expected.append(text)

    def check_quiet(self):
        """No policy was violated, no script failed and the console holds nothing but what is expected."""
        found = self.driver.execute_script("return window.complaints ?? []")
        check(found == [], "no policy is violated and no script fails", found)
        for entry in self.driver.get_log("browser"):
            # Advice: to name the user beside each password, and to offer the two most common kinds of keys.
            if entry["source"] == "recommendation" or "default algorithm identifiers" in entry["message"]:
                continue
            allowed = next((text for text in self.expected if text in entry["message"]), None)
            if allowed:
                self.expected.remove(allowed)
            check(allowed, "the console stays empty", entry)


# The texts whose contrast is below 4.5 to 1 (WCAG 2.2, 1.4.3).
CONTRAST = """
const channels = color => color.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const ground = e => { for (; e; e = e.parentElement) {
  const c = channels(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
return [...document.querySelectorAll("h1, p, label, a, button, input, select, #alert:not(:empty), #status:not(:empty)")]
  .map(e => { const [a, b] = [light(channels(getComputedStyle(e).color)), light(ground(e))];
    return [e.outerHTML.slice(0, 80), (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)]; })
  .filter(([, ratio]) => ratio < 4.5);
"""


def main(scenarios):
    """Runs the scenario named by the first argument, and says so when it holds."""
    name, origin, artefacts, *rest = sys.argv[1:]
    artefacts = os.path.join(artefacts, name)
    shutil.rmtree(artefacts, ignore_errors=True)
    try:
        with browser(origin, artefacts) as page:
            try:
                scenarios[name](page, *rest)
            except Exception:
                with contextlib.suppress(Exception):
                    page.picture("failed")
                    print(page.text(), page.driver.get_log("browser"), file=sys.stderr)
                raise
    except (Judgment, Stopped) as end:
        sys.exit(f"{name}: {end}")
    left = descendants()
    if left:
        sys.exit(f"{name}: processes are left: {left}")
    print(f"{name} holds")
