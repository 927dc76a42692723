// Reads what PingAM sends to browsers as scripts to run. They are never run, which the page's policy forbids: the
// literals in them are looked up by name.

/** The passkey request of a script in the shape of the metadata form: `{kind, data}`. */
export function readScript(script) {
  const kind = script.includes("pubKeyCredParams") ? "create" : "get";
  const challenge = match(script, /challenge["']?\s*:\s*new U?[iI]nt8Array\(\s*\[([^\]]*)\]/);
  const data = {
    challenge: challenge === undefined ? undefined : base64(challenge.split(",").map(Number)),
    timeout: match(script, /\btimeout["']?\s*:\s*["']?(\d+)/),
    attestationPreference: quoted(script, "attestation"),
    userVerification: quoted(script, "userVerification"),
    extensions: extensions(script),
    supportsJsonResponse: script.includes("legacyData"),
  };
  if (kind === "get") {
    data._relyingPartyId = quoted(script, "rpId") ?? "";
    data.allowCredentials = list(script, "allowCredentials") ?? list(script, "acceptableCredentials");
    return { kind, data };
  }
  const party = object(script, "rp") ?? "";
  const user = object(script, "user") ?? "";
  data._relyingPartyId = quoted(party, "id") ?? "";
  data.relyingPartyName = quoted(party, "name");
  data.userId = match(user, /Uint8Array\.from\(\s*"([^"]*)"/);
  data.userName = quoted(user, "name");
  data.displayName = quoted(user, "displayName");
  data._pubKeyCredParams = algorithms(match(script, /pubKeyCredParams["']?\s*:\s*\[([\s\S]*?)\]/) ?? "");
  data.excludeCredentials = list(script, "excludeCredentials");
  data._authenticatorSelection = selection(object(script, "authenticatorSelection") ?? "");
  return { kind, data };
}

/** The recovery codes that a script would put into its page; null when it is another script. */
export function readRecoveryCodes(script) {
  if (!script.includes("Recovery Codes")) return null;
  const codes = [...script.matchAll(/"([\w -]+)\\n"/g)].map(([, code]) => code.trim());
  return codes.length > 0 ? codes : null;
}

function match(text, expression) {
  return expression.exec(text)?.[1];
}

function base64(numbers) {
  return btoa(String.fromCharCode(...numbers.map((each) => each & 0xff)));
}

/** What stands between the braces after `name:`; braces in texts do not count. */
function object(text, name) {
  const inside = String.raw`(?:"(?:[^"\\]|\\.)*"|\{[^{}]*\}|[^{}"])*`;
  return match(text, new RegExp(String.raw`(?<![\w$])["']?${name}["']?\s*:\s*\{(${inside})\}`));
}

/** What stands between the brackets after `name:` or `name =`, when it is objects. */
function list(text, name) {
  return match(text, new RegExp(String.raw`${name}["']?\s*[:=]\s*\[\s*(\{[\s\S]*?\})\s*\]`));
}

/** The text after `name:`, with its escapes undone. What stands inside another text is no name. */
function quoted(text, name) {
  const expression = /["']?([\w$]+)["']?\s*:\s*("(?:[^"\\]|\\.)*")|"(?:[^"\\]|\\.)*"/g;
  const literal = [...text.matchAll(expression)].find((found) => found[1] === name)?.[2];
  return literal === undefined ? undefined : parsed(literal);
}

/** An object written as JSON; a few levels are enough for what extensions take. */
function extensions(script) {
  const inside = object(script, "extensions");
  return inside === undefined ? undefined : parsed(`{${inside}}`);
}

function parsed(json) {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function algorithms(text) {
  const found = [...text.matchAll(/alg["']?\s*:\s*(-?\d+)/g)];
  return found.map(([, number]) => ({ type: "public-key", alg: Number(number) }));
}

/** Some servers leave out the commas between the members. */
function selection(text) {
  const found = {};
  for (const name of ["userVerification", "authenticatorAttachment", "residentKey"]) {
    const value = quoted(text, name);
    if (value !== undefined) found[name] = value;
  }
  if (/requireResidentKey["']?\s*:\s*true/.test(text)) found.requireResidentKey = true;
  return found;
}
