"""Verifies FIDO UAF responses with a TLV reader of its own and the keys of `cryptography`, written from the specification.

Input: JSON, a list of {"response": TEXT, "facet": ID, "challenge": TEXT, "key": null or {"format", "key", "algorithm",
"keyID", "counter"}, "content": null or TEXT}. Prints for each, as one JSON list, {"verified": true, "key": {…}} or
{"verified": false, "why": TEXT}.
"""

import base64
import hashlib
import json
import sys

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import load_der_public_key


class Refused(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Refused(why)


def unbase64(text):
    need(isinstance(text, str) and "=" not in text, "padding")
    data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    need(base64.urlsafe_b64encode(data).rstrip(b"=").decode() == text, "not canonical")
    return data


def elements(data):
    found = []
    while data:
        need(len(data) >= 4, "header cut off")
        tag, length = int.from_bytes(data[:2], "little"), int.from_bytes(data[2:4], "little")
        need(len(data) >= 4 + length, "value cut off")
        found.append((tag, data[4:4 + length], data[:4 + length]))
        data = data[4 + length:]
    return found


def only(found, tag):
    values = [value for one, value, _ in found if one == tag]
    need(len(values) == 1, f"tag {tag:#06x} stands there {len(values)} times")
    return values[0]


def public_key(data, form):
    if form == 0x100:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), data)
    if form == 0x101:
        return load_der_public_key(data)
    if form == 0x102:
        return rsa.RSAPublicNumbers(int.from_bytes(data[256:]), int.from_bytes(data[:256])).public_key()
    need(form == 0x103 and data[0] == 0x30, "key form")
    # SEQUENCE { INTEGER n, INTEGER e }
    algorithm = bytes.fromhex("300d06092a864886f70d0101010500")
    bits = b"\x00" + data
    body = algorithm + b"\x03\x82" + len(bits).to_bytes(2) + bits
    return load_der_public_key(b"\x30\x82" + len(body).to_bytes(2) + body)


def check(key, algorithm, signature, data):
    if algorithm in (0x04, 0x09):
        need(signature[:4] == b"\x04\x82\x01\x00", "no OCTET STRING")
        signature = signature[4:]
    if algorithm == 0x01:
        need(len(signature) == 64, "raw signature's length")
        signature = encode_dss_signature(int.from_bytes(signature[:32]), int.from_bytes(signature[32:]))
    try:
        if algorithm in (0x01, 0x02):
            key.verify(signature, data, ec.ECDSA(hashes.SHA256()))
        elif algorithm in (0x03, 0x04):
            key.verify(signature, data, padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256())
        else:
            need(algorithm in (0x08, 0x09), "algorithm")
            key.verify(signature, data, padding.PKCS1v15(), hashes.SHA256())
    except (InvalidSignature, ValueError) as error:
        raise Refused("signature") from error


def verify(case):
    entries = json.loads(case["response"])
    need(isinstance(entries, list) and len(entries) == 1, "one entry")
    message = entries[0]
    parameters = json.loads(unbase64(message["fcParams"]))
    need(parameters["challenge"] == case["challenge"], "challenge")
    need(parameters["facetID"] == case["facet"], "facet")
    need(parameters["appID"] == message["header"].get("appID", case["facet"]), "app ID")
    need(len(message["assertions"]) == 1 and message["assertions"][0]["assertionScheme"] == "UAFV1TLV", "scheme")
    outer = elements(unbase64(message["assertions"][0]["assertion"]))
    need(len(outer) == 1, "one assertion")
    tag, value, _ = outer[0]
    parts = elements(value)
    is_registration = message["header"]["op"] == "Reg"
    need(tag == (0x3E01 if is_registration else 0x3E02), "kind of assertion")
    need(parts and parts[0][0] == (0x3E03 if is_registration else 0x3E04), "signed part first")
    signed, raw = elements(parts[0][1]), parts[0][2]
    info = only(signed, 0x2E0E)
    need(len(info) == (7 if is_registration else 5), "assertion info's length")
    algorithm = int.from_bytes(info[3:5], "little")
    need(only(signed, 0x2E0A) == hashlib.sha256(message["fcParams"].encode()).digest(), "final challenge")
    counters = only(signed, 0x2E0D)
    key_id = only(signed, 0x2E09)
    need(len(key_id) == 32 and len(only(signed, 0x2E0B)) == 9, "names")
    if is_registration:
        need(info[2] == 1 and len(counters) == 8, "mode and counters")
        form = int.from_bytes(info[5:7], "little")
        data = only(signed, 0x2E0C)
        attestation = [(one, inner) for one, inner, _ in parts if one in (0x3E07, 0x3E08)]
        need(len(attestation) == 1, "one attestation")
        inner = elements(attestation[0][1])
        own = public_key(data, form)
        if attestation[0][0] == 0x3E07:
            chain = [x509.load_der_x509_certificate(each) for one, each, _ in inner if one == 0x2E05]
            need(chain, "certificates")
            check(chain[0].public_key(), algorithm, only(inner, 0x2E06), raw)
        else:
            check(own, algorithm, only(inner, 0x2E06), raw)
        return {"format": form, "key": data.hex(), "algorithm": algorithm, "keyID": key_id.hex(), "counter": 0}
    key = case["key"]
    need(key_id.hex() == key["keyID"], "key")
    need(len(only(signed, 0x2E0F)) >= 8, "nonce")
    need(len(counters) == 4 and int.from_bytes(counters, "little") > key["counter"], "counter")
    content = case["content"]
    need(info[2] == (1 if content is None else 2), "mode")
    expected = b"" if content is None else hashlib.sha256(content.encode()).digest()
    need(only(signed, 0x2E10) == expected, "content")
    need(algorithm == key["algorithm"], "algorithm")
    check(public_key(bytes.fromhex(key["key"]), key["format"]), algorithm, only(parts, 0x2E06), raw)
    return {**key, "counter": int.from_bytes(counters, "little")}


def judge(case):
    try:
        return {"verified": True, "key": verify(case)}
    except (Refused, ValueError, KeyError, TypeError, IndexError) as error:
        return {"verified": False, "why": str(error) or type(error).__name__}


print(json.dumps([judge(case) for case in json.load(sys.stdin)]))
