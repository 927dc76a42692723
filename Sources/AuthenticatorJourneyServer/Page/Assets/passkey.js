// Runs passkey ceremonies and writes their outcome as PingAM reads it.

import { button, element, say, warn } from "./view.js";

/** What a person sees of a passkey request: buttons, since browsers want a press before they ask for a finger. */
export function passkeyPart(request, step) {
  const end = (outcome) => {
    request.outcome = outcome;
    step.submit();
  };
  if (request.publicKey === null || request.outcomeCallback === undefined) {
    return part(["The server's passkey request cannot be read."], [
      button("Go on without a passkey", () => end("ERROR::DataError:The request is malformed")),
    ]);
  }
  if (typeof window.PublicKeyCredential !== "function" || navigator.credentials === undefined) {
    return part(["This browser cannot use passkeys here."], [
      button("Go on without a passkey", () => end("unsupported")),
    ]);
  }
  return ceremonyPart(request, step, end);
}

function part(texts, actions, body = []) {
  return { body: [...texts.map((text) => element("p", {}, text)), ...body], actions, replacesContinue: true };
}

function ceremonyPart(request, step, end) {
  const isCreation = request.kind === "create";
  const canceling = new AbortController();
  let isRunning = false;
  const name = isCreation ? element("input", { type: "text", autocomplete: "off" }) : null;
  const run = button(
    isCreation ? "Create a passkey" : "Use a passkey",
    async () => {
      isRunning = true;
      run.setAttribute("aria-disabled", "true");
      warn("");
      say("Follow what your browser asks.");
      const outcome = await perform(request, canceling.signal, name?.value ?? "");
      isRunning = false;
      end(outcome);
    },
    true,
  );
  const leave = button("Go on without a passkey", () => {
    if (isRunning) canceling.abort();
    else end("ERROR::NotAllowedError:The person declined");
  });
  step.over.signal.addEventListener("abort", () => canceling.abort());
  return part([], [run, leave], [
    addressHint(),
    name === null ? null : element("label", {}, "Name of this passkey (optional)", name),
  ].filter((each) => each !== null));
}

/** Browsers keep passkeys for names only. Who came by this machine's address is told its name. */
function addressHint() {
  if (!["127.0.0.1", "[::1]"].includes(location.hostname)) return null;
  const address = new URL(location.href);
  address.hostname = "localhost";
  return element(
    "p",
    { class: "warning" },
    "Browsers keep passkeys for names, not for addresses. Use this page at ",
    element("a", { href: address.href }, address.origin),
    ".",
  );
}

/** The outcome of a ceremony; an error is one too. */
async function perform(request, signal, name) {
  try {
    const credential = await navigator.credentials[request.kind]({ publicKey: request.publicKey, signal });
    if (credential === null) throw new DOMException("There was no credential", "NotAllowedError");
    const parts = request.kind === "create" ? registration(credential, name) : authentication(credential);
    if (parts[0].includes("::")) throw new DOMException("The client data cannot be written", "DataError");
    const text = parts.join("::");
    if (!request.wrapsJSON) return text;
    return JSON.stringify({ authenticatorAttachment: credential.authenticatorAttachment ?? null, legacyData: text });
  } catch (error) {
    if (error.name === "NotSupportedError") return "unsupported";
    return `ERROR::${error.name || "UnknownError"}:${error.message}`;
  }
}

function registration({ id, response }, name) {
  // The server takes a name from exactly four parts, so it must not hold what divides them.
  const plain = name.trim().replace(/:{2,}/g, ":");
  return [
    utf8(response.clientDataJSON), signed(response.attestationObject), id, ...(plain ? [plain] : []),
  ];
}

function authentication({ id, response }) {
  const parts = [
    utf8(response.clientDataJSON), signed(response.authenticatorData), signed(response.signature), id,
  ];
  const handle = response.userHandle;
  return handle === null || handle.byteLength === 0 ? parts : [...parts, handleText(handle)];
}

/** As it was given to this browser: text. Other handles, of other servers' making, travel in base64url. */
function handleText(handle) {
  try {
    return utf8(handle);
  } catch {
    const binary = String.fromCharCode(...new Uint8Array(handle));
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }
}

function utf8(buffer) {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(buffer);
}

/** Signed bytes in decimals, with a comma and no space between them: what the server's parser takes. */
function signed(buffer) {
  return new Int8Array(buffer).join(",");
}
