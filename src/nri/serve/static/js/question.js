// The side of the page where a person says what is to be explained and what the rule may be.

import * as api from "./api.js";
import { offerCosts, listenForCosts, statedCosts, statedOrder } from "./costs.js";
import { complain, find, make, show } from "./dom.js";
import { keepOnlyIf, knowNothing, knowledge, listenForKnowledge, needsClass } from "./knowledge.js";

const MANY_COLUMNS = 12;
const MANY_TARGETS = 24;
const AS_NUMBER = "number"; // what the lists of comparisons and classes offer besides
const AS_TIME = "time";
const FEW_VALUES = 6; // of a column that may hold an event
const EVENTS = /event|status|dead|death|died|fail|relapse|recur|churn|cens/i;
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
    "event",
    "compare-op",
    "compare-value",
    "max-clauses",
    "max-literals",
    "min-precision",
    "negations",
    "stable",
    "counts",
    "prevalence",
    "row-groups",
    "time-order",
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
  for (const [id, none] of [
    ["row-groups", "each on its own"],
    ["time-order", "rows in any order"],
  ]) {
    const names = table.columns.map(({ name }) => make("option", { value: name }, name));
    find(id).replaceChildren(make("option", { value: "" }, none), ...names);
  }
  const known = table.columns.some(({ name }) => name === target);
  find("target").value = known ? target : "";
  for (const id of ["limits", "columns"]) find(id).open = window.matchMedia("(min-width: 62rem)").matches;
  for (const id of ["costs", "know"]) find(id).open = false;
  drawColumns();
  if (known) await chooseTarget();
  else {
    if (target) complain(`There is no column ${target}; choose one.`);
    for (const id of ["positive-field", "compare-field", "event-field"]) show(find(id), false);
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
    groups: find("row-groups").value || null,
    time_order: find("time-order").value || null,
    never: columnsWith("excluded"),
    require: columnsWith("required"),
    ...knowledge(),
  };
  if (isMeasured()) {
    const measured = { ...asked, target: described.column, monotone: [] }; // a direction is about a class
    if (!isTime()) return measured;
    return find("event").value ? { ...measured, event: find("event").value } : null;
  }
  if (described.compare) {
    const value = find("compare-value").value.trim();
    if (!value) return null;
    const target = `${described.column} ${find("compare-op").value} ${value}`;
    return { ...asked, target, costs: statedCosts() };
  }
  const chosen = find("positive").value;
  const positive = chosen === OPEN ? null : described.classes[Number(chosen)].label;
  const ordered = positive === null ? statedOrder() : []; // one class against the rest has no order
  return { ...asked, target: described.column, positive, costs: statedCosts(), ordered };
}

const isTime = () =>
  Boolean(described) && find(described.compare ? "compare-op" : "positive").value === AS_TIME;

/** Whether the target is a number or a time rather than classes. */
const isMeasured = () => isTime() || (Boolean(described?.compare) && find("compare-op").value === AS_NUMBER);

/** The column that the event is read from. */
const eventColumn = () => (isTime() ? find("event").selectedOptions[0]?.dataset.column : undefined);

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
  drawClasses();
  offerEvents();
  drawColumns();
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
    const open = classes.length === 2 ? "whichever is simpler" : "every class";
    const options = classes.map(({ text, rows }, index) =>
      make("option", { value: String(index) }, `${text} (${rows} ${rows === 1 ? "row" : "rows"})`),
    );
    find("positive").replaceChildren(make("option", { value: OPEN }, open), ...options, ...asTime());
  }
  if (compare) {
    const ordered = compare.op === ">";
    const signs = ordered ? [">", ">=", "<", "<="] : ["=", "!="];
    const options = signs.map((sign) => make("option", { value: sign }, `where ${SIGNS[sign]}`));
    if (isNumber()) options.push(make("option", { value: AS_NUMBER }, "as a number"), ...asTime());
    find("compare-op").replaceChildren(...options);
    show(find("compare-value"));
    find("compare-value").value = String(compare.value).replace(/T00:00:00$/, "");
    find("compare-legend").textContent = `${described.column} has many values; explain it`;
  }
}

const isNumber = () => table.columns.find(({ name }) => name === described.column).kind === "number";

const asTime = () => (isNumber() ? [make("option", { value: AS_TIME }, "as the time until an event")] : []);

/** Offer what may be the event: a column of yes and no, or a value of a column that has few. */
function offerEvents() {
  const options = table.columns
    .filter(({ name, distinct }) => name !== described.column && distinct > 1)
    .flatMap((column) => eventsOf(column).map((value) => ({ column: column.name, value })));
  find("event").replaceChildren(
    ...options.map(({ column, value }) => make("option", { value, "data-column": column }, value)),
  );
  const likely = options.filter(({ column }) => EVENTS.test(column));
  find("event").value = (likely.filter(({ column }) => column === likely[0].column).at(-1) ?? options[0])?.value ?? "";
}

function eventsOf({ name, kind, distinct, values, low, high }) {
  const plain = values.every((value) => ["yes", "no", "y", "n"].includes(value.toLowerCase()));
  if (kind === "boolean" || (kind === "text" && distinct === 2 && plain)) return [name];
  if (kind === "text" && distinct <= FEW_VALUES) return values.map((value) => `${name} = ${value}`);
  return kind === "number" && distinct === 2 ? [low, high].map((value) => `${name} = ${value}`) : [];
}

function drawColumns() {
  const taken = [find("target").value, eventColumn(), find("row-groups").value, find("time-order").value];
  const others = table.columns.filter((column) => !taken.includes(column.name));
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

/** Ask again, with the groups of a column. */
export function listGroupsOf(column) {
  protect.add(column);
  ask();
}

/** Ask again with some columns required or excluded. */
export function limitColumns(wanted) {
  for (const [name, wish] of wanted) wishes.set(name, wish);
  drawColumns();
  ask();
}

/** Ask again without a column. */
export const leaveOut = (column) => limitColumns([[column, "excluded"]]);

function showPrecision() {
  const value = Number(find("min-precision").value);
  find("min-precision-shown").textContent = value ? `${value} %` : "any";
}

function hint(text) {
  find("target-hint").textContent = text ?? "";
  show(find("target-hint"), Boolean(text));
}

function ask(event) {
  const measured = isMeasured();
  show(find("compare-value"), !measured);
  show(find("event-field"), isTime());
  if (isTime()) hint(find("event").value ? null : "No other column holds yes and no, or few values, to be the event.");
  else hint(described?.problem);
  find("question").classList.toggle("measured", measured);
  if (["event", "positive", "compare-op", "row-groups", "time-order"].includes(event?.target?.id)) drawColumns();
  const chosen = find("positive").value;
  const about = described?.classes[Number(chosen)]?.label;
  keepOnlyIf((label) => (measured ? label === null : label !== null && (!described?.classes.length || chosen === OPEN || label === about)));
  if (measured) return changed(question());
  if (described?.classes.length && chosen === OPEN && needsClass()) chooseAskedClass();
  changed(question());
}

/** A direction must be about a class: that of the rule in view, else the rarer one. */
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
