// The side of the page where a person says what is to be explained and what the rule may be.

import * as api from "./api.js";
import { offerCosts, listenForCosts, statedCosts } from "./costs.js";
import { complain, find, make, show } from "./dom.js";
import { keepOnlyAbout, knowNothing, knowledge, listenForKnowledge, needsClass } from "./knowledge.js";

const MANY_COLUMNS = 12;
const MANY_TARGETS = 24;
const AS_NUMBER = "number"; // what the list of comparisons offers besides
const SIGNS = { ">": ">", ">=": "≥", "<": "<", "<=": "≤", "=": "=", "!=": "≠" };
const OPEN = "";
const TRUTHS = [true, false].map((label) => ({ label, text: String(label) })); // the classes of a comparison

let table = null;
let described = null;
let wishes = new Map();
let protect = new Set();
let asked; // the class that the rule in view is about
let changed = () => {};

/** Call `listener` whenever another question is asked. */
export function listenForQuestions(listener) {
  changed = listener;
  find("target").addEventListener("change", chooseTarget);
  for (const id of [
    "positive",
    "compare-op",
    "compare-value",
    "max-clauses",
    "max-literals",
    "min-precision",
    "negations",
    "stable",
    "counts",
    "prevalence",
  ]) {
    find(id).addEventListener("change", ask);
  }
  listenForCosts(ask);
  listenForKnowledge(ask);
  find("min-precision").addEventListener("input", showPrecision);
  find("columns-search").addEventListener("input", filterColumns);
  find("question").addEventListener("submit", (event) => event.preventDefault());
}

/** Begin with another table; whatever was asked of the last one is gone. Without a target the page asks for one. */
export async function useTable(newTable, target) {
  table = newTable;
  described = null;
  wishes = new Map();
  protect = new Set();
  find("question").reset();
  showPrecision();
  const options = table.columns.map((column) => make("option", { value: column.name }, column.name));
  find("target").replaceChildren(
    make("option", { value: "", disabled: true }, "choose a column"),
    ...options,
  );
  const known = table.columns.some(({ name }) => name === target);
  find("target").value = known ? target : "";
  for (const id of ["limits", "columns"]) find(id).open = window.matchMedia("(min-width: 62rem)").matches;
  for (const id of ["costs", "know"]) find(id).open = false;
  drawColumns();
  if (known) await chooseTarget();
  else {
    if (target) complain(`There is no column ${target}; choose one.`);
    show(find("positive-field"), false);
    show(find("compare-field"), false);
    hint(null);
    offerTargets();
  }
}

/** Ask which column is to be explained; the likeliest comes first. */
function offerTargets() {
  const names = table.columns.filter(({ distinct }) => distinct > 1).map(({ name }) => name);
  const first = names.filter((name) => name === table.target);
  const others = names.filter((name) => name !== table.target);
  const choice = (name, className) =>
    make(
      "button",
      {
        type: "button",
        className,
        onclick: () => {
          find("target").value = name;
          chooseTarget();
        },
      },
      name,
    );
  find("choices").replaceChildren(
    ...first.map((name) => choice(name, "primary small")),
    ...others.slice(0, MANY_TARGETS).map((name) => choice(name, "")),
    others.length > MANY_TARGETS ? make("span", { className: "hint" }, "Explain has the whole list.") : "",
  );
  show(find("choose"));
  find("choices").querySelector("button")?.focus();
}

/** Return the question as the server reads it, null if it is not complete. */
export function question() {
  if (!described || described.problem) return null;
  const asked = {
    max_clauses: whole("max-clauses"),
    max_literals: whole("max-literals"),
    min_precision: Number(find("min-precision").value) / 100,
    negations: find("negations").checked,
    stable: find("stable").checked,
    counts: find("counts").value,
    prevalence: share("prevalence"),
    protect: [...protect],
    never: columnsWith("excluded"),
    require: columnsWith("required"),
    ...knowledge(),
  };
  if (described.compare) {
    if (find("compare-op").value === AS_NUMBER) return { ...asked, target: described.column };
    const value = find("compare-value").value.trim();
    if (!value) return null;
    const target = `${described.column} ${find("compare-op").value} ${value}`;
    return { ...asked, target, costs: statedCosts() };
  }
  const chosen = find("positive").value;
  const positive = chosen === OPEN ? null : described.classes[Number(chosen)].label;
  return { ...asked, target: described.column, positive, costs: statedCosts() };
}

async function chooseTarget() {
  show(find("choose"), false);
  const column = find("target").value;
  const mine = table;
  const outdated = () => mine !== table || column !== find("target").value;
  try {
    const answer = await api.target(column);
    if (outdated()) return;
    described = answer;
  } catch (problem) {
    if (outdated()) return;
    described = null;
    changed(null, problem);
    return;
  }
  wishes.delete(column);
  protect.delete(column);
  drawColumns();
  drawClasses();
  offerCosts(column, described.compare ? TRUTHS : described.classes);
  knowNothing(table.columns.filter(({ name }) => name !== column));
  ask();
}

