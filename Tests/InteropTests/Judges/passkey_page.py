#!/usr/bin/env python3
"""Registers and signs in with passkeys on the sign-in page, with the virtual authenticator of Chromium.

usage: passkey_page.py SCENARIO ORIGIN ARTEFACTS
"""
import base64
import hashlib
import json
import re

from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.virtual_authenticator import Protocol, Transport, VirtualAuthenticatorOptions

from page_browser import check, main

PASSWORD = "correct horse"
CREATE, USE, WITHOUT = "Create a passkey", "Use a passkey", "Go on without a passkey"
NAME = "Name of this passkey (optional)"
CHALLENGE = base64.urlsafe_b64encode(bytes([0xFB, 0xFF] + [0x3E] * 28 + [0x80, 0x7F])).decode().rstrip("=")


def plug_in(page, protocol=Protocol.CTAP2, transport=Transport.INTERNAL, verifies=True):
    page.driver.add_virtual_authenticator(VirtualAuthenticatorOptions(
        protocol=protocol, transport=transport, has_resident_key=verifies, has_user_verification=verifies,
        is_user_verified=verifies))


def credentials(page):
    return page.driver.get_credentials()


def run(page, journey, *buttons):
    page.open("/?journey=" + journey)
    for name in buttons:
        page.press(name)


def sign_in_by_password(page):
    page.enter("User Name", "mira")
    page.enter("Password", PASSWORD)
    page.keys(Keys.ENTER)


def expect_session(page):
    page.expect_heading("Signed in")
    page.expect_text("You are signed in as mira in realm /.")


def sign_out(page):
    page.press("Sign out")
    page.expect_heading("Signed out")


def devices(page):
    """What the server's list says of mira's passkeys, asked with the session of the page."""
    answer = page.driver.execute_async_script(
        "const done = arguments[0];"
        "fetch('/am/json/realms/root/users/mira/devices/2fa/webauthn?_queryFilter=true',"
        " {headers: {'X-Requested-With': 'judge'}}).then(r => r.json()).then(done, e => done(String(e)))")
    check(isinstance(answer, dict) and "result" in answer, "the server lists the passkeys", answer)
    return answer["result"]


def story(page):
    """Password, then passkey registration, sign-out, passkey sign-in: with the user's name and without."""
    plug_in(page)
    run(page, "Login")
    sign_in_by_password(page)
    expect_session(page)

    run(page, "RegisterWebAuthn")
    sign_in_by_password(page)
    page.expect_focus(NAME)
    page.judge("register")
    page.enter(NAME, "Mira's :: laptop")
    page.press(CREATE)
    expect_session(page)
    page.judge("registered")
    made, = credentials(page)
    check(made.rp_id == "localhost" and made.is_resident_credential, "the passkey is of this host and needs no name", made)
    check(b"mira" not in base64.urlsafe_b64decode(made.user_handle + "=="), "the handle does not name the person",
          made.user_handle)
    listed, = devices(page)
    check(listed["deviceName"] == "Mira's : laptop", "the server knows the passkey by its name", listed)
    check(listed["credentialId"] == made.id.rstrip("="), "and by its id", (listed, made.id))
    sign_out(page)

    run(page, "LoginUsernameless")
    page.expect_focus(USE)
    page.judge("sign-in")
    page.keys(Keys.ENTER)
    expect_session(page)
    first = credentials(page)[0].sign_count
    check(first > made.sign_count, "the passkey was used", first)
    page.judge("signed-in")
    sign_out(page)

    run(page, "LoginWebAuthn")
    page.enter("User Name", "mira")
    page.keys(Keys.ENTER)
    page.expect_focus(USE)
    check(page.names() == [USE, WITHOUT, "Use Recovery Code"], "the controls are named", page.names())
    page.judge("sign-in-by-name")
    page.press(USE)
    expect_session(page)
    check(credentials(page)[0].sign_count > first, "the passkey was used again")
    sign_out(page)


def algorithms(page):
    """Each kind of key that Chromium's authenticator makes."""
    plug_in(page)
    for kind in ["ES256", "EdDSA", "RS256"]:
        run(page, "Register" + kind, CREATE)
        expect_session(page)
        sign_out(page)
        run(page, "LoginUsernameless", USE)
        expect_session(page)
        sign_out(page)
        page.driver.remove_all_credentials()


