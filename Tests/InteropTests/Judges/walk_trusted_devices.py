"""Enrolls, signs in, lists and revokes trusted devices on a server, with nothing but the standard library and the keys of
`cryptography`: a native client written from the vendor's wire protocol, and a journey client for the bridge.

Arguments: the publishable key, and the server's URL with its context path. The server lets people sign up as it likes, has
the user mira with the password "correct horse" and one session for a client. Prints each step and ends with "walked".
"""

import base64
import hashlib
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

APP = "org.example.authenticator"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def host(key):
    kind, text = key[:8], key[8:]
    assert kind == "pk_test_", kind
    name = base64.b64decode(text, validate=True).decode()
    assert name.endswith("$"), name
    return name[:-1]


BASE = "http://" + host(sys.argv[1])
JOURNEYS = sys.argv[2] + "/json/realms/root/authenticate"


class Device:
    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        numbers = self.key.public_key().public_numbers()
        x, y = (base64url(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
        self.jwk = f'{{"kty":"EC","crv":"P-256","x":"{x}","y":"{y}","alg":"ES256"}}'

    def thumbprint(self):
        """RFC 7638: the members that make up the key, sorted, hashed. This server's own addition."""
        members = {name: value for name, value in json.loads(self.jwk).items() if name != "alg"}
        text = json.dumps(members, sort_keys=True, separators=(",", ":"))
        return base64url(hashlib.sha256(text.encode()).digest())

    def sign(self, text):
        r, s = decode_dss_signature(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return base64url(r.to_bytes(32, "big") + s.to_bytes(32, "big"))

    def fields(self):
        return {
            "platform": "linux", "app_identifier": APP, "name": "Judge's desk & more", "algorithm": "ES256",
            "public_key_jwk": self.jwk,
        }


class App:
    """One installation: keeps the device token by the vendor's rule."""

    def __init__(self):
        self.token = None

    def call(self, method, path, form=None, session=None):
        query = {"_is_native": "true"}
        if session:
            query["_clerk_session_id"] = session
        request = urllib.request.Request(f"{BASE}/v1/{path}?{urllib.parse.urlencode(query)}", method=method)
        request.add_header("Accept", "application/json")
        request.add_header("clerk-api-version", "2026-05-12")
        if self.token:
            request.add_header("Authorization", self.token)
        data = None if form is None else urllib.parse.urlencode(form).encode()
        if data is not None:
            request.add_header("Content-Type", "application/x-www-form-urlencoded")
        try:
            answer = urllib.request.urlopen(request, data, timeout=20)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            self.keep(answer.headers.get("Authorization"))
            return answer.status, json.load(answer)

    def keep(self, header):
        if header is None:
            return
        word = header.strip()
        self.token = None if word == "" or word.lower() == "bearer" else word

    def well(self, *arguments, **keywords):
        status, body = self.call(*arguments, **keywords)
        assert status == 200, (arguments, status, body)
        assert set(body) == {"response", "client"}, body
        return body["response"], body["client"]

    def refused(self, expected, *arguments, **keywords):
        status, body = self.call(*arguments, **keywords)
        error = body["errors"][0]
        assert set(error) == {"code", "message", "long_message", "meta"}, error
        assert body["clerk_trace_id"], body
        assert (status, error["code"], error["meta"].get("param_name")) == expected, (expected, status, body)


def check_device(device, key, status, last_used):
    assert list(device) == [
        "id", "object", "platform", "app_identifier", "name", "algorithm", "status", "created_at", "updated_at",
        "last_used_at", "revoked_at", "public_key_thumbprint",
    ], device
    assert device["public_key_thumbprint"] == key.thumbprint(), device
    assert device["object"] == "trusted_device" and device["algorithm"] == "ES256", device
    assert device["name"] == "Judge's desk & more" and device["app_identifier"] == APP, device
    assert device["status"] == status, device
    assert device["created_at"] > 1_700_000_000_000, "milliseconds"
    assert (device["last_used_at"] is not None) == last_used, device
    assert (device["revoked_at"] is not None) == (status == "revoked"), device


def check_challenge(challenge, device=None):
    assert challenge["object"] == "trusted_device_challenge" and challenge["algorithm"] == "ES256", challenge
    assert challenge.get("trusted_device_id") == device, challenge
    data = json.loads(challenge["client_data"])
    assert data["challenge"] == challenge["challenge"], challenge
    assert data["challenge_id"] == challenge["challenge_id"], challenge
    return challenge["client_data"]


def environment(app):
    status, body = app.call("GET", "environment")
    assert status == 200, body
    settings = body["auth_config"]["native_settings"]
    assert settings["object"] == "native_settings", settings
    assert all(value is True for name, value in settings.items() if name != "object"), settings


def enroll(app, session, device):
    form = device.fields()
    challenge, _ = app.well("POST", "me/trusted_devices/prepare", form, session=session)
    text = check_challenge(challenge)
    form.update(client_data=text, signature=device.sign(text))
    enrolled, client = app.well("POST", "me/trusted_devices/attempt", form, session=session)
    check_device(enrolled, device, "active", False)
    assert client["sessions"][0]["id"] == session, client
    app.refused(
        (400, "trusted_device_challenge_not_found", "client_data"), "POST", "me/trusted_devices/attempt", form,
        session=session)
    return enrolled["id"]


def begin(app, device_id):
    sign_in, client = app.well(
        "POST", "client/sign_ins", {"strategy": "trusted_device", "trusted_device_id": device_id, "locale": "de-DE"})
    assert sign_in["object"] == "sign_in_attempt" and sign_in["created_session_id"] is None, sign_in
    assert client["sign_in"] == sign_in, client
    verification = sign_in["first_factor_verification"]
    assert verification["object"] == "verification_trusted_device", verification
    return sign_in["id"], check_challenge(verification["trusted_device_challenge"], device_id)


def answer(device, device_id, text):
    return {
        "strategy": "trusted_device", "trusted_device_id": device_id, "client_data": text,
        "signature": device.sign(text), "algorithm": "ES256",
    }


def native():
    app = App()
    environment(app)
    response, client = app.well("GET", "client")
    assert response is None and client is None and app.token is None, response
    app.refused((401, "signed_out", None), "GET", "me/trusted_devices")

    sign_in, client = app.well("POST", "client/sign_ins", {"identifier": "mira", "password": "correct horse"})
    assert sign_in["status"] == "complete" and app.token, sign_in
    session = sign_in["created_session_id"]
    assert client["last_active_session_id"] == session and client["sessions"][0]["status"] == "active", client
    print("signed in with a password")

    device = Device()
    device_id = enroll(app, session, device)
    print("enrolled")

    removed, client = app.well("POST", f"client/sessions/{session}/remove")
    assert removed["status"] == "removed" and client["sessions"] == [], (removed, client)
    valid, _ = app.well("POST", "client/trusted_devices/validate", {"trusted_device_id": device_id})
    assert valid == {"object": "trusted_device_validation", "valid": True}, valid

    sign_in, text = begin(app, device_id)
    path = f"client/sign_ins/{sign_in}/attempt_first_factor"
    app.refused(
        (400, "trusted_device_signature_verification_failed", "signature"), "POST", path,
        answer(Device(), device_id, text))
    app.refused(
        (422, "trusted_device_invalid_client_data", "client_data"), "POST", path,
        answer(device, device_id, text.replace("sign_in", "sign_IN")))
    done, client = app.well("POST", path, answer(device, device_id, text))
    assert done["status"] == "complete" and done["created_session_id"] == client["last_active_session_id"], done
    app.refused(
        (400, "trusted_device_challenge_not_found", "client_data"), "POST", path, answer(device, device_id, text))
    print("signed in with the device")

    session = done["created_session_id"]
    devices, _ = app.well("GET", "me/trusted_devices", session=session)
    assert [one["id"] for one in devices] == [device_id], devices
    check_device(devices[0], device, "active", True)
    revoked, _ = app.well("DELETE", f"me/trusted_devices/{device_id}", session=session)
    check_device(revoked, device, "revoked", True)
    devices, _ = app.well("GET", "me/trusted_devices", session=session)
    assert devices == [], devices
    app.well("DELETE", "client/sessions")
    app.refused(
        (422, "trusted_device_not_registered", "trusted_device_id"), "POST", "client/sign_ins",
        {"strategy": "trusted_device", "trusted_device_id": device_id})
    print("listed and revoked")


def post(body, **query):
    request = urllib.request.Request(JOURNEYS + "?" + urllib.parse.urlencode(query), method="POST")
    request.add_header("Content-Type", "application/json")
    request.add_header("Accept-API-Version", "resource=2.1, protocol=1.0")
    with urllib.request.urlopen(request, json.dumps(body).encode(), timeout=20) as answer:
        return json.load(answer)


def start(journey):
    return post({}, authIndexType="service", authIndexValue=journey)


def page(step, action):
    data, hidden = step["callbacks"]
    assert data["type"] == "MetadataCallback" and hidden["type"] == "HiddenValueCallback", step
    data = data["output"][0]["value"]
    assert data["_type"] == "TrustedDevice" and data["_action"] == action, data
    assert {"name": "id", "value": "trustedDeviceOutcome"} in hidden["output"], hidden
    return data


def journey():
    device = Device()
    step = start("EnrollTrustedDevice")
    for callback, text in zip(step["callbacks"], ("mira", "correct horse")):
        callback["input"][0]["value"] = text
    step = post(step)
    data = page(step, "trusted_device_enroll")
    text = check_challenge(data["challenge"])
    outcome = dict(device.fields(), client_data=text, signature=device.sign(text))
    step["callbacks"][1]["input"][0]["value"] = json.dumps(outcome)
    assert post(step)["tokenId"], "an enrollment ends with a session"

    step = start("LoginTrustedDevice")
    text = check_challenge(page(step, "trusted_device_sign_in")["challenge"])
    outcome = answer(device, data["trusted_device_id"], text)
    outcome["app_identifier"] = APP
    step["callbacks"][1]["input"][0]["value"] = json.dumps(outcome)
    assert post(step)["tokenId"], "a sign-in ends with a session"
    print("enrolled and signed in through journeys")

    app = App()
    sign_in, text = begin(app, data["trusted_device_id"])
    done, client = app.well(
        "POST", f"client/sign_ins/{sign_in}/attempt_first_factor", answer(device, data["trusted_device_id"], text))
    assert done["status"] == "complete", done
    assert client["sessions"][0]["user"]["id"] == data["user_id"], client
    print("signed in over HTTP with what a journey enrolled")


native()
journey()
print("walked")
