"""Walks a journey server's REST interface with nothing but the standard library and jwcrypto's keys.

Argument: the server's URL, context path included. Prints each step and ends with "walked".
"""

import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from jwcrypto import jwk, jws

BASE = sys.argv[1].rstrip("/")
REALM = BASE + "/json/realms/root"
COOKIE = "iPlanetDirectoryPro"


def call(method, url, body=None, token=None, version="resource=2.1, protocol=1.0"):
    request = urllib.request.Request(url, method=method)
    request.add_header("Content-Type", "application/json")
    request.add_header("Accept-API-Version", version)
    if token:
        request.add_header(COOKIE, token)
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(request, data, timeout=20) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def authenticate(body, journey=None, token=None, **query):
    if journey:
        query.update(authIndexType="service", authIndexValue=journey)
    return call("POST", REALM + "/authenticate?" + urllib.parse.urlencode(query), body, token)


def outputs(callback):
    return {entry["name"]: entry["value"] for entry in callback.get("output", [])}


def fill(step, **values):
    """Answers by callback type; `suffix` names an input of its own (IDToken1jws)."""
    for callback in step["callbacks"]:
        for entry in callback.get("input", []):
            suffix = entry["name"].removeprefix("IDToken").lstrip("0123456789")
            key = suffix or callback["type"]
            if key in values:
                entry["value"] = values[key]
    return step


def proof(key, header, claims):
    token = jws.JWS(json.dumps(claims))
    token.add_signature(key, protected=json.dumps({"alg": "ES256", "kid": "judge-key", "typ": "JWS", **header}))
    return token.serialize(compact=True)


def say(text):
    print(text, flush=True)


status, failure = authenticate({}, "NoSuchJourney")
assert status == 400 and failure["message"] == "No Configuration found", failure
say("unknown journey refused")

status, step = authenticate({}, "Login")
assert status == 200 and [c["type"] for c in step["callbacks"]] == ["NameCallback", "PasswordCallback"], step
assert step["callbacks"][1]["input"][0]["name"] == "IDToken2" and step["stage"] == "UsernamePassword"
status, step = authenticate(fill(step, NameCallback="mira", PasswordCallback="wrong"))
assert status == 200 and "authId" in step, "a wrong password is asked for again"
first = json.loads(json.dumps(step))
status, session = authenticate(fill(step, NameCallback="mira", PasswordCallback="correct horse"))
assert status == 200 and session["tokenId"] and session["realm"] == "/" and "successUrl" in session, session
say("signed in with a password")

status, failure = authenticate(fill(first, NameCallback="mira", PasswordCallback="correct horse"))
assert status == 401, "a step is answered once"
say("replayed step refused")

status, step = authenticate({}, "Login")
step["callbacks"].pop()
status, failure = authenticate(step)
assert status == 400 and "number of callbacks" in failure["message"], failure
say("wrong number of callbacks refused")

token = session["tokenId"]
status, info = call(
    "POST", REALM + "/users?_action=idFromSession", {}, token, version="resource=2.1, protocol=1.0")
assert status == 200 and info["id"] == "mira", info

status, step = authenticate({}, "BindDevice", token, ForceAuth="true")
status, step = authenticate(fill(step, NameCallback="mira", PasswordCallback="correct horse"), token=token)
asked = outputs(step["callbacks"][0])
assert step["callbacks"][0]["type"] == "DeviceBindingCallback", step
assert asked["authenticationType"] == "BIOMETRIC_ALLOW_FALLBACK" and asked["username"] == "mira"
key = jwk.JWK.generate(kty="EC", crv="P-256")
now = int(time.time())
claims = {"iss": "org.example.authenticator", "sub": asked["userId"], "challenge": asked["challenge"],
          "iat": now, "nbf": now, "exp": now + 60, "platform": "linux"}
public = {**json.loads(key.export_public()), "use": "sig", "alg": "ES256", "kid": "judge-key"}
status, session = authenticate(fill(
    step, jws=proof(key, {"jwk": public}, claims), deviceName="Judge", deviceId="judge-1"), token=token)
assert status == 200 and session["tokenId"], session
token = session["tokenId"]
say("bound a device")

devices = REALM + "/users/" + urllib.parse.quote("mira") + "/devices/2fa/binding"
status, listed = call("GET", devices + "?_queryFilter=true", token=token, version="resource=1.0")
assert status == 200 and listed["resultCount"] == 1, listed
device = listed["result"][0]
assert device["_id"] == "judge-key" and device["deviceName"] == "Judge" and device["deviceId"] == "judge-1", device
assert device["createdDate"] > 1_600_000_000_000, "milliseconds"
status, failure = call("GET", devices + "?_queryFilter=true", version="resource=1.0")
assert status == 401, failure
say("listed the device, for its user only")

for changed, outcome in (({}, 200), ({"challenge": "AAAA"}, 401), ({"iss": "org.example.other"}, 401),
                         ({"exp": int(time.time()) - 3600}, 401), ({"sub": "id=noa"}, 401)):
    status, step = authenticate({}, "SignDevice")
    status, step = authenticate(fill(step, NameCallback="mira"))
    asked = outputs(step["callbacks"][0])
    now = int(time.time())
    claims = {"iss": "org.example.authenticator", "sub": asked["userId"], "challenge": asked["challenge"],
              "iat": now, "nbf": now, "exp": now + 60, **changed}
    status, answer = authenticate(fill(step, jws=proof(key, {}, claims)))
    assert status == outcome, (changed, status, answer)
say("signed in with the device; bent proofs refused")

status, _ = call("DELETE", devices + "/judge-key", token=token, version="resource=1.0")
assert status == 200
status, listed = call("GET", devices + "?_queryFilter=true", token=token, version="resource=1.0")
assert status == 200 and listed["resultCount"] == 0, listed
say("deleted the device")

status, answer = call("POST", REALM + "/sessions?_action=logout", {}, token, version="resource=3.1, protocol=1.0")
assert status == 200 and answer["result"] == "Successfully logged out", answer
status, _ = call("GET", devices + "?_queryFilter=true", token=token, version="resource=1.0")
assert status == 401
say("signed out")
print("walked")
