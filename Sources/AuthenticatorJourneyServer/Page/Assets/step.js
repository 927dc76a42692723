// One step of a journey as a form.

import { readLossless } from "./client.js";
import { callbackPart, isScript } from "./callbacks.js";
import { passkeyPart } from "./passkey.js";
import { findPasskeyRequest } from "./passkey-data.js";
import { button, element, say, show } from "./view.js";

/**
 * Shows a step. `send` is given the answered step, and resolves when it was dealt with: by a new view, or, when nothing
 * reached the server, by leaving this one.
 */
export function showStep({ data, text }, journey, send) {
  const step = new Step(data, text, send);
  step.show(typeof data.header === "string" && data.header ? data.header : journey);
}

class Step {
  constructor(data, text, send) {
    this.callbacks = Array.isArray(data.callbacks) ? data.callbacks : [];
    this.description = typeof data.description === "string" ? data.description : "";
    this.text = text;
    this.send = send;
    this.isSending = false;
    // Ends what waits on behalf of this step: timers and ceremonies.
    this.over = new AbortController();
  }

  show(title) {
    const request = findPasskeyRequest(this.callbacks);
    this.parts = this.callbacks.map((callback) => callbackPart(callback, this, request));
    const passkey = request === null ? [] : [passkeyPart(request, this)];
    const all = [...this.parts, ...passkey];
    const form = element("form", {
      novalidate: true,
      "aria-labelledby": "title",
      "aria-describedby": this.description ? "description" : null,
    });
    if (this.description) form.append(element("p", { id: "description" }, this.description));
    form.append(...all.flatMap((part) => part.body ?? []));
    // Other buttons beside a passkey's are ways around it.
    form.append(...[...passkey, ...this.parts].flatMap((part) => part.actions ?? []));
    if (!all.some((part) => part.replacesContinue)) {
      form.append(button("Continue", () => this.submit(), true));
    }
    form.addEventListener("submit", (event) => event.preventDefault());
    this.form = form;
    show(title, form);
    for (const part of all) part.begin?.();
  }

  /** The step with its answers in place. What the page does not know goes back as it came. */
  answered() {
    const reply = readLossless(this.text);
    this.parts.forEach((part, index) => {
      const values = part.values?.() ?? {};
      for (const input of reply.callbacks[index]?.input ?? []) {
        const suffix = String(input.name).replace(/^IDToken\d+/, "");
        if (Object.hasOwn(values, suffix)) input.value = values[suffix];
      }
    });
    // Scripts are for browsers that run them; the server does not want them back.
    reply.callbacks = reply.callbacks?.filter((_, index) => !isScript(this.callbacks[index]));
    return reply;
  }

  /** Sends the step, once. */
  async submit() {
    if (this.isSending) return;
    this.isSending = true;
    this.setBusy(true);
    say("One moment …");
    const answer = this.answered();
    if (!(await this.send(answer))) {
      this.isSending = false;
      this.setBusy(false);
      say("");
    } else {
      this.over.abort();
    }
  }

  /** Buttons stay in the order of tabs while they do nothing, so that the focus is not lost. */
  setBusy(isBusy) {
    this.form.setAttribute("aria-busy", String(isBusy));
    for (const each of this.form.querySelectorAll("button")) each.setAttribute("aria-disabled", String(isBusy));
  }

  /** A button that answers something and sends the step. */
  answer(title, prepare, isFirst) {
    return button(
      title,
      () => {
        prepare();
        this.submit();
      },
      isFirst,
    );
  }
}
