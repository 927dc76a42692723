// What each callback looks like, and what is answered to it.
//
// A part may have: `body` and `actions`, the elements to show; `replacesContinue`, when the step needs no button of its
// own; `begin`, called once the step is shown; `values`, the answers by what follows `IDToken<n>` in an input's name.

import { readRecoveryCodes } from "./passkey-script.js";
import { element } from "./view.js";

/** An output of a callback, by name. */
export function output(callback, name) {
  const entries = Array.isArray(callback?.output) ? callback.output : [];
  return entries.find((entry) => entry?.name === name)?.value;
}

/** Whether this is a script for browsers that run what they are sent. */
export function isScript(callback) {
  return callback?.type === "TextOutputCallback" && String(output(callback, "messageType")) === "4";
}

/** The part for a callback. `request`: the passkey request of the step, whose callbacks show nothing themselves. */
export function callbackPart(callback, step, request) {
  if (callback === null || typeof callback !== "object") return {};
  if (request?.outcomeCallback === callback) return { values: () => ({ "": request.outcome }) };
  return Object.hasOwn(makers, callback.type) ? makers[callback.type](callback, step) : unknown(callback);
}

const makers = {
  NameCallback: (callback) =>
    field(callback, "User name", {
      type: "text",
      autocomplete: "username",
      autocapitalize: "none",
      spellcheck: "false",
    }),
  PasswordCallback: (callback) =>
    field(callback, "Password", { type: "password", autocomplete: "current-password" }),
  TextInputCallback: (callback) =>
    field(callback, "Text", { type: "text", value: words(output(callback, "defaultText")) }),
  TextOutputCallback: message,
  ChoiceCallback: choice,
  ConfirmationCallback: confirmation,
  HiddenValueCallback: () => ({}),
  MetadataCallback: (callback, step) => {
    if (output(callback, "data")?._type !== "TrustedDevice") return {};
    return { ...appOnly(step, "This step needs the app on a trusted device: a browser is none."), values: undefined };
  },
  PollingWaitCallback: pollingWait,
  SuspendedTextOutputCallback: (callback) => ({
    body: [
      element("p", {}, words(output(callback, "message"))),
      element("p", {}, element("a", { href: "/" }, "All journeys")),
    ],
    replacesContinue: true,
  }),
  DeviceBindingCallback: (callback, step) =>
    appOnly(step, "This step binds a device, which needs the app: a browser has no key to bind."),
  DeviceSigningVerifierCallback: (callback, step) =>
    appOnly(step, "This step needs the app that holds the key of a bound device: a browser cannot sign with it."),
};

function words(value) {
  return value === null || value === undefined ? "" : String(value);
}

function field(callback, name, attributes) {
  const input = element("input", attributes);
  return {
    body: [element("label", {}, words(output(callback, "prompt")) || name, input)],
    values: () => ({ "": input.value }),
  };
}

function message(callback) {
  const text = words(output(callback, "message"));
  if (isScript(callback)) return recoveryCodes(text);
  const kind = { 1: "warning", 2: "error" }[Number(output(callback, "messageType"))];
  return { body: [element("p", { class: kind, role: kind === "error" ? "alert" : null }, text)] };
}

/** Codes that some settings of PingAM send inside a script are shown: they are not to be had again. */
function recoveryCodes(script) {
  const codes = readRecoveryCodes(script);
  if (codes === null) return {};
  const warning = "These are your recovery codes. Make a copy of them: they cannot be shown again.";
  return { body: [element("p", { class: "warning" }, warning), element("p", {}, codes.join("\n"))] };
}

/** A list to choose from: one control, however long the list. */
function choice(callback) {
  const list = element("select");
  texts(output(callback, "choices")).forEach((text, index) => list.append(element("option", { value: index }, text)));
  list.value = words(output(callback, "defaultChoice"));
  if (list.selectedIndex < 0) list.selectedIndex = 0;
  return {
    body: [element("label", {}, words(output(callback, "prompt")) || "Choice", list)],
    values: () => ({ "": Number(list.value) }),
  };
}

/** A button for each option; the answer is the index of the one pressed, and what was sent when none was. */
function confirmation(callback, step) {
  const options = texts(output(callback, "options"));
  const named = options.length > 0 ? options.map((text, index) => ({ text, index })) : standardOptions(callback);
  const prompt = words(output(callback, "prompt"));
  const preferred = Number(output(callback, "defaultOption"));
  let pressed = null;
  return {
    body: prompt ? [element("p", {}, prompt)] : [],
    actions: named.map(({ text, index }) =>
      step.answer(text, () => (pressed = index), named.length > 1 && index === preferred),
    ),
    replacesContinue: true,
    values: () => (pressed === null ? {} : { "": pressed }),
  };
}

/** The buttons of the standard kinds, with the indices that Java gives them. */
function standardOptions(callback) {
  const [yes, no, cancel, ok] = ["Yes", "No", "Cancel", "OK"].map((text, index) => ({ text, index }));
  return { 0: [yes, no], 1: [yes, no, cancel], 2: [ok, cancel] }[Number(output(callback, "optionType"))] ?? [ok];
}

function texts(value) {
  return Array.isArray(value) ? value.map(words) : [];
}

function pollingWait(callback, step) {
  // Never more than twice a second, whatever is asked for.
  const milliseconds = Math.max(Number(output(callback, "waitTime")) || 0, 500);
  return {
    body: [element("p", {}, words(output(callback, "message")))],
    replacesContinue: true,
    begin: () => {
      const timer = setTimeout(() => step.submit(), milliseconds);
      step.over.signal.addEventListener("abort", () => clearTimeout(timer));
    },
  };
}

function appOnly(step, text) {
  return {
    body: [element("p", {}, text)],
    actions: [step.answer("Go on without the app", () => {}, true)],
    replacesContinue: true,
    values: () => ({ clientError: "Unsupported" }),
  };
}

function unknown(callback) {
  const text = `This step has a part that this page does not know (${words(callback.type)}). It goes back as it came.`;
  return { body: [element("p", { class: "quiet" }, text)] };
}