function drawClasses() {
  const { classes, compare, problem } = described;
  show(find("positive-field"), classes.length > 0);
  show(find("compare-field"), compare !== null);
  hint(problem);
  if (classes.length) {
    const open = classes.length === 2 ? "whichever is simpler to tell" : "each class has its own rule";
    const options = classes.map(({ text, rows }, index) =>
      make("option", { value: String(index) }, `${text} (${rows} ${rows === 1 ? "row" : "rows"})`),
    );
    find("positive").replaceChildren(make("option", { value: OPEN }, open), ...options);
  }
  if (compare) {
    const ordered = compare.op === ">";
    const signs = ordered ? [">", ">=", "<", "<="] : ["=", "!="];
    const options = signs.map((sign) => make("option", { value: sign }, `where ${SIGNS[sign]}`));
    const { kind } = table.columns.find(({ name }) => name === described.column);
    if (kind === "number") options.push(make("option", { value: AS_NUMBER }, "as a number"));
    find("compare-op").replaceChildren(...options);
    show(find("compare-value"));
    find("compare-value").value = String(compare.value).replace(/T00:00:00$/, "");
    find("compare-legend").textContent = `${described.column} has many values; explain it`;
  }
}

function drawColumns() {
  const others = table.columns.filter((column) => column.name !== find("target").value);
  const usable = others.filter((column) => column.left_out === null);
  const useless = others.filter((column) => column.left_out !== null);
  find("columns-count").textContent = String(usable.length);
  show(find("columns-search"), others.length > MANY_COLUMNS);
  find("columns-search").value = "";
  find("columns-list").replaceChildren(
    ...usable.map(drawColumn),
    ...useless.map((column) =>
      make(
        "p",
        { className: "column useless", "data-name": column.name },
        make("span", { className: "name", title: column.name }, column.name),
        make("span", { className: "reason" }, column.left_out),
      ),
    ),
  );
}

function drawColumn(column, index) {
  const wish = wishes.get(column.name) ?? "allowed";
  const choice = (value, says) =>
    make(
      "label",
      { className: `wish ${value}`, title: says },
      make("input", {
        type: "radio",
        name: `wish-${index}`,
        value,
        checked: wish === value,
        "aria-label": says,
        onchange: () => {
          wishes.set(column.name, value);
          ask();
        },
      }),
      make("span", { "aria-hidden": "true" }),
    );
  const missing = column.missing ? `, ${column.missing} missing` : "";
  return make(
    "div",
    { className: "column", role: "radiogroup", "aria-label": column.name, "data-name": column.name },
    make("span", { className: "name", title: `${column.name} (${column.kind}${missing})` }, column.name),
    make(
      "span",
      { className: "wishes" },
      choice("allowed", "allowed"),
      choice("required", "required in every clause"),
      choice("excluded", "excluded"),
    ),
  );
}

function filterColumns() {
  const wanted = find("columns-search").value.trim().toLowerCase();
  for (const element of find("columns-list").children) {
    show(element, element.dataset.name.toLowerCase().includes(wanted));
  }
}

function columnsWith(wish) {
  return [...wishes].filter(([, value]) => value === wish).map(([name]) => name);
}

function whole(id) {
  const input = find(id);
  const value = Math.min(
    Number(input.max),
    Math.max(Number(input.min), Math.round(Number(input.value)) || Number(input.min)),
  );
  input.value = String(value);
  return value;
}

/** Return what was typed in percent as a share, null if nothing was. */
function share(id) {
  const value = Number(find(id).value);
  return value > 0 && value < 100 ? value / 100 : null;
}

/** Ask again, and be told about the groups of a column. */
export function tellGroupsOf(column) {
  protect.add(column);
  ask();
}

/** Ask again without a column. */
export function leaveOut(column) {
  wishes.set(column, "excluded");
  drawColumns();
  ask();
}

function showPrecision() {
  const value = Number(find("min-precision").value);
  find("min-precision-shown").textContent = value ? `${value} %` : "any";
}

function hint(text) {
  find("target-hint").textContent = text ?? "";
  show(find("target-hint"), Boolean(text));
}

function ask() {
  const number = Boolean(described?.compare) && find("compare-op").value === AS_NUMBER;
  show(find("compare-value"), !number);
  find("question").classList.toggle("for-number", number);
  const chosen = find("positive").value;
  if (described?.classes.length && chosen === OPEN && needsClass()) chooseAskedClass();
  else if (described?.classes.length && chosen !== OPEN) keepOnlyAbout(described.classes[Number(chosen)].label);
  changed(question());
}

/** What speaks for "it" must be about a class: that of the rule in view, else the rarer one. */
function chooseAskedClass() {
  if (described.classes.length !== 2) return;
  const inView = described.classes.findIndex(({ label }) => label === asked);
  const rarer = described.classes[0].rows < described.classes[1].rows ? 0 : 1;
  find("positive").value = String(inView >= 0 ? inView : rarer);
}

/** Take note which class the rule in view is about. */
export function noteAskedClass(label) {
  asked = label;
}
