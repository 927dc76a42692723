// Reads the passkey request out of the script that older settings of PingAM send to browsers. The script is never run,
// which the page's policy forbids: the literals in it are looked up by name.

/** The request in the shape of the metadata form: `{kind, data}`. */
export function readScript(script) {
  const kind = script.includes("pubKeyCredParams") ? "create" : "get";
  const challenge = numbers(script, "challenge");
  const data = {
    challenge: challenge === undefined ? undefined : btoa(String.fromCharCode(...challenge.map((each) => each & 0xff))),
    timeout: match(script, /\btimeout["']?\s*:\s*["']?(\d+)/),
    attestationPreference: quoted(script, "attestation"),
    userVerification: quoted(script, "userVerification"),
    supportsJsonResponse: script.includes("legacyData"),
  };
  if (kind === "get") {
    data._relyingPartyId = quoted(script, "rpId") ?? "";
    data.allowCredentials =
      match(script, /allowCredentials["']?\s*:\s*\[\s*(\{[\s\S]*?\})\s*\]/) ??
      match(script, /acceptableCredentials\s*=\s*\[\s*(\{[\s\S]*?\})\s*\]/);
    return { kind, data };
  }
  const party = match(script, /\brp["']?\s*:\s*\{([^}]*)\}/) ?? "";
  const user = match(script, /\buser["']?\s*:\s*\{([\s\S]*?\bdisplayName[^}]*)\}/) ?? "";
  data._relyingPartyId = quoted(party, "id") ?? "";
  data.relyingPartyName = quoted(party, "name");
  data.userId = match(user, /Uint8Array\.from\(\s*"([^"]*)"/);
  data.userName = quoted(user, "name");
  data.displayName = quoted(user, "displayName");
  data._pubKeyCredParams = algorithms(match(script, /pubKeyCredParams["']?\s*:\s*\[([\s\S]*?)\]/) ?? "");
  data.excludeCredentials = match(script, /excludeCredentials["']?\s*:\s*\[\s*(\{[\s\S]*?\})\s*\]/);
  data._authenticatorSelection = selection(match(script, /authenticatorSelection["']?\s*:\s*\{([^}]*)\}/) ?? "");
  return { kind, data };
}

function match(text, expression) {
  return expression.exec(text)?.[1];
}

/** The text after `name:`, with its escapes undone. */
function quoted(text, name) {
  const literal = match(text, new RegExp(`(?<![\\w$])["']?${name}["']?\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`));
  if (literal === undefined) return undefined;
  try {
    return JSON.parse(literal);
  } catch {
    return undefined;
  }
}

function numbers(text, name) {
  const list = match(text, new RegExp(`${name}["']?\\s*:\\s*new U?[iI]nt8Array\\(\\s*\\[([^\\]]*)\\]`));
  return list?.split(",").map(Number);
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
