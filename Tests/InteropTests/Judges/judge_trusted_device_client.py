"""Plays the vendor's Frontend API to a client and judges every request that comes: written from the wire protocol, with
nothing but the standard library and the verifier of `cryptography`.

The first line printed is the port; the interface is below /proxy. Once standard input ends, the number of requests of each
kind is printed as one line of JSON, and every complaint on standard error; the status is 1 when there is any.

The first sign-in with a device gets a challenge for another device, which no honest client answers. The answer to the third
one's proof is lost although the session is made.
"""

import base64
import collections
import http.server
import json
import re
import sys
import threading
import time
import urllib.parse

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

APP = "com.example.app"
NAME = "Judge's desk & more=100% ü"
# Whoever parses this and writes it anew gives other bytes.
CLIENT_DATA = '{ "challenge_id" : "ch +&=%%2B %d",\t"n":1.0,"u":"\\u00fc ü €"  }'
ID = re.compile(r"[A-Za-z0-9_]+\Z")

complaints = []
seen = collections.Counter()
lock = threading.Lock()


def unpadded(text, size):
    assert re.fullmatch(r"[A-Za-z0-9_-]+", text), text
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert len(data) == size, (text, len(data))
    return data


def public_key(text):
    """Exactly the members, in their order, without a blank."""
    found = re.fullmatch(
        r'\{"kty":"EC","crv":"P-256","x":"([A-Za-z0-9_-]{43})","y":"([A-Za-z0-9_-]{43})","alg":"ES256"\}', text)
    assert found, text
    x, y = (int.from_bytes(unpadded(part, 32), "big") for part in found.groups())
    return ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()


def check_signature(key, text, message):
    assert len(text) == 86, text
    raw = unpadded(text, 64)
    signature = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    key.verify(signature, message.encode(), ec.ECDSA(hashes.SHA256()))


