"""Peers of the bench: prints how many operations a second a Python package does.

peers.py SECONDS get | create            soft-webauthn: an assertion, a registration, ES256
peers.py SECONDS verify-fido2 FILE       python-fido2: the assertion in FILE, ES256
peers.py SECONDS verify-webauthn FILE    py_webauthn: the same
"""

import base64
import json
import sys
import time


def rate(seconds, work):
    """Runs `work` for about `seconds`, after a tenth of that to warm up."""
    for limit in (seconds / 10, seconds):
        count, start = 0, time.perf_counter()
        while time.perf_counter() - start < limit:
            work()
            count += 1
        result = count / (time.perf_counter() - start)
    return result


def device():
    from soft_webauthn import SoftWebauthnDevice

    creation = {
        "publicKey": {
            "challenge": bytes(range(32)),
            "rp": {"id": "example.org", "name": "Example"},
            "user": {"id": b"user", "name": "user", "displayName": "User"},
            "pubKeyCredParams": [{"alg": -7, "type": "public-key"}],
            "attestation": "none",
        }
    }
    request = {"publicKey": {"challenge": bytes(range(32)), "rpId": "example.org"}}
    return SoftWebauthnDevice(), creation, request


def get():
    authenticator, creation, request = device()
    authenticator.create(creation, "https://example.org")
    return lambda: authenticator.get(request, "https://example.org")


def create():
    authenticator, creation, _ = device()
    return lambda: authenticator.create(creation, "https://example.org")


def assertion(path):
    with open(path, encoding="utf-8") as file:
        return {name: base64.b64decode(value) for name, value in json.load(file).items()}


def verify_fido2(path):
    """Reads the key from its COSE bytes each time, as the relying party does."""
    from fido2 import cbor
    from fido2.cose import CoseKey
    from fido2.webauthn import AuthenticatorData, CollectedClientData

    data = assertion(path)

    def work():
        client = CollectedClientData(data["clientDataJSON"])
        authenticator = AuthenticatorData(data["authenticatorData"])
        assert client.challenge == data["challenge"] and client.origin == "https://example.org"
        assert authenticator.is_user_present() and authenticator.rp_id_hash == data["rpIdHash"]
        key = CoseKey.parse(cbor.decode(data["publicKey"]))
        key.verify(authenticator + client.hash, data["signature"])

    return work


def verify_webauthn(path):
    from webauthn import verify_authentication_response
    from webauthn.helpers.structs import AuthenticationCredential, AuthenticatorAssertionResponse

    data = assertion(path)

    def work():
        credential = AuthenticationCredential(
            id=base64.urlsafe_b64encode(data["id"]).rstrip(b"=").decode(),
            raw_id=data["id"],
            response=AuthenticatorAssertionResponse(
                client_data_json=data["clientDataJSON"],
                authenticator_data=data["authenticatorData"],
                signature=data["signature"],
            ),
        )
        verify_authentication_response(
            credential=credential,
            expected_challenge=data["challenge"],
            expected_rp_id="example.org",
            expected_origin="https://example.org",
            credential_public_key=data["publicKey"],
            credential_current_sign_count=0,
        )

    return work


def main():
    seconds, what, *rest = sys.argv[1:]
    works = {"get": get, "create": create, "verify-fido2": verify_fido2, "verify-webauthn": verify_webauthn}
    print(rate(float(seconds), works[what](*rest)))


main()