def attestation(page):
    """The statements of Chromium's authenticator: well made, and vouched for by nobody unless its certificate is trusted."""
    plug_in(page)
    for kind in ["ES256", "EdDSA", "RS256"]:
        run(page, "Attested" + kind, CREATE)
        check(told(page) == "packed basic [false, true]", "the statement is packed", told(page))
    page.allow("401")
    run(page, "RegisterUnvouched", CREATE)
    page.expect_heading("Not signed in")
    page.driver.remove_virtual_authenticator()
    plug_in(page, Protocol.U2F, Transport.USB, verifies=False)
    run(page, "AttestedSecurityKey", CREATE)
    check(told(page) == "fido-u2f basic [false, true]", "the statement is that of a first key", told(page))


def security_keys(page):
    """Keys that are plugged in, of today and of the first generation."""
    for protocol in [Protocol.CTAP2, Protocol.U2F]:
        plug_in(page, protocol, Transport.USB, verifies=False)
        run(page, "RegisterSecurityKey", CREATE)
        expect_session(page)
        sign_out(page)
        check(not credentials(page)[0].is_resident_credential, "nothing stays on the key but its secret")
        run(page, "LoginSecurityKey", USE)
        expect_session(page)
        sign_out(page)
        page.driver.remove_virtual_authenticator()


def scripts(page):
    """The form that is a script is read and not run; recovery codes in one are shown."""
    plug_in(page)
    run(page, "RegisterScript")
    page.expect_focus(NAME)
    check("function" not in page.text() and "webAuthn" not in page.text(), "the script is not shown", page.text())
    page.judge("script")
    page.press(CREATE)
    expect_session(page)
    sign_out(page)
    run(page, "LoginScript", USE)
    expect_session(page)
    sign_out(page)
    run(page, "Codes")
    page.expect_text("x7K2-pQ\nb9dT4-z")
    check("Waiting" not in page.text() and "place" not in page.text(), "nothing else of it is shown", page.text())
    page.judge("codes")
    page.press("Continue")
    page.expect_text("done")


def recovery(page):
    """Recovery codes: shown once as text, and good in place of the passkey."""
    plug_in(page)
    run(page, "RegisterWebAuthnRecovery")
    sign_in_by_password(page)
    page.press(CREATE)
    page.expect_text("They cannot be displayed again")
    page.judge("recovery-codes")
    texts = page.driver.execute_script("return [...document.querySelectorAll('form p')].map(p => p.textContent)")
    codes = max((text.split("\n") for text in texts), key=len)
    check(len(codes) == 10, "there are ten codes", texts)
    page.press("Continue")
    expect_session(page)
    sign_out(page)
    run(page, "LoginWebAuthn")
    page.enter("User Name", "mira")
    page.keys(Keys.ENTER)
    page.press("Use Recovery Code")
    page.enter("Recovery Code", codes[3])
    page.keys(Keys.ENTER)
    expect_session(page)
    sign_out(page)


def told(page):
    """What the page wrote into the hidden field, as the journey tells it."""
    return page.until(lambda: re.search(r"(?m)^told (.*)$", page.text()), "the outcome")[1]


def numbers(text):
    check(re.fullmatch(r"-?\d+(,-?\d+)*", text), "signed bytes, commas and nothing else", text)
    found = [int(each) for each in text.split(",")]
    check(all(-128 <= each <= 127 for each in found), "signed bytes", text)
    return bytes(each & 0xFF for each in found)


def check_client_data(page, text, kind):
    data = json.loads(text)
    check(data["type"] == "webauthn." + kind, "the ceremony is named", text)
    check(data["challenge"] == CHALLENGE, "the challenge is the one that was sent", text)
    check(data["origin"] == page.origin and data.get("crossOrigin") is False, "the origin is this page's", text)


def check_registration(page, outcome, name=None):
    parts = outcome.split("::")
    check(len(parts) == (4 if name else 3), "the parts of a registration", outcome)
    check_client_data(page, parts[0], "create")
    attestation = numbers(parts[1])
    check(hashlib.sha256(b"localhost").digest() in attestation, "the attestation is of this host", parts[1])
    id = base64.urlsafe_b64decode(parts[2] + "==")
    check(id in attestation and "=" not in parts[2], "the id is the credential's", parts[2])
    check(name is None or parts[3] == name, "the name is the one entered", outcome)
    return parts[2]