class Vendor:
    """One client, one user, and the devices of that user."""

    def __init__(self):
        self.token = None
        self.tokens = 0
        self.native_id = None
        # What the client may call itself: nothing before it was told, either after an answer that both cleared and told.
        self.client_names = (None,)
        self.session = None
        self.sessions = 0
        self.devices = {}
        self.keys = {}
        self.challenges = {}
        self.sign_ins = 0
        self.prepared = {}

    # What goes out

    def client(self):
        sessions = [] if self.session is None else [{
            "object": "session", "id": self.session, "status": "active", "tasks": [],
            "user": {"object": "user", "id": "user_1", "username": "mira", "email_addresses": []}}]
        return {"object": "client", "id": "client_1", "sessions": sessions, "sign_in": None, "sign_up": None,
                "last_active_session_id": self.session, "updated_at": int(time.time() * 1000)}

    def challenge(self, device=None):
        number = len(self.challenges) + 1
        text = CLIENT_DATA % number
        self.challenges[text] = {"device": device, "uses": 0}
        challenge = {"object": "trusted_device_challenge", "challenge": "Zm9v", "challenge_id": f"ch_{number}",
                     "client_data": text, "expires_at": int((time.time() + 300) * 1000), "algorithm": "ES256"}
        if device:
            challenge["trusted_device_id"] = device
        return challenge

    def open_session(self):
        self.sessions += 1
        self.session = f"sess_{self.sessions}"
        return self.session

    # What comes in

    def spend(self, form):
        challenge = self.challenges.get(form["client_data"])
        assert challenge, f"the client data was not given back byte for byte: {form['client_data']!r}"
        challenge["uses"] += 1
        assert challenge["uses"] == 1, "a proof was sent twice"
        return challenge

    def environment(self, form):
        flags = {"api_enabled": True, "trusted_device_sign_in_enabled": True,
                 "trusted_device_enrollment_prompt_after_sign_in_enabled": False,
                 "trusted_device_enrollment_prompt_after_sign_up_enabled": False}
        return {"auth_config": {"native_settings": dict(flags, object="native_settings")}}

    def show_client(self, form):
        return {"response": self.client(), "client": None}

    def sign_in(self, form):
        if "strategy" in form and form["strategy"] == "trusted_device":
            return self.begin(form)
        assert form == {"identifier": "mira", "password": "correct horse & more", "locale": "de-DE"} or form == {
            "strategy": "password", "identifier": "mira", "password": "correct horse & more", "locale": "de-DE"}, form
        seen["password"] += 1
        return {"response": {"object": "sign_in_attempt", "id": "sia_0", "status": "complete",
                             "created_session_id": self.open_session()}, "client": self.client()}

    def begin(self, form):
        assert set(form) == {"strategy", "trusted_device_id", "locale"}, form
        assert form["locale"] == "de-DE" and form["trusted_device_id"] in self.devices, form
        self.sign_ins += 1
        seen["begin"] += 1
        device = form["trusted_device_id"] if self.sign_ins > 1 else "tdc_of_another"
        return {"response": {
            "object": "sign_in_attempt", "id": f"sia_{self.sign_ins}", "status": "needs_identifier",
            "created_session_id": None,
            "first_factor_verification": {
                "object": "verification_trusted_device", "status": "unverified", "strategy": "trusted_device",
                "attempts": None, "expire_at": None, "trusted_device_challenge": self.challenge(device)}},
            "client": self.client()}

    def prove(self, form, sign_in):
        assert set(form) == {"strategy", "trusted_device_id", "client_data", "signature", "algorithm"}, form
        assert form["strategy"] == "trusted_device" and form["algorithm"] == "ES256", form
        challenge = self.spend(form)
        assert challenge["device"] == form["trusted_device_id"], "a challenge for another device was answered"
        assert sign_in == f"sia_{self.sign_ins}", sign_in
        check_signature(self.keys[form["trusted_device_id"]], form["signature"], form["client_data"])
        seen["prove"] += 1
        session = self.open_session()
        if self.sign_ins == 3:
            return None
        return {"response": {"object": "sign_in_attempt", "id": sign_in, "status": "complete",
                             "created_session_id": session}, "client": self.client()}

    def prepare(self, form):
        assert set(form) == {"platform", "app_identifier", "name", "algorithm", "public_key_jwk"}, form
        assert form["platform"] == "ios" and form["app_identifier"] == APP and form["algorithm"] == "ES256", form
        assert form["name"] == NAME, form
        public_key(form["public_key_jwk"])
        seen["prepare"] += 1
        challenge = self.challenge()
        self.prepared[challenge["client_data"]] = form
        return {"response": challenge, "client": self.client()}

    def attempt(self, form):
        self.spend(form)
        rest = {name: value for name, value in form.items() if name not in ("client_data", "signature")}
        assert rest == self.prepared[form["client_data"]], "the five fields are not those of the preparation"
        assert set(form) - set(rest) == {"client_data", "signature"}, form
        key = public_key(form["public_key_jwk"])
        check_signature(key, form["signature"], form["client_data"])
        seen["attempt"] += 1
        now = int(time.time() * 1000)
        device = {"id": f"tdc_{len(self.devices) + 1}", "object": "trusted_device", "platform": "ios",
                  "app_identifier": APP, "name": NAME, "algorithm": "ES256", "status": "active", "created_at": now,
                  "updated_at": now, "last_used_at": None, "revoked_at": None}
        self.devices[device["id"]] = device
        self.keys[device["id"]] = key
        return {"response": device, "client": self.client()}

    def list(self, form):
        seen["list"] += 1
        active = [device for device in self.devices.values() if device["status"] == "active"]
        return {"response": active, "client": self.client()}

    def revoke(self, form, device):
        seen["revoke"] += 1
        self.devices[device].update(status="revoked", revoked_at=int(time.time() * 1000))
        return {"response": self.devices[device], "client": self.client()}

    def validate(self, form):
        assert set(form) == {"trusted_device_id"}, form
        seen["validate"] += 1
        valid = self.devices[form["trusted_device_id"]]["status"] == "active"
        return {"response": {"object": "trusted_device_validation", "valid": valid}, "client": self.client()}

    def sign_out(self, form, session):
        assert session == self.session, session
        seen["sign_out"] += 1
        self.session = None
        return {"response": {"object": "session", "id": session, "status": "removed"}, "client": self.client()}


