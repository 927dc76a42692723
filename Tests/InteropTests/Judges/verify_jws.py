"""Judges device-binding proofs with jwcrypto.

Standard input: {"binding": JWS, "signing": JWS or null}. The binding proof carries its own key; both proofs must
verify with it. Prints {"binding": {"header", "claims"}, "signing": …, "thumbprint"}.
"""

import json
import sys

from jwcrypto import jwk, jws


def verified(compact, key):
    token = jws.JWS()
    token.deserialize(compact)
    token.allowed_algs = ["ES256"]
    token.verify(key)
    return {"header": json.loads(token.objects["protected"]), "claims": json.loads(token.payload)}


given = json.load(sys.stdin)
probe = jws.JWS()
probe.deserialize(given["binding"])
embedded = json.loads(probe.objects["protected"])["jwk"]
assert "d" not in embedded, "a private key was sent"
key = jwk.JWK(**embedded)
result = {"binding": verified(given["binding"], key), "thumbprint": key.thumbprint()}
result["signing"] = verified(given["signing"], key) if given.get("signing") else None

# The judge must be able to say no: one changed character of the payload, and a proof under another key.
head, payload, signature = given["binding"].split(".")
changed = ".".join([head, payload[:-2] + ("A" if payload[-2] != "A" else "B") + payload[-1], signature])
for compact, other in ((changed, key), (given["binding"], jwk.JWK.generate(kty="EC", crv="P-256"))):
    try:
        verified(compact, other)
    except jws.InvalidJWSSignature:
        continue
    raise AssertionError("the judge accepted a proof it had to refuse")
json.dump(result, sys.stdout)
