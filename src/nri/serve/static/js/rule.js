// The rule as cards: conditions that can be dropped, changed and added, clauses that can be deleted or can count.

import { conditionForm } from "./condition.js";
import { count, find, make, percent, refocus } from "./dom.js";
import { isKept, toggleKept } from "./knowledge.js";

const NO_RULE =
  "No rule pays for itself on these rows. Allow more, choose another column, or write a clause by hand.";
const SIGNS = { "=": "=", "!=": "≠", ">": ">", "<=": "≤" };

let work = null;
let columns = [];
let editing = null; // {rule, clause, literal}: where the form is open; clause or literal may be new
let changed = () => {};
let look = () => {};

/** `onChange(rules, focus)` gets edited rules, `onLook(filter)` a wish to see the rows of a clause. */
export function listenForEdits(onChange, onLook) {
  changed = onChange;
  look = onLook;
}

export function drawRule(newWork, tableColumns, focus = null) {
  work = newWork;
  columns = tableColumns;
  editing = null;
  draw(focus);
}

function draw(focus) {
  find("rule-title").textContent = `Rule for ${work.target}`;
  const otherwise = make(
    "p",
    { className: "outcome otherwise" },
    keyword(work.rules.length > 1 ? "otherwise" : "else"),
    `${work.target} = `,
    make("b", {}, work.default.text),
  );
  find("rules").replaceChildren(
    ...work.rules.map(drawClassRule),
    ...(work.rules.length === 1 ? [] : [otherwise]),
    ...(work.conflicts ? [make("p", { className: "hint" }, sentence(work.conflicts))] : []),
  );
  refocus(focus);
}

const sentence = (words) => `${words[0].toUpperCase()}${words.slice(1)}.`;

const keyword = (word) => make("span", { className: "keyword" }, word);

function drawClassRule(rule, r) {
  const clauses = rule.clauses.map((clause, c) => drawClause(rule, clause, r, c));
  const fresh = editing && editing.rule === r && editing.clause === rule.clauses.length;
  if (fresh)
    clauses.push(make("li", { className: "clause" }, keyword(clauses.length ? "or" : "if"), form(null)));
  const outcome = make(
    "p",
    { className: "outcome" },
    keyword("then"),
    `${work.target} = `,
    make("b", {}, rule.text),
  );
  if (work.rules.length === 1) outcome.append(keyword("else"), make("b", {}, work.default.text));
  const add = make(
    "button",
    {
      type: "button",
      className: "quiet add-clause",
      "data-focus": `add-clause-${r}`,
      "aria-label": `Add a clause for ${rule.text}`,
      onclick: () => open(r, rule.clauses.length, null),
    },
    clauses.length ? "+ or another clause" : "+ a clause",
  );
  if (!clauses.length && work.rules.length > 1) {
    return make(
      "div",
      { className: "class-rule bare" },
      make("p", {}, `${work.target} = `, make("b", {}, rule.text), " has no clause of its own"),
      add,
    );
  }
  return make(
    "div",
    { className: "class-rule" },
    clauses.length
      ? make("ol", { className: "clauses" }, ...clauses)
      : make("p", { className: "nothing" }, NO_RULE),
    fresh ? null : add,
    outcome,
  );
}

function drawClause(rule, clause, r, c) {
  const here = editing && editing.rule === r && editing.clause === c;
  const texts = clause.literals.map(({ text }) => text);
  const name = clause.counts
    ? `at least ${clause.at_least} of ${texts.join(", ")}`
    : texts.join(" and ") || "always";
  const chips = clause.literals.map((literal, l) => {
    const part = here && editing.literal === l ? form(literal) : chip(literal, r, c, l);
    if (clause.counts || !l) return part;
    return make("span", { className: "joined" }, make("span", { className: "and" }, "and"), part);
  });
  return make(
    "li",
    { className: "clause", "aria-label": name },
    keyword(c ? "or" : "if"),
    make(
      "div",
      { className: "conditions" },
      clause.counts ? neededField(clause, r, c) : null,
      ...(clause.literals.length
        ? chips
        : [make("span", { className: "chip" }, make("span", { className: "chip-text" }, "always"))]),
      here && editing.literal === null
        ? form(null, clause)
        : make(
            "button",
            {
              type: "button",
              className: "chip add",
              "data-focus": `add-${r}-${c}`,
              "aria-label": `Add a condition to: ${name}`,
              onclick: () => open(r, c, null),
            },
            clause.counts ? "+ condition" : "+ and",
          ),
      make(
        "span",
        { className: "clause-tools" },
        !clause.counts && clause.literals.length > 1 ? countButton(name, r, c) : null,
        work.rules.length === 1 && clause.literals.length ? keepButton(rule, name, r, c) : null,
      ),
    ),
    strength(clause, r, c),
    make(
      "button",
      {
        type: "button",
        className: "icon",
        "data-focus": `delete-${r}-${c}`,
        "aria-label": `Delete the clause: ${name}`,
        title: "Delete the clause",
        onclick: () => deleteClause(r, c),
      },
      "×",
    ),
  );
}

