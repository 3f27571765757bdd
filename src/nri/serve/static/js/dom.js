// Elements are built here and nowhere else. Text from tables goes in as text nodes; there is no way to pass markup.

export const find = (id) => document.getElementById(id);

/** Make an element: properties, `aria-*`/`data-*`/`role` attributes, `on*` listeners, then children (elements or text). */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.includes("-") || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const SVG = document.querySelector("svg").namespaceURI;

/** Make an element of a drawing: attributes, `on*` listeners, then children. */
export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export const hidden = (text) => make("span", { className: "hidden" }, text);

export function show(element, visible = true) {
  element.hidden = !visible;
}

/** Say something to people who do not see the page change. */
export function announce(message) {
  find("status").textContent = message;
}

/** Show a message; a remedy `{ text, act }` becomes a button. */
export function complain(message, remedy = null) {
  // Messages begin with a small letter, as the command line wants it; a name that comes first stays as it is.
  find("alert-text").textContent = message.replace(/^[a-z]+(?= )/, (word) => word[0].toUpperCase() + word.slice(1));
  const button = find("alert-remedy");
  show(button, remedy !== null);
  button.textContent = remedy?.text ?? "";
  button.onclick = remedy?.act ?? null;
  show(find("alert"));
}

export function stopComplaining() {
  show(find("alert"), false);
}

/** Put the focus where it was after a part of the page has been drawn anew; `key` is a `data-focus`. */
export function refocus(key) {
  const element = key && document.querySelector(`[data-focus="${CSS.escape(key)}"]`);
  if (element) element.focus();
  return Boolean(element);
}

export const percent = (share) => {
  if (share === null) return "–";
  const value = share * 100;
  const whole = Math.abs(value - Math.round(value)) < 0.05;
  return `${value.toFixed(whole ? 0 : 1)}\u00a0%`;
};

/** A cell with a share and its interval, digits alike in all of them so that they can be compared down a column. */
export function measureCell({ value, interval }) {
  if (value === null) return make("td", {}, "–");
  const [middle, least, most] = [value, interval.low, interval.high].map((share) => `${(share * 100).toFixed(1)}\u00a0%`);
  return make("td", {}, make("strong", {}, middle), " ", make("small", {}, `${least} to ${most}`));
}

export const count = (number) => (Number.isInteger(number) ? number.toLocaleString("en") : number.toFixed(1));
