// Builds what the person sees and hears. Text becomes text nodes and attribute values, never markup.

const view = document.getElementById("view");
const alertRegion = document.getElementById("alert");
const statusRegion = document.getElementById("status");

/** Makes an element; children are elements or text, and null is left out, as is an attribute that is null or false. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A button that does something on this page. `isFirst` marks the one that most people want, and that Enter presses. */
export function button(title, press, isFirst = false) {
  const made = element("button", { type: isFirst ? "submit" : "button", class: isFirst ? "first" : null }, title);
  made.addEventListener("click", (event) => {
    // Forms are not sent: what they hold is read and posted.
    event.preventDefault();
    if (made.getAttribute("aria-disabled") !== "true") press();
  });
  return made;
}

/** Shows a view under its title, and puts the focus where the person goes on. */
export function show(title, ...children) {
  replace(title, ...children);
  const first = view.querySelector("input, select, button, a[href]");
  (first ?? document.getElementById("title")).focus();
}

/** Shows a view under its title. */
export function replace(title, ...children) {
  const heading = element("h1", { id: "title", tabindex: "-1" }, title);
  document.title = title;
  say("");
  view.replaceChildren(heading, ...children.filter((child) => child !== null));
}

/** Tells what went wrong, at once; "" takes it back. */
export function warn(text) {
  alertRegion.textContent = text;
}

/** Tells what is going on, when the person pauses; "" takes it back. */
export function say(text) {
  statusRegion.textContent = text;
}
