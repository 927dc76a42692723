"""Drives a CTAP2 authenticator over CTAPHID with python-fido2, as a client on a desktop would.

usage: drive_ctaphid.py verification | pin1 | pin2

A line `> HEX` on standard output is a report for the device; each line on standard input is one from it, in hex. The
last line is a JSON object with what was seen; anything that is not as it has to be ends the program with an exception.
"""

import json
import sys

from fido2.attestation import NoneAttestation, PackedAttestation
from fido2.client import ClientError, DefaultClientDataCollector, Fido2Client, UserInteraction
from fido2.ctap import CtapError
from fido2.ctap2 import ClientPin, Ctap2
from fido2.ctap2.extensions import CredBlobExtension, CredPropsExtension, CredProtectExtension, HmacSecretExtension
from fido2.ctap2.pin import PinProtocolV1, PinProtocolV2
from fido2.hid import CAPABILITY, CtapHidDevice
from fido2.hid.base import CtapHidConnection, HidDescriptor
from fido2.server import Fido2Server

ORIGIN = "https://example.org"
RP = {"id": "example.org", "name": "Example"}
ALGORITHMS = [-7, -8, -35, -36, -257, -37]
PROTOCOLS = {"pin1": PinProtocolV1, "pin2": PinProtocolV2}
EXTENSIONS = [HmacSecretExtension(allow_hmac_secret=True), CredProtectExtension(), CredBlobExtension(), CredPropsExtension()]


class Lines(CtapHidConnection):
    """Reports as lines of text."""

    def read_packet(self):
        line = sys.stdin.readline()
        if not line:
            raise OSError("the device is gone")
        return bytes.fromhex(line)

    def write_packet(self, data):
        assert len(data) == 64
        print("> " + data.hex(), flush=True)

    def close(self):
        pass


class Person(UserInteraction):
    """Knows the PIN, and notes when it was told to touch the device."""

    pin = None
    touches = 0

    def prompt_up(self):
        self.touches += 1

    def request_pin(self, permissions, rp_id):
        return self.pin


def refused(code, body):
    """Runs something that the device has to refuse with a status."""
    try:
        body()
    except (CtapError, ClientError) as error:
        cause = error.cause if isinstance(error, ClientError) else error
        assert isinstance(cause, CtapError) and cause.code == code, f"{code.name} was expected, not {error!r}"
        return
    raise AssertionError(f"{code.name} was expected, and nothing was refused")


def ceremony(client, server, user, algorithm, extensions=None, signing=None, verification="required"):
    """Makes a credential and signs in with it, by name and without; returns what the extensions came to."""
    server.allowed_algorithms = [{"type": "public-key", "alg": algorithm}]
    options, state = server.register_begin(
        {"id": user.encode(), "name": user, "displayName": user.title()}, resident_key_requirement="required",
        user_verification=verification, extensions=extensions)
    made = client.make_credential(options.public_key)
    data = server.register_complete(state, made)
    credential = data.credential_data
    assert credential.public_key[3] == algorithm
    assert data.is_user_verified() and data.counter == 0
    outputs = [data.extensions, dict(made.client_extension_results)]
    for credentials in ([credential], None):
        options, state = server.authenticate_begin(credentials, user_verification=verification, extensions=signing)
        selection = client.get_assertion(options.public_key)
        answers = [selection.get_response(index) for index in range(len(selection.get_assertions()))]
        answer = next(answer for answer in answers if answer.raw_id == credential.credential_id)
        server.authenticate_complete(state, [credential], answer)
        assert answer.response.user_handle in (user.encode(), None if credentials else b"")
        outputs += [answer.response.authenticator_data.extensions, dict(answer.client_extension_results)]
    return outputs


def attested(object, hash):
    (NoneAttestation if object.fmt == "none" else PackedAttestation)().verify(object.att_stmt, object.auth_data, hash)


