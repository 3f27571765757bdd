// What errors cost: a number for each class, 1 by default, and the order of classes if they have one.

import { find, make, show } from "./dom.js";

const MOST_CLASSES = 12; // more would be a form, not a small control

let classes = [];
let costs = new Map(); // by place of the class
let changed = () => {};

export function listenForCosts(listener) {
  changed = listener;
  find("order").addEventListener("change", () => {
    countCosts();
    changed();
  });
}

/** Offer costs for the classes of a target; none for a number or a comparison that is not made yet. */
export function offerCosts(target, newClasses) {
  classes = newClasses.length <= MOST_CLASSES ? newClasses : [];
  costs = new Map();
  show(find("costs"), classes.length > 0);
  find("order").value = "";
  show(find("order-field"), classes.length > 2);
  find("costs-list").replaceChildren(...classes.map(({ text }, place) => costField(target, text, place)));
  countCosts();
}

/** The costs as the server reads them. */
export const statedCosts = () => [...costs].map(([place, cost]) => ({ label: classes[place].label, cost }));

/** The classes from low to high, as they were typed; none where no order was. */
export function statedOrder() {
  const words = find("order").value.split(",").map((word) => word.trim());
  return words.filter(Boolean).map((word) => classes.find(({ text }) => text === word)?.label ?? word);
}

function costField(target, text, place) {
  const field = make("input", {
    type: "number",
    min: "0.01",
    max: "1000000",
    step: "any",
    value: "1",
    inputMode: "decimal",
    "aria-label": `What an error on a row of ${target} = ${text} costs`,
    onchange: () => {
      const cost = Number(field.value);
      if (!(cost > 0)) field.value = "1";
      if (cost > 0 && cost !== 1) costs.set(place, cost);
      else costs.delete(place);
      countCosts();
      changed();
    },
  });
  return make("label", { className: "field inline" }, make("span", {}, `of ${text}`), field);
}

function countCosts() {
  const texts = [...costs].map(([place, cost]) => `${classes[place].text} ${cost}`);
  if (statedOrder().length) texts.push("in order");
  find("costs-count").textContent = texts.join(", ") || "all the same";
}
