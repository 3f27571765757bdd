// What a person knows: clauses to keep, conditions to exclude, cuts to use, ways that columns go.

import { conditionForm } from "./condition.js";
import { announce, find, make, show } from "./dom.js";

const SIGNS = { "=": "=", "!=": "≠", ">": ">", "<=": "≤" };
const WAYS = [
  ["up", "more speaks for it"],
  ["down", "more speaks against it"],
];

let columns = [];
let kept = null; // {label, text, clauses}
let statements = []; // {kind, data, text}: other statements, in their order
let changed = () => {};

export function listenForKnowledge(listener) {
  changed = listener;
  find("know-add").addEventListener("change", (event) => {
    open(event.target.value);
    event.target.value = "";
  });
}

/** Begin with another target: what was known was about the last one. */
export function knowNothing(newColumns) {
  columns = newColumns;
  kept = null;
  statements = [];
  show(find("know-price"), false);
  close();
}

/** The knowledge as the server reads it. */
export function knowledge() {
  const all = (kind) => statements.filter((one) => one.kind === kind).map(({ data }) => data);
  return {
    keep: kept && { label: kept.label, clauses: kept.clauses },
    forbid: all("forbid"),
    cuts: all("cuts"),
    monotone: all("monotone"),
  };
}

/** Whether a statement needs a class to be about. */
export const needsClass = () => statements.some(({ kind }) => kind === "monotone");

/** Tell what it costs. */
export function drawPrice(price) {
  find("know-price").textContent = price ? `${price[0].toUpperCase()}${price.slice(1)}.` : "";
  show(find("know-price"), Boolean(price));
}

const same = (one, other) => JSON.stringify(canonical(one)) === JSON.stringify(canonical(other));
const canonical = ({ literals, at_least: needed }) => [
  literals.map(({ column, op, value }) => `${column} ${op} ${value}`).sort(),
  needed,
];

export const isKept = (clause) => kept !== null && kept.clauses.some((one) => same(one, clause));

/** Keep a clause of the rule about a class, or let it go. */
export function toggleKept({ label, text }, clause) {
  if (kept === null || kept.label !== label) kept = { label, text, clauses: [] };
  const others = kept.clauses.filter((one) => !same(one, clause));
  kept.clauses = others.length === kept.clauses.length ? [...others, clause] : others;
  if (!kept.clauses.length) kept = null;
  draw();
  changed();
}

/** Let kept clauses go unless they fit the question: `fits` gets the class that they are about, or null. */
export function keepOnlyIf(fits) {
  if (kept === null || fits(kept.label)) return;
  kept = null;
  draw();
}

function close() {
  find("know-form").replaceChildren();
  draw();
}

function draw() {
  const clauses = kept ? kept.clauses : [];
  find("know-count").textContent = clauses.length + statements.length ? String(clauses.length + statements.length) : "";
  find("know-list").replaceChildren(
    ...clauses.map((clause) => item(`keep: ${words(clause)}`, () => toggleKept(kept, clause))),
    ...statements.map((one) => item(one.text, () => take(statements.filter((other) => other !== one)))),
  );
}

function item(text, remove) {
  return make(
    "li",
    {},
    make("span", {}, text),
    make("button", { type: "button", className: "icon", "aria-label": `Take back: ${text}`, onclick: remove }, "×"),
  );
}

function take(next) {
  statements = next;
  close();
  changed();
}

/** Add a statement; an earlier one of the same column is replaced. */
function add(kind, data, text) {
  const others = statements.filter((one) => one.kind !== kind || kind === "forbid" || one.data.column !== data.column);
  take([...others, { kind, data, text }]);
  announce(`Noted: ${text}.`);
}

const literalWords = ({ column, op, value }) => {
  const { kind } = columns.find(({ name }) => name === column) ?? {};
  return kind === "boolean" ? `${op === "=" ? "" : "not "}${column}` : `${column} ${SIGNS[op]} ${value}`;
};

function words({ literals, at_least: needed }) {
  const parts = literals.map(literalWords);
  return needed === null ? parts.join(" and ") : `at least ${needed} of ${parts.join(", ")}`;
}

function open(kind) {
  const forms = { forbid: forbidForm, cuts: cutsForm, monotone: wayForm };
  find("know-form").replaceChildren(forms[kind]());
  find("know-form").querySelector("select, input, button")?.focus();
}

function forbidForm() {
  return conditionForm(columns, null, new Set(), (condition) => {
    if (condition === null) close();
    else add("forbid", condition, `excluded: ${literalWords(condition)}`);
  });
}

/** A small form about one column; `read` returns what to add, null if it is not complete. */
function columnForm(kinds, field, read) {
  const able = columns.filter(({ kind, left_out: why }) => kinds.includes(kind) && why === null);
  if (!able.length) return make("p", { className: "hint" }, "No column of this table has more and less of it.");
  const column = make("select", { "aria-label": "Column" }, ...able.map(({ name }) => make("option", { value: name }, name)));
  return make(
    "form",
    {
      className: "condition",
      onsubmit: (event) => {
        event.preventDefault();
        const statement = read(column.value);
        if (statement) add(...statement);
      },
      onkeydown: (event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      },
    },
    column,
    field,
    make("button", { type: "submit", className: "primary small" }, "Add"),
    make("button", { type: "button", className: "quiet", onclick: close }, "Cancel"),
  );
}

function cutsForm() {
  const field = make("input", { "aria-label": "Cuts, with spaces or semicolons between", placeholder: "40; 50; 65", required: true });
  return columnForm(["number"], field, (column) => {
    const at = field.value.split(/[;\s]+/).filter(Boolean).map((text) => Number(text.replace(/,$/, "").replace(",", ".")));
    if (!at.length || at.some(Number.isNaN)) {
      field.setCustomValidity("numbers such as 40; 50; 65");
      field.reportValidity();
      field.oninput = () => field.setCustomValidity("");
      return null;
    }
    return ["cuts", { column, at }, `cut ${column} at ${at.join(", ")} only`];
  });
}

function wayForm() {
  const field = make("select", { "aria-label": "Which way" }, ...WAYS.map(([way, text]) => make("option", { value: way }, text)));
  return columnForm(["number", "date", "boolean"], field, (column) => [
    "monotone",
    { column, way: field.value },
    field.value === "up" ? `more ${column} speaks for it` : `more ${column} speaks against it`,
  ]);
}