vendor = Vendor()
ROUTES = [
    ("GET", r"environment", vendor.environment), ("GET", r"client", vendor.show_client),
    ("POST", r"client/sign_ins", vendor.sign_in),
    ("POST", r"client/sign_ins/([^/]+)/attempt_first_factor", vendor.prove),
    ("POST", r"client/trusted_devices/validate", vendor.validate),
    ("POST", r"client/sessions/([^/]+)/remove", vendor.sign_out),
    ("POST", r"me/trusted_devices/prepare", vendor.prepare), ("POST", r"me/trusted_devices/attempt", vendor.attempt),
    ("GET", r"me/trusted_devices", vendor.list), ("DELETE", r"me/trusted_devices/([^/]+)", vendor.revoke),
]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def judge(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with lock:
            try:
                answer = self.answer(body.decode("ascii"))
            except (AssertionError, InvalidSignature, KeyError, ValueError) as error:
                complaints.append(f"{self.command} {self.path}: {type(error).__name__} {error}")
                return self.send(500, {"errors": [{"code": "internal_error", "message": "judged", "meta": {}}]})
            if answer is None:
                self.close_connection = True
                return None
            return self.send(200, answer, self.next_token())

    do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = judge

    def answer(self, body):
        url = urllib.parse.urlsplit(self.path)
        assert url.path.startswith("/proxy/v1/"), "the proxy's path does not go first"
        path = url.path[len("/proxy/v1/"):]
        for method, pattern, respond in ROUTES:
            found = re.fullmatch(pattern, path)
            if found and method == self.command:
                break
        else:
            raise AssertionError("no such request")
        query = urllib.parse.parse_qsl(url.query, keep_blank_values=True, strict_parsing=True)
        expected = [("_is_native", "true")]
        if path.startswith("me/"):
            expected.append(("_clerk_session_id", vendor.session))
        assert sorted(query) == sorted(expected), query
        self.check_fields(method)
        form = self.form(body) if method == "POST" else {}
        if method != "POST":
            assert body == "", body
        return respond(form, *(urllib.parse.unquote(part) for part in found.groups()))

    def form(self, body):
        members = urllib.parse.parse_qsl(body, keep_blank_values=True, strict_parsing=bool(body), errors="strict")
        assert len(members) == len(dict(members)), "a member comes twice"
        assert "hint" not in body and "mira%40example.com" not in body, "the hint is kept on the device"
        return dict(members)

    def check_fields(self, method):
        one = {}
        for name, value in self.headers.items():
            assert name.lower() not in one, name
            one[name.lower()] = value
        assert one["accept"] == "application/json", one
        assert one["clerk-api-version"] == "2026-05-12", one
        assert one["x-ios-sdk-version"] == "1.4.1" and one["x-mobile"] == "1", one
        assert one["x-bundle-id"] == APP, one
        if method == "POST":
            assert one["content-type"] == "application/x-www-form-urlencoded", one
        # No word is put before the token, and none is sent where there is none.
        assert one.get("authorization") == vendor.token, "the token is not the last one, verbatim"
        assert one.get("x-clerk-client-id") in vendor.client_names, one
        vendor.native_id = vendor.native_id or one["x-native-device-id"]
        assert one["x-native-device-id"] == vendor.native_id and vendor.native_id, "one installation, one name"

    def next_token(self):
        """Absent: unchanged. The bare word: cleared. Anything else: verbatim, without the blanks around it."""
        path = self.path.split("?")[0]
        if path.endswith("/remove"):
            vendor.token, vendor.client_names = None, (None, "client_1")
            return "bEaReR"
        if path.endswith("/environment"):
            return None
        vendor.client_names = ("client_1",)
        vendor.tokens += 1
        if vendor.tokens % 3 == 0:
            return None
        vendor.token = f"Token dt.{vendor.tokens}+/="
        return f"  {vendor.token} "

    def send(self, status, body, token=None):
        data = json.dumps(body).encode()
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        if token:
            self.send_header("Authorization", token)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
with lock:
    print(json.dumps(dict(sorted(seen.items()))), flush=True)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    sys.exit(1 if complaints else 0)
