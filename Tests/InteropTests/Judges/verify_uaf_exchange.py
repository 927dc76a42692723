"""Judges UAF messages with a reader of TLV of its own and the package cryptography.

Standard input: {"requests": {"registration", "authentication"}, "cases": [{"name", "operation", "response", "content"}],
"facets": [TEXT]}. The first registration must verify; its key verifies the authentications. Prints {NAME: VERDICT}, where
a verdict is "accepted" or the reason for a refusal.
"""

import base64
import hashlib
import json
import sys

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

KRD = [0x2E0B, 0x2E0E, 0x2E0A, 0x2E09, 0x2E0D, 0x2E0C]
SIGNED = [0x2E0B, 0x2E0E, 0x2E0F, 0x2E0A, 0x2E10, 0x2E09, 0x2E0D]


class Refused(Exception):
    pass


def need(condition, reason):
    if not condition:
        raise Refused(reason)


def unbase64(text):
    need(isinstance(text, str) and text and "=" not in text, "base64url")
    try:
        decoded = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError:
        raise Refused("base64url") from None
    need(base64.urlsafe_b64encode(decoded).rstrip(b"=").decode() == text, "base64url")
    return decoded


def elements(data):
    """Tag, whole element and value, one after the other; nothing may be left."""
    found, place = [], 0
    while place < len(data):
        need(len(data) - place >= 4, "an element is cut")
        tag = int.from_bytes(data[place:place + 2], "little")
        end = place + 4 + int.from_bytes(data[place + 2:place + 4], "little")
        need(end <= len(data), "an element is longer than what is left")
        found.append((tag, data[place:end], data[place + 4:end]))
        place = end
    return found


def one(found, tag):
    values = [element for element in found if element[0] == tag]
    need(len(values) == 1, f"{tag:#06x} is not there once")
    return values[0]


def number(data):
    return int.from_bytes(data, "little")


def public_key(form, algorithm, data):
    try:
        if form == 0x100:
            return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), data)
        if form == 0x102:
            return rsa.RSAPublicNumbers(int.from_bytes(data[256:], "big"), int.from_bytes(data[:256], "big")).public_key()
        if form == 0x103 and not data.startswith(bytes.fromhex("3082") + data[2:4] + bytes.fromhex("300d")):
            head = bytes.fromhex("300d06092a864886f70d0101010500")
            bits = b"\x03\x82" + (len(data) + 1).to_bytes(2, "big") + b"\x00" + data
            data = b"\x30\x82" + (len(head) + len(bits)).to_bytes(2, "big") + head + bits
        return serialization.load_der_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        raise Refused("public key") from None