def main(mode):
    if mode in PROTOCOLS:
        # python-fido2 takes the first of these that the device knows too.
        ClientPin.PROTOCOLS = [PROTOCOLS[mode]]
    device = CtapHidDevice(HidDescriptor("lines", 0, 0, 64, 64, None, None), Lines())
    assert device.capabilities == CAPABILITY.CBOR | CAPABILITY.NMSG
    for size in (0, 1, 57, 58, 7609):
        message = bytes(range(256)) * 30
        assert size == 0 or device.ping(message[:size]) == message[:size]
    ctap = Ctap2(device)
    info = ctap.info
    assert {"FIDO_2_0", "FIDO_2_1"} <= set(info.versions) and info.max_msg_size == 7609
    assert [entry["alg"] for entry in info.algorithms] == [-7, -8, -35, -36, -257, -37]

    person = Person()
    client = Fido2Client(device, DefaultClientDataCollector(ORIGIN), person, EXTENSIONS)
    server = Fido2Server(RP, attestation="direct", verify_attestation=attested)
    seen = {"options": dict(info.options)}
    prf = {"prf": {"eval": {"first": b"one", "second": b"two"}}}
    if mode == "verification":
        assert info.options["uv"]
        for algorithm in ALGORITHMS:
            ceremony(client, server, f"user{-algorithm}", algorithm)
        seen["touches"] = person.touches
        made, results, named, namedResults, found, foundResults = ceremony(
            client, server, "extensions", -7,
            {"credProps": True, "credentialProtectionPolicy": "userVerificationRequired", "credBlob": b"blob", **prf},
            {"getCredBlob": True, **prf})
        assert made["credProtect"] == 3 and made["credBlob"] is True and made["hmac-secret"] is True
        assert results["credProps"]["rk"] is True and results["prf"]["enabled"] is True
        assert named["credBlob"] == b"blob" and len(named["hmac-secret"]) == 80
        secrets = namedResults["prf"]["results"]
        assert len(secrets["first"]) == len(secrets["second"]) == 43 and secrets["first"] != secrets["second"]
        assert found["credBlob"] == b"blob" and foundResults["prf"]["results"]["first"] == secrets["first"]
        seen["prf"] = secrets["first"]
        # An excluded credential, and one that does not exist.
        options, state = server.authenticate_begin(user_verification="required")
        everything = client.get_assertion(options.public_key)
        seen["credentials"] = len(everything.get_assertions())
        options, _ = server.register_begin(
            {"id": b"user7", "name": "user7"}, [{"type": "public-key", "id": everything.get_response(0).raw_id}],
            user_verification="required")
        refused(CtapError.ERR.CREDENTIAL_EXCLUDED, lambda: client.make_credential(options.public_key))
        ctap.selection()
    else:
        pin = ClientPin(ctap)
        assert isinstance(pin.protocol, PROTOCOLS[mode])
        assert not info.options["clientPin"] and not info.options.get("uv")
        pin.set_pin("1234")
        assert ctap.get_info().options["clientPin"]
        assert pin.get_pin_retries()[0] == 8
        refused(CtapError.ERR.PIN_INVALID, lambda: pin.get_pin_token("9999", ClientPin.PERMISSION.MAKE_CREDENTIAL, RP["id"]))
        assert pin.get_pin_retries()[0] == 7
        pin.change_pin("1234", "56789")
        refused(CtapError.ERR.PIN_INVALID, lambda: pin.change_pin("1234", "0000"))
        refused(CtapError.ERR.PIN_AUTH_INVALID, lambda: pin.set_pin("0000"))
        person.pin = "56789"
        client = Fido2Client(device, DefaultClientDataCollector(ORIGIN), person, EXTENSIONS)
        made, results, named, namedResults, found, foundResults = ceremony(client, server, "pin", -7, prf, prf)
        assert made["hmac-secret"] is True
        assert namedResults["prf"]["results"]["second"] == foundResults["prf"]["results"]["second"]
        seen["prf"] = namedResults["prf"]["results"]["first"]
        assert pin.get_pin_retries()[0] == 8
        ctap.reset()
        assert not ctap.get_info().options["clientPin"]
        options, _ = server.authenticate_begin(user_verification="discouraged")
        refused(CtapError.ERR.NO_CREDENTIALS, lambda: client.get_assertion(options.public_key))
    print(json.dumps(seen))


main(sys.argv[1])
