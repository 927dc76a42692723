// Speaks PingAM's REST interface with the server that this page came from. The session travels in a cookie that no
// script can read; what shows the server that a request is this page's own is a header field.

/** An answer that is no step and no success. `status` 0: there was no answer. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }

  /** Whether the same may be sent again: nothing was taken. */
  get isPassing() {
    return this.status === 0 || this.status === 503;
  }
}

export class Client {
  constructor(contextPath, realm) {
    this.base = `${contextPath}/json/realms/${realm.urlPath}`;
  }

  /** Starts a journey. */
  start(journey, forceAuth) {
    const query = new URLSearchParams({ authIndexType: "service", authIndexValue: journey });
    if (forceAuth) query.set("ForceAuth", "true");
    return this.post(`authenticate?${query}`, "{}");
  }

  /** Goes on with a step that was answered. */
  next(step) {
    return this.post("authenticate", JSON.stringify(step));
  }

  /** Goes on with a journey that was parked. */
  resume(suspendedID) {
    return this.post(`authenticate?${new URLSearchParams({ suspendedId: suspendedID })}`, "{}");
  }

  /** The session's user and realm; null when there is no session. */
  async session() {
    const { data } = await this.post("sessions?_action=validate", "{}");
    return data.valid === true ? { user: String(data.uid), realm: String(data.realm) } : null;
  }

  signOut() {
    return this.post("sessions?_action=logout", "{}");
  }

  /** The answer, read, and its text. Throws `Refusal`. */
  async post(path, body) {
    let response;
    let text;
    try {
      response = await fetch(`${this.base}/${path}`, {
        method: "POST",
        credentials: "same-origin",
        redirect: "error",
        cache: "no-store",
        headers: {
          "Accept-API-Version": "resource=2.1, protocol=1.0",
          "Content-Type": "application/json",
          "X-Requested-With": "sign-in-page",
        },
        body,
      });
      text = await response.text();
    } catch {
      throw new Refusal(0, "The server cannot be reached. Try again.");
    }
    let data = null;
    try {
      data = JSON.parse(text);
    } catch {
      // Told below, by the status.
    }
    if (data === null || typeof data !== "object") {
      throw new Refusal(response.status, `The server answered ${response.status}, and nothing that can be read.`);
    }
    if (!response.ok) throw new Refusal(response.status, message(data, response));
    return { data, text };
  }
}

function message(data, response) {
  // PingAM puts the names of its classes in front of some messages.
  const text = String(data.message ?? "").replace(/^(?:[\w$]+\.)+[\w$]+: */, "");
  const seconds = Number(response.headers.get("Retry-After"));
  const wait = seconds > 0 ? ` Wait ${seconds} s before you try again.` : "";
  return (text || `The server answered ${response.status}.`) + wait;
}

/** Reads JSON so that writing it again gives back each number as it was sent: `1.0`, or twenty digits. */
export function readLossless(text) {
  if (typeof JSON.rawJSON !== "function") return JSON.parse(text);
  return JSON.parse(text, (_, value, context) =>
    typeof value === "number" && String(value) !== context.source ? JSON.rawJSON(context.source) : value,
  );
}