def check_signature(algorithm, key, signature, message):
    try:
        if algorithm in (1, 2):
            need(isinstance(key, ec.EllipticCurvePublicKey) and key.curve.name == "secp256r1", "key kind")
            if algorithm == 1:
                need(len(signature) == 64, "raw signature")
                signature = utils.encode_dss_signature(
                    int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
            else:
                need(utils.encode_dss_signature(*utils.decode_dss_signature(signature)) == signature, "DER signature")
            key.verify(signature, message, ec.ECDSA(hashes.SHA256()))
            return
        need(algorithm in (3, 4, 8, 9), "algorithm")
        need(isinstance(key, rsa.RSAPublicKey), "key kind")
        if algorithm in (4, 9):
            need(signature[:4] == bytes.fromhex("04820100"), "OCTET STRING")
            signature = signature[4:]
        need(len(signature) == 256, "RSA signature")
        scheme = padding.PKCS1v15()
        if algorithm in (3, 4):
            scheme = padding.PSS(mgf=padding.MGF1(hashes.SHA256()), salt_length=32)
        key.verify(signature, message, scheme, hashes.SHA256())
    except (InvalidSignature, ValueError):
        raise Refused("signature") from None


def signed_facts(assertion, outer_tag, signed_tag, tags, info_length, counter_length):
    need(0 < len(assertion) <= 4096, "assertion length")
    outer = elements(assertion)
    need(len(outer) == 1 and outer[0][0] == outer_tag, "outer element")
    inside = elements(outer[0][2])
    need(inside and inside[0][0] == signed_tag, "the signed object does not stand first")
    _, signed, value = one(inside, signed_tag)
    parts = elements(value)
    for tag, _, _ in parts:
        need(tag not in (0x0103, 0x0105), "raw verification data")
        need(not tag & 0x2000 or tag in tags or tag == 0x3E12, "critical tag")
    facts = {tag: one(parts, tag)[2] for tag in tags}
    info, counters = facts[0x2E0E], facts[0x2E0D]
    need(len(info) == info_length and len(counters) == counter_length, "length of an element")
    need(32 <= len(facts[0x2E09]) <= 2048, "KeyID")
    return inside, signed, facts, number(info[2:3]), number(info[3:5])


def final_challenge(entry, request, facets):
    header, wanted = entry["header"], request["header"]
    for name in ("upv", "op", "serverData"):
        need(header.get(name) == wanted.get(name), f"header {name}")
    need(header.get("appID", wanted.get("appID")) == wanted.get("appID"), "header appID")
    text = entry["fcParams"]
    parameters = json.loads(unbase64(text))
    need(parameters["appID"] == (wanted.get("appID") or parameters["facetID"]), "app ID")
    need(parameters["challenge"] == request["challenge"], "challenge")
    need(parameters["facetID"] in facets, "facet")
    need(isinstance(parameters["channelBinding"], dict), "channel binding")
    return hashlib.sha256(text.encode("ascii")).digest()


def entry_of(response):
    message = json.loads(response)
    need(isinstance(message, list) and len(message) == 1, "message")
    need(len(message[0]["assertions"]) == 1, "assertions")
    need(message[0]["assertions"][0]["assertionScheme"] == "UAFV1TLV", "scheme")
    return message[0], unbase64(message[0]["assertions"][0]["assertion"])


def registration(response, request, facets):
    entry, assertion = entry_of(response)
    challenge_hash = final_challenge(entry, request, facets)
    inside, signed, facts, mode, algorithm = signed_facts(assertion, 0x3E01, 0x3E03, KRD, 7, 8)
    need(facts[0x2E0A] == challenge_hash, "final challenge hash")
    need(mode == 1, "mode")
    form = number(facts[0x2E0E][5:7])
    key = public_key(form, algorithm, facts[0x2E0C])
    # The judge has no roots, so only a surrogate can convince it.
    attestation = elements(one(inside, 0x3E08)[2])
    need(len(attestation) == 1, "attestation")
    check_signature(algorithm, key, one(attestation, 0x2E06)[2], signed)
    return {"aaid": facts[0x2E0B].upper(), "keyID": facts[0x2E09], "key": key, "algorithm": algorithm,
            "counter": number(facts[0x2E0D][:4])}


def authentication(response, request, facets, record, content):
    entry, assertion = entry_of(response)
    challenge_hash = final_challenge(entry, request, facets)
    inside, signed, facts, mode, algorithm = signed_facts(assertion, 0x3E02, 0x3E04, SIGNED, 5, 4)
    need(facts[0x2E0A] == challenge_hash, "final challenge hash")
    need((facts[0x2E0B].upper(), facts[0x2E09]) == (record["aaid"], record["keyID"]), "key")
    need(algorithm == record["algorithm"], "algorithm")
    need(len(facts[0x2E0F]) >= 8, "nonce")
    if content is None:
        need(mode == 1 and facts[0x2E10] == b"", "mode")
    else:
        need(mode == 2 and facts[0x2E10] == hashlib.sha256(content).digest(), "transaction")
    counter = number(facts[0x2E0D])
    need(counter > record["counter"] or counter == record["counter"] == 0, "counter")
    check_signature(algorithm, record["key"], one(inside, 0x2E06)[2], signed)


def main():
    given = json.load(sys.stdin)
    verdicts, record = {}, None
    for case in given["cases"]:
        try:
            if case["operation"] == "registration":
                made = registration(case["response"], given["requests"]["registration"], given["facets"])
                record = record or made
            else:
                content = case.get("content")
                authentication(
                    case["response"], given["requests"]["authentication"], given["facets"], record,
                    None if content is None else unbase64(content))
            verdicts[case["name"]] = "accepted"
        except Refused as refusal:
            verdicts[case["name"]] = str(refusal)
        except (KeyError, TypeError, ValueError) as failure:
            verdicts[case["name"]] = f"malformed: {type(failure).__name__}"
    json.dump(verdicts, sys.stdout)


main()
