"""Judges registrations and assertions with python-fido2 and py_webauthn.

usage: verify_webauthn.py [fido2] [webauthn]     the judges; both by default

Standard input: {"rpId", "origin", "root": PEM of the attestation root, "cases": [{"form": none|packed|chain, "challenge",
"registration": RegistrationResponseJSON, "authentications": [AuthenticationResponseJSON…]}]}. Every response must be
one that a verified person agreed to. Prints a list with one entry a case: {"fido2": {"attestation", "algorithm",
"counters", "flags", "extensions", "results"}, "webauthn": the same or null}. py_webauthn does not know ES384 and is not
asked about it.
"""

import base64
import copy
import json
import sys

import webauthn
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from fido2.attestation import AttestationVerifier, NoneAttestation, PackedAttestation
from fido2.server import Fido2Server
from fido2.webauthn import AuthenticationResponse, RegistrationResponse
from webauthn.helpers import decode_credential_public_key
from webauthn.helpers.cose import COSEAlgorithmIdentifier
from webauthn.helpers.structs import AttestationFormat

ES384 = -35


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def plain(value):
    """Bytes as base64url, keys as text: what JSON can say."""
    if isinstance(value, bytes):
        return encoded(value)
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return value


class Anchored(AttestationVerifier):
    """Accepts the given root alone, and remembers what it was shown."""

    def __init__(self, root):
        super().__init__([PackedAttestation(), NoneAttestation()])
        self.root = root

    def ca_lookup(self, attestation_result, auth_data):
        return self.root.public_bytes(Encoding.DER)


def fido2(given, case, root):
    seen = {}

    def verify_attestation(object, hash):
        statement = object.att_stmt
        seen["attestation"] = object.fmt if object.fmt == "none" else "chain" if "x5c" in statement else "packed"
        if "x5c" in statement:
            Anchored(root)(object, hash)
        else:
            (NoneAttestation if object.fmt == "none" else PackedAttestation)().verify(statement, object.auth_data, hash)

    server = Fido2Server(
        {"id": given["rpId"], "name": "judge"}, attestation="direct", verify_origin=lambda origin: origin == given["origin"],
        verify_attestation=verify_attestation)
    state = {"challenge": case["challenge"], "user_verification": "required"}
    data = server.register_complete(state, case["registration"])
    credential = data.credential_data
    result = {
        "attestation": seen["attestation"], "algorithm": credential.public_key[3], "counters": [data.counter],
        "flags": int(data.flags), "extensions": [plain(data.extensions)],
        "results": [plain(dict(RegistrationResponse.from_dict(case["registration"]).client_extension_results))],
    }
    for assertion in case["authentications"]:
        server.authenticate_complete(state, [credential], assertion)
        answer = AuthenticationResponse.from_dict(assertion)
        result["counters"].append(answer.response.authenticator_data.counter)
        result["extensions"].append(plain(answer.response.authenticator_data.extensions))
        result["results"].append(plain(dict(answer.client_extension_results)))
    return result


def py_webauthn(given, case, root):
    registered = webauthn.verify_registration_response(
        credential=case["registration"], expected_challenge=decoded(case["challenge"]), expected_rp_id=given["rpId"],
        expected_origin=given["origin"], require_user_verification=True,
        supported_pub_key_algs=list(COSEAlgorithmIdentifier),
        pem_root_certs_bytes_by_fmt={AttestationFormat.PACKED: [root.public_bytes(Encoding.PEM)]})
    result = {
        "attestation": AttestationFormat(registered.fmt).value,
        "algorithm": int(decode_credential_public_key(registered.credential_public_key).alg),
        "counters": [registered.sign_count],
    }
    for assertion in case["authentications"]:
        done = webauthn.verify_authentication_response(
            credential=assertion, expected_challenge=decoded(case["challenge"]), expected_rp_id=given["rpId"],
            expected_origin=given["origin"], credential_public_key=registered.credential_public_key,
            credential_current_sign_count=result["counters"][-1], require_user_verification=True)
        result["counters"].append(done.new_sign_count)
    return result


def bent(case):
    """The same case with one byte changed in what is signed, in turn."""
    changed = copy.deepcopy(case)
    signature = bytearray(decoded(changed["authentications"][0]["response"]["signature"]))
    signature[-1] ^= 1
    changed["authentications"][0]["response"]["signature"] = encoded(signature)
    yield "assertion", changed
    if case["form"] != "none":
        changed = copy.deepcopy(case)
        client = json.loads(decoded(changed["registration"]["response"]["clientDataJSON"]))
        client["more"] = True
        changed["registration"]["response"]["clientDataJSON"] = encoded(json.dumps(client).encode())
        yield "attestation", changed


def judged(judge, given, case, root):
    result = judge(given, case, root)
    # A judge must be able to say no.
    for what, changed in bent(case):
        try:
            judge(given, changed, root)
        except Exception:
            continue
        raise AssertionError(f"{judge.__name__} accepted a changed {what}")
    return result


given = json.load(sys.stdin)
names = sys.argv[1:] or ["fido2", "webauthn"]
root = x509.load_pem_x509_certificate(given["root"].encode())
verdicts = []
for case in given["cases"]:
    verdict = {"fido2": judged(fido2, given, case, root) if "fido2" in names else None, "webauthn": None}
    if "webauthn" in names and case["registration"]["response"]["publicKeyAlgorithm"] != ES384:
        verdict["webauthn"] = judged(py_webauthn, given, case, root)
    verdicts.append(verdict)
json.dump(verdicts, sys.stdout)
