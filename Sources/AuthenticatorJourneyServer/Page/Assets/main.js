// The page: a list of journeys, a journey, or what came of it.

import { output } from "./callbacks.js";
import { Client, Refusal } from "./client.js";
import { showStep } from "./step.js";
import { button, element, replace, say, show, warn } from "./view.js";

const query = new URLSearchParams(location.search);

class Page {
  constructor(server, realm) {
    this.server = server;
    this.realm = realm;
    this.client = new Client(server.contextPath, realm);
    this.journey = query.get("journey");
    this.lastQuestions = "";
  }

  async begin() {
    const suspendedID = query.get("suspendedId");
    if (suspendedID) {
      // The id is good for once, and belongs neither into the history nor into a bookmark.
      history.replaceState(null, "", `/?${new URLSearchParams({ realm: this.realm.path })}`);
      await this.take(() => this.client.resume(suspendedID));
    } else if (this.journey) {
      await this.start();
    } else {
      await this.showList();
    }
  }

  start() {
    this.lastQuestions = "";
    return this.take(() => this.client.start(this.journey, query.get("ForceAuth") === "true"));
  }

  /** Shows what a request brings. False: nothing reached the server, and what is shown stays. */
  async take(request) {
    try {
      const answer = await request();
      if (typeof answer.data.authId === "string") this.showStep(answer);
      else await this.showSuccess();
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) return report(error);
      if (error.isPassing && document.querySelector("form")) {
        warn(error.message);
        return false;
      }
      this.showFailure(error);
      return true;
    }
  }

  showStep(answer) {
    const fields = answer.data.callbacks?.filter((each) => /^(Name|Password|TextInput)Callback$/.test(each?.type));
    const questions = fields?.length ? JSON.stringify(fields.map((each) => [each.type, output(each, "prompt")])) : "";
    // PingAM does not say that a password was wrong: it asks again.
    const isRepeated = questions !== "" && questions === this.lastQuestions;
    warn(isRepeated ? "The server asks the same again. Check what you entered." : "");
    this.lastQuestions = questions;
    showStep(answer, this.journey ?? "Sign in", (step) => this.take(() => this.client.next(step)));
  }

  async showSuccess() {
    warn("");
    let rest = "It left no session.";
    try {
      const session = await this.client.session();
      if (session !== null) return show("Signed in", ...this.sessionElements(session), this.listLink());
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      rest = "Whether it left a session cannot be told now.";
    }
    show("Done", element("p", {}, `The journey ended well. ${rest}`), ...this.ways());
  }

  showFailure(error) {
    show("Not signed in", ...this.ways());
    warn(error.message);
  }

  async showList() {
    const session = await this.client.session();
    const journeys = this.server.journeys.map(({ name, description }) =>
      element(
        "li",
        {},
        element("a", { href: this.address({ journey: name }) }, name),
        description === null ? null : element("p", { class: "quiet" }, description),
      ),
    );
    replace(
      "Sign in",
      ...(session === null ? [] : this.sessionElements(session)),
      element("nav", { "aria-label": "Journeys" }, element("ul", {}, ...journeys)),
      this.realms(),
    );
  }

  sessionElements(session) {
    return [
      element("p", { id: "session" }, `You are signed in as ${session.user} in realm ${session.realm}.`),
      button("Sign out", () => this.signOut()),
    ];
  }

  async signOut() {
    try {
      await this.client.signOut();
    } catch (error) {
      if (!(error instanceof Refusal)) return report(error);
      // 401: the session was over already, which is what was asked for.
      if (error.status !== 401) return warn(error.message);
    }
    warn("");
    show("Signed out", ...this.ways());
    say("You are signed out.");
  }

  /** Where to go from an end. */
  ways() {
    const again = this.journey ? button("Start again", () => this.start(), true) : null;
    return [again, this.listLink()];
  }

  listLink() {
    return element("p", {}, element("a", { href: this.address({}) }, "All journeys"));
  }

  realms() {
    if (this.server.realms.length < 2) return null;
    const links = this.server.realms.map((realm) => {
      const address = `/?${new URLSearchParams({ realm: realm.path })}`;
      const isCurrent = realm === this.realm ? "true" : null;
      return element("li", {}, element("a", { href: address, "aria-current": isCurrent }, `Realm ${realm.path}`));
    });
    return element("nav", { "aria-label": "Realms" }, element("ul", {}, ...links));
  }

  address(parameters) {
    const all = this.realm.path === "/" ? parameters : { ...parameters, realm: this.realm.path };
    const text = new URLSearchParams(all).toString();
    return text ? `/?${text}` : "/";
  }
}

async function main() {
  const response = await fetch("/page/server.json", { cache: "no-store", credentials: "omit" });
  const server = await response.json();
  const name = (query.get("realm") ?? "/").replace(/^\/*/, "/");
  const realm = server.realms.find((each) => each.path === name);
  if (realm === undefined) {
    show("Not here", element("p", {}, element("a", { href: "/" }, "All journeys")));
    warn("This server has no such realm.");
    return;
  }
  await new Page(server, realm).begin();
}

/** A fault of this page. True: there is nothing to go on with. */
function report(error) {
  warn(error instanceof Refusal ? error.message : "Something went wrong on this page. Load it again.");
  console.error(error);
  return true;
}

main().catch(report);