def check_authentication(page, outcome, id):
    parts = outcome.split("::")
    check(len(parts) == 5, "the parts of a sign-in", outcome)
    check_client_data(page, parts[0], "get")
    check(numbers(parts[1])[:32] == hashlib.sha256(b"localhost").digest(), "the data is of this host", parts[1])
    signature = numbers(parts[2])
    check(signature[0] == 0x30 or len(signature) == 256, "the signature is in DER, or of RSA", parts[2])
    check(parts[3] == id, "the id is the one asked for", outcome)
    check(parts[4] == "cHJvYmU", "the handle is the text that the server sent", outcome)


def forms(page):
    """Requests of three generations of servers, and what is answered to each."""
    plug_in(page)
    run(page, "ProbeNew")
    page.enter(NAME, " a:::b ")
    page.press(CREATE)
    wrapped = json.loads(told(page))
    check(set(wrapped) == {"authenticatorAttachment", "legacyData"}, "the outcome is wrapped", wrapped)
    check(wrapped["authenticatorAttachment"] == "platform", "the attachment is told", wrapped)
    check_registration(page, wrapped["legacyData"], "a:b")
    for journey in ["ProbeOld", "ProbeScript"]:
        page.driver.remove_all_credentials()
        run(page, journey, CREATE)
        id = check_registration(page, told(page))
        made, = credentials(page)
        check(made.rp_id == "localhost" and made.is_resident_credential, "the options were read", made)
        page.press("Continue")
        page.press(USE)
        page.expect_text("webauthn.get")
        check_authentication(page, told(page), id)


def errors(page):
    """Every way in which a ceremony does not come off, in the words that the server reads."""
    run(page, "ProbeFuture")
    check(page.find("Continue") and CREATE not in page.names(), "an unknown action is no ceremony", page.names())
    page.allow("is malformed")
    run(page, "ProbeBroken")
    page.expect_text("cannot be read")
    page.judge("malformed")
    page.press(WITHOUT)
    check(told(page).startswith("ERROR::DataError:"), "a malformed request", told(page))
    run(page, "Trusted")
    page.expect_text("needs the app")
    page.press("Go on without the app")
    check(told(page) == "trustedDeviceOutcome", "a trusted device's field is left as it was", told(page))

    plug_in(page)
    run(page, "ProbeNew", WITHOUT)
    check(told(page).startswith("ERROR::NotAllowedError:"), "declined before it began", told(page))
    run(page, "ProbeForeign", CREATE)
    check(told(page).startswith("ERROR::SecurityError:"), "another's relying party", told(page))
    run(page, "RegisterForeign", CREATE)
    check(told(page).startswith("SecurityError:"), "which the server understands", told(page))
    run(page, "ProbeUnsupported", CREATE)
    check(told(page) == "unsupported", "a kind of credential that nobody has", told(page))
    page.driver.set_user_verified(False)
    run(page, "RegisterExcluded", CREATE)
    check(told(page).startswith("NotAllowedError:"), "the person is not verified", told(page))
    page.driver.set_user_verified(True)
    run(page, "RegisterES256", CREATE)
    expect_session(page)
    sign_out(page)
    run(page, "RegisterExcluded", CREATE)
    check(told(page).startswith("InvalidStateError:"), "the device has a passkey already", told(page))

    # Nobody touches this one.
    page.driver.execute_cdp_cmd("WebAuthn.setAutomaticPresenceSimulation",
                                {"authenticatorId": page.driver.virtual_authenticator_id, "enabled": False})
    run(page, "ProbeNew", CREATE)
    page.expect_text("Follow what your browser asks.")
    page.judge("waiting")
    page.press(WITHOUT)
    check(told(page).startswith("ERROR::AbortError:"), "given up while it ran", told(page))

    # Addresses are no relying parties, and the page says where to go.
    address = page.origin.replace("localhost", "127.0.0.1")
    page.open(address + "/?journey=RegisterES256")
    page.expect_text("not for addresses")
    page.judge("address")
    page.press(CREATE)
    check(told(page).startswith("SecurityError:"), "an address", told(page))
    page.open(address + "/?journey=RegisterES256")
    page.press(page.origin)
    page.until(lambda: page.driver.current_url == page.origin + "/?journey=RegisterES256", "the page under its name")

    page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "delete window.PublicKeyCredential"})
    run(page, "ProbeNew")
    page.expect_text("This browser cannot use passkeys here.")
    page.judge("unsupported")
    page.press(WITHOUT)
    check(told(page) == "unsupported", "a browser without passkeys", told(page))


main({each.__name__: each for each in [story, algorithms, attestation, security_keys, scripts, recovery, forms, errors]})
