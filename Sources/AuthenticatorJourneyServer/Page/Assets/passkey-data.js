// Finds the passkey request in a step, and reads it into the options of `navigator.credentials`.

import { output } from "./callbacks.js";
import { readScript } from "./passkey-script.js";

/**
 * The request of a step: `kind` create or get, `publicKey` its options (null when they are malformed),
 * `outcomeCallback` the hidden callback that takes the outcome, `outcome` what it will be given. Null: the step has
 * none.
 */
export function findPasskeyRequest(callbacks) {
  for (const callback of callbacks) {
    const found = fromMetadata(callback) ?? fromScript(callback);
    if (found === null) continue;
    const outcomeCallback = callbacks.find(
      (each) => each?.type === "HiddenValueCallback" && output(each, "id") === "webAuthnOutcome",
    );
    let publicKey = null;
    try {
      publicKey = found.kind === "create" ? creationOptions(found.data) : requestOptions(found.data);
    } catch (error) {
      console.warn("The passkey request of this step is malformed:", error.message);
    }
    return {
      kind: found.kind,
      publicKey,
      wrapsJSON: found.data.supportsJsonResponse === true,
      outcomeCallback,
      outcome: "ERROR::DataError:The request is malformed",
    };
  }
  return null;
}

function fromMetadata(callback) {
  const data = callback?.type === "MetadataCallback" ? output(callback, "data") : null;
  if (data === null || typeof data !== "object" || data._type !== "WebAuthn") return null;
  if ("_action" in data) {
    if (data._action === "webauthn_registration") return { kind: "create", data };
    return data._action === "webauthn_authentication" ? { kind: "get", data } : null;
  }
  return { kind: "pubKeyCredParams" in data || "_pubKeyCredParams" in data ? "create" : "get", data };
}

/** The same, sent as a script to run. It is read, not run. */
function fromScript(callback) {
  const text = callback?.type === "TextOutputCallback" ? String(output(callback, "message") ?? "") : "";
  return text.includes("webAuthnOutcome") ? readScript(text) : null;
}

function creationOptions(data) {
  const selection = data._authenticatorSelection ?? parsed(data.authenticatorSelection, {});
  return {
    rp: present({ name: text(data.relyingPartyName, "relyingPartyName"), id: partyID(data) }),
    user: {
      // Not decoded: the text itself is the handle, which the server gets back as text.
      id: new TextEncoder().encode(text(data.userId, "userId")),
      name: text(data.userName, "userName"),
      displayName: String(data.displayName || data.userName),
    },
    challenge: bytes(data.challenge),
    pubKeyCredParams: data._pubKeyCredParams ?? parsed(data.pubKeyCredParams, []),
    excludeCredentials: descriptors(data._excludeCredentials, data.excludeCredentials),
    authenticatorSelection: selection,
    attestation: String(data.attestationPreference ?? "none"),
    extensions: data.extensions ?? {},
    ...timeLimit(data),
  };
}

function requestOptions(data) {
  return {
    challenge: bytes(data.challenge),
    allowCredentials: descriptors(data._allowCredentials, data.allowCredentials || data.acceptableCredentials),
    userVerification: String(data.userVerification ?? "preferred"),
    extensions: data.extensions ?? {},
    ...present({ rpId: partyID(data) }),
    ...timeLimit(data),
  };
}

function text(value, name) {
  if (typeof value !== "string" || value === "") throw new TypeError(`${name} is missing`);
  return value;
}

function parsed(value, fallback) {
  return typeof value === "string" && value !== "" ? JSON.parse(value) : fallback;
}

function present(members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The relying party's id; undefined, so that the browser takes the page's own host, when the server names none. */
function partyID(data) {
  if (typeof data._relyingPartyId === "string") return data._relyingPartyId || undefined;
  // Older servers send a piece of JavaScript: `id: "example.com",` or `rpId: "example.com",`.
  return /^\s*(?:rpId|id)\s*:\s*"([^"]*)"/.exec(data.relyingPartyId ?? "")?.[1] || undefined;
}

function timeLimit(data) {
  const milliseconds = Number(data.timeout);
  return Number.isInteger(milliseconds) && milliseconds > 0 ? { timeout: milliseconds } : {};
}

/** Base64 with either alphabet. */
function bytes(value) {
  const plain = text(value, "challenge").replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(plain), (character) => character.charCodeAt(0));
}

/** A list of `{type, id: [signed or unsigned bytes]}`, or older servers' JavaScript with an `Int8Array` for each. */
function descriptors(list, script) {
  if (Array.isArray(list)) return list.map(({ id }) => descriptor(id));
  return [...String(script ?? "").matchAll(/U?[iI]nt8Array\(\s*\[([^\]]*)\]/g)].map(([, numbers]) =>
    descriptor(numbers.split(",").filter((part) => part.trim() !== "").map(Number)),
  );
}

function descriptor(numbers) {
  const isByte = (number) => Number.isInteger(number) && number >= -128 && number <= 255;
  if (!Array.isArray(numbers) || !numbers.every(isByte)) {
    throw new TypeError("a credential id is malformed");
  }
  return { type: "public-key", id: Uint8Array.from(numbers) };
}