/** How many conditions of a counting clause must hold, as a number to change. */
function neededField(clause, r, c) {
  const most = clause.literals.length;
  const field = make("input", {
    type: "number",
    min: 1,
    max: most,
    value: clause.at_least,
    inputMode: "numeric",
    "data-focus": `needed-${r}-${c}`,
    "aria-label": `How many of these ${most} conditions must hold`,
    onchange: () => {
      const asked = Math.round(Number(field.value)) || clause.at_least;
      need(r, c, Math.min(most, Math.max(1, asked)));
    },
  });
  return make("label", { className: "needed" }, "at least", field, `of these ${most}`);
}

function countButton(name, r, c) {
  return make(
    "button",
    {
      type: "button",
      className: "quiet let-count",
      "data-focus": `count-${r}-${c}`,
      "aria-label": `Let fewer than all be enough: ${name}`,
      title: "Count: at least k of these conditions are enough, not all of them",
      onclick: () => need(r, c, work.rules[r].clauses[c].literals.length - 1),
    },
    "≥ k",
  );
}

/** A button that keeps a clause whatever else is looked for. */
function keepButton(rule, name, r, c) {
  const clause = plainRules()[r].clauses[c];
  const pressed = isKept(clause);
  return make(
    "button",
    {
      type: "button",
      className: "quiet keep",
      "data-focus": `keep-${r}-${c}`,
      "aria-pressed": String(pressed),
      "aria-label": `Keep the clause: ${name}`,
      title: "Keep this clause: the next search builds the rule around it",
      onclick: () => {
        toggleKept(rule, clause);
        draw(`keep-${r}-${c}`);
      },
    },
    pressed ? "kept" : "keep",
  );
}

function chip(literal, r, c, l) {
  const words =
    literal.kind === "boolean"
      ? [literal.op === "=" ? "" : "not ", literal.name]
      : [literal.name, make("i", {}, ` ${SIGNS[literal.op]} `), make("b", {}, literal.shown)];
  return make(
    "span",
    { className: "chip" },
    make(
      "button",
      {
        type: "button",
        className: "chip-text",
        "data-focus": `literal-${r}-${c}-${l}`,
        "aria-label": `Change ${literal.text}`,
        onclick: () => open(r, c, l),
      },
      ...words,
    ),
    make(
      "button",
      {
        type: "button",
        className: "chip-drop",
        "data-focus": `drop-${r}-${c}-${l}`,
        "aria-label": `Drop ${literal.text}`,
        title: "Drop this condition",
        onclick: () => dropLiteral(r, c, l),
      },
      "×",
    ),
  );
}

function strength(clause, r, c) {
  const bar = make("span", { className: "meter-bar" });
  bar.style.width = `${Math.round((clause.precision ?? 0) * 100)}%`;
  return make(
    "div",
    { className: "strength" },
    make("span", { className: "meter", "aria-hidden": "true" }, bar),
    make("span", { className: "precision" }, percent(clause.precision)),
    make(
      "button",
      {
        type: "button",
        className: "link",
        "data-focus": `rows-${r}-${c}`,
        title: "Show these rows",
        onclick: () => look(`clause:${r}:${c}`),
      },
      `${count(clause.covers)} of ${count(work.rows)} rows`,
    ),
  );
}

function form(literal, clause = { literals: [] }) {
  const { rule, clause: c, literal: l } = editing;
  const isNew = c === work.rules[rule].clauses.length;
  const back = l !== null ? `literal-${rule}-${c}-${l}` : isNew ? `add-clause-${rule}` : `add-${rule}-${c}`;
  const used = new Set(clause.literals.map(({ column }) => column));
  return conditionForm(columns, literal, used, (condition) => {
    if (condition === null) {
      editing = null;
      draw(back);
    } else put(condition, rule, c, l);
  });
}

function open(rule, clause, literal) {
  editing = { rule, clause, literal };
  draw(null);
  document.querySelector(".condition select").focus();
}

/** The rules as the server reads them. */
export function plainRules(from = work) {
  return from.rules.map(({ clauses }) => ({
    clauses: clauses.map(({ literals, counts, at_least: needed }) => ({
      literals: literals.map(({ column, op, value }) => ({ column, op, value })),
      at_least: counts ? needed : null, // null is all of them, however many there will be
    })),
  }));
}

function need(r, c, needed) {
  const rules = plainRules();
  const clause = rules[r].clauses[c];
  const all = needed === clause.literals.length;
  clause.at_least = all ? null : needed;
  changed(rules, all ? `count-${r}-${c}` : `needed-${r}-${c}`);
}

function put(condition, r, c, l) {
  const rules = plainRules();
  const clauses = rules[r].clauses;
  if (c === clauses.length) clauses.push({ literals: [condition], at_least: null });
  else if (l === null) clauses[c].literals.push(condition);
  else clauses[c].literals[l] = condition;
  changed(rules, `add-${r}-${c}`);
}

function dropLiteral(r, c, l) {
  const rules = plainRules();
  const clause = rules[r].clauses[c];
  const { literals } = clause;
  literals.splice(l, 1);
  if (clause.at_least >= literals.length) clause.at_least = null;
  if (literals.length) changed(rules, l < literals.length ? `drop-${r}-${c}-${l}` : `add-${r}-${c}`);
  else deleteClause(r, c); // a clause without conditions would always hold
}

function deleteClause(r, c) {
  const rules = plainRules();
  rules[r].clauses.splice(c, 1);
  const left = rules[r].clauses.length;
  changed(rules, left ? `delete-${r}-${Math.min(c, left - 1)}` : `add-clause-${r}`);
}
