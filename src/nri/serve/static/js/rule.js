// The rule line by line: conditions that can be dropped, changed and added, branches that can be deleted, moved or kept.

import { conditionForm } from "./condition.js";
import { count, find, make, percent, refocus } from "./dom.js";
import { isKept, toggleKept } from "./knowledge.js";

const NO_RULE =
  "No rule beats one answer for all rows here. Allow more, choose another column, or write a clause by hand.";
const SIGNS = { "=": "=", "!=": "≠", ">": ">", "<=": "≤" };

let work = null;
let columns = [];
let editing = null; // {branch, literal}: where the form is open; either may be new
let changed = () => {};
let look = () => {};

/** `onChange(rule, focus)` gets an edited rule, `onLook(filter)` a wish to see the rows of a branch. */
export function listenForEdits(onChange, onLook) {
  changed = (branches, focus) => onChange({ ...ruleOf(work), branches }, focus);
  look = onLook;
}

export function drawRule(newWork, tableColumns, focus = null) {
  work = newWork;
  columns = tableColumns;
  editing = null;
  draw(focus);
}

const branches = () => work.lines.slice(0, -1);
/** The place of the cell that stands in a hint: the probability of a class, the range of most numbers. */
const aside = () => (work.kind === "survival" ? -1 : 2);
const shown = (cells) => cells.filter((_, i) => i !== aside());
const titles = () => (work.classes.length ? ["prediction", "share", "rows"] : shown(work.titles));
const otherwise = () => work.lines.at(-1);

function draw(focus) {
  find("rule-title").textContent = `Rule for ${work.title}`;
  const lines = branches().map(drawBranch);
  if (editing?.branch === lines.length) lines.push(freshBranch());
  const add = editing?.branch === branches().length ? [] : [addButton()];
  const list = make("ol", { className: work.is_dnf ? "lines" : "lines ordered" });
  list.style.setProperty("--cells", work.is_dnf ? 2 : titles().length);
  if (work.is_dnf) {
    list.append(...lines);
    find("rules").replaceChildren(
      ...(lines.length ? [list] : [make("p", { className: "nothing" }, NO_RULE)]),
      ...add,
      outcome(),
    );
  } else {
    const adding = add.map((button) => make("li", { className: "line adding" }, make("span"), button));
    list.append(heading(), ...lines, ...adding, elseLine());
    const note = work.note ? [make("p", { className: "hint" }, `${work.note[0].toUpperCase()}${work.note.slice(1)}.`)] : [];
    find("rules").replaceChildren(list, ...note);
  }
  refocus(focus);
}

const keyword = (word) => make("span", { className: "keyword" }, word);

/** THEN one class ELSE the other, with what is known of the rows of the ELSE. */
function outcome() {
  const then = branches()[0]?.label ?? addedClass();
  return make(
    "p",
    { className: "outcome" },
    keyword("then"),
    `${work.target} = `,
    make("b", {}, then.text),
    keyword("else"),
    make("b", {}, otherwise().label.text),
    make("span", { className: "soft" }, `${percent(otherwise().share)} of`),
    rowsLink(branches().length, `${count(otherwise().rows)} rows`),
  );
}

/** The titles of the cells, above them. */
function heading() {
  const cells = titles().map((title) => make("span", { className: "cell" }, title));
  return make("li", { className: "line titles", "aria-hidden": "true" }, make("span"), make("span"), ...cells, make("span"));
}

function elseLine() {
  const index = branches().length;
  return make(
    "li",
    { className: "line otherwise" },
    keyword(otherwise().opening),
    make("span", { className: "any" }, index ? "any other row" : "every row"),
    ...cells(otherwise(), index),
    make("span"),
  );
}

/** The class that a new branch is about: of two the one that ELSE does not predict, of several one without a branch. */
function addedClass() {
  const described = new Set(branches().map(({ label }) => label.label));
  const others = work.classes.filter(({ label }) => label !== otherwise().label.label);
  return others.find(({ label }) => !described.has(label)) ?? others[0];
}

function addButton() {
  const about = work.is_dnf ? (branches()[0]?.label ?? addedClass()).text : null;
  return make(
    "button",
    {
      type: "button",
      className: "quiet add-clause",
      "data-focus": "add-branch",
      "aria-label": about === null ? "Add a branch" : `Add a clause for ${about}`,
      onclick: () => open(branches().length, null),
    },
    work.is_dnf ? "+ a clause" : "+ a branch",
  );
}

/** A new branch begins with its first condition and, of several classes, with the one that it predicts. */
function freshBranch() {
  const opening = !branches().length ? "if" : work.is_dnf ? "or" : "else if";
  if (work.is_dnf || !work.classes.length) return make("li", { className: "line clause" }, keyword(opening), form(null));
  const select = make(
    "select",
    { id: "new-class", "aria-label": "Class that the branch predicts" },
    ...work.classes.map(({ text }, index) => make("option", { value: String(index) }, text)),
  );
  select.value = String(work.classes.indexOf(addedClass()));
  const predicts = make("label", { className: "needed" }, `then ${work.target} =`, select);
  return make("li", { className: "line clause" }, keyword(opening), make("div", { className: "conditions wide" }, predicts, form(null)));
}

function drawBranch(line, b) {
  const here = editing?.branch === b;
  const texts = line.literals.map(({ text }) => text);
  const name = line.counts ? `at least ${line.at_least} of ${texts.join(", ")}` : texts.join(" and ") || "always";
  const chips = line.literals.map((literal, l) => {
    const part = here && editing.literal === l ? form(literal) : chip(literal, b, l);
    if (line.counts || !l) return part;
    return make("span", { className: "joined" }, make("span", { className: "and" }, "and"), part);
  });
  return make(
    "li",
    { className: "line clause", "aria-label": name },
    keyword(line.opening),
    make(
      "div",
      { className: "conditions" },
      line.counts ? neededField(line, b) : null,
      ...(line.literals.length
        ? chips
        : [make("span", { className: "chip" }, make("span", { className: "chip-text" }, "always"))]),
      here && editing.literal === null ? form(null, line) : addCondition(line, name, b),
      make(
        "span",
        { className: "clause-tools" },
        !line.counts && line.literals.length > 1 ? countButton(name, b) : null,
        (work.is_dnf || !work.classes.length) && line.literals.length ? keepButton(line, name, b) : null,
      ),
    ),
    ...cells(line, b),
    make("span", { className: "branch-tools" }, work.is_dnf || !b ? null : upButton(name, b), deleteButton(name, b)),
  );
}

function addCondition(line, name, b) {
  return make(
    "button",
    {
      type: "button",
      className: "chip add",
      "data-focus": `add-${b}`,
      "aria-label": `Add a condition to: ${name}`,
      onclick: () => open(b, null),
    },
    line.counts ? "+ condition" : "+ and",
  );
}

function deleteButton(name, b) {
  return make(
    "button",
    {
      type: "button",
      className: "icon",
      "data-focus": `delete-${b}`,
      "aria-label": `Delete the ${work.is_dnf ? "clause" : "branch"}: ${name}`,
      title: `Delete the ${work.is_dnf ? "clause" : "branch"}`,
      onclick: () => deleteBranch(b),
    },
    "×",
  );
}

/** Branches are tried in their order, so that it matters which comes first. */
function upButton(name, b) {
  return make(
    "button",
    {
      type: "button",
      className: "icon",
      "data-focus": `up-${b}`,
      "aria-label": `Try before the branch above: ${name}`,
      title: "Try it before the branch above",
      onclick: () => {
        const next = plainBranches();
        [next[b - 1], next[b]] = [next[b], next[b - 1]];
        changed(next, b > 1 ? `up-${b - 1}` : `delete-${b - 1}`);
      },
    },
    "↑",
  );
}

/** How many conditions of a counting clause must hold, as a number to change. */
function neededField(line, b) {
  const most = line.literals.length;
  const field = make("input", {
    type: "number",
    min: 1,
    max: most,
    value: line.at_least,
    inputMode: "numeric",
    "data-focus": `needed-${b}`,
    "aria-label": `How many of these ${most} conditions must hold`,
    onchange: () => {
      const asked = Math.round(Number(field.value)) || line.at_least;
      need(b, Math.min(most, Math.max(1, asked)));
    },
  });
  return make("label", { className: "needed" }, "at least", field, `of these ${most}`);
}

function countButton(name, b) {
  return make(
    "button",
    {
      type: "button",
      className: "quiet let-count",
      "data-focus": `count-${b}`,
      "aria-label": `at least k are enough, not all: ${name}`,
      title: "Count: at least k of these conditions are enough, not all of them",
      onclick: () => need(b, work.lines[b].literals.length - 1),
    },
    "at least k",
  );
}

/** A button that keeps a branch whatever else is looked for. */
function keepButton(line, name, b) {
  const clause = plainBranches()[b];
  const pressed = isKept(clause);
  return make(
    "button",
    {
      type: "button",
      className: "quiet keep",
      "data-focus": `keep-${b}`,
      "aria-pressed": String(pressed),
      "aria-label": `Keep the ${work.is_dnf ? "clause" : "branch"}: ${name}`,
      title: `Keep this ${work.is_dnf ? "clause" : "branch"}: the next search builds the rule around it`,
      onclick: () => {
        toggleKept(line.label ?? { label: null, text: "" }, clause);
        draw(`keep-${b}`);
      },
    },
    pressed ? "kept" : "keep",
  );
}

function chip(literal, b, l) {
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
        "data-focus": `literal-${b}-${l}`,
        "aria-label": `Change ${literal.text}`,
        onclick: () => open(b, l),
      },
      ...words,
    ),
    make(
      "button",
      {
        type: "button",
        className: "chip-drop",
        "data-focus": `drop-${b}-${l}`,
        "aria-label": `Drop ${literal.text}`,
        title: "Drop this condition",
        onclick: () => dropLiteral(b, l),
      },
      "×",
    ),
  );
}

/** What is known of the rows that a line decides; the last cell leads to them. */
function cells(line, b) {
  const hint = aside() < 0 ? "" : `${work.titles[aside()]}: ${line.cells[aside()]}`;
  const cell = (title, className, ...parts) => make("span", { className: `cell ${className}`, "data-title": title, title: hint }, ...parts);
  if (work.classes.length) {
    const bar = make("span", { className: "meter-bar" });
    bar.style.width = `${Math.round((line.share ?? 0) * 100)}%`;
    const share = [
      make("span", { className: "meter", "aria-hidden": "true" }, bar),
      make("span", { className: "precision" }, percent(line.share)),
      ...(aside() < 0 ? [] : [make("small", { className: "soft" }, `about ${line.cells[aside()]} on new rows`)]),
    ];
    const rows = cell("", "rows", rowsLink(b, `${count(line.rows)} of ${count(work.rows)} rows`));
    const first = work.is_dnf ? [] : [cell("", "predicted", make("b", {}, line.label.text))];
    return [...first, cell("", "share", ...share), rows];
  }
  return shown(line.cells).map((text, i, { length }) => {
    if (i === length - 1) return cell("", "rows", rowsLink(b, `${text} rows`));
    return i ? cell(titles()[i], "", text) : cell("", "predicted", make("b", {}, text));
  });
}

function rowsLink(b, text) {
  return make(
    "button",
    {
      type: "button",
      className: "link",
      "data-focus": `rows-${b}`,
      title: "Show these rows",
      onclick: () => look(`branch:${b}`),
    },
    text,
  );
}

function form(literal, line = { literals: [] }) {
  const { branch: b, literal: l } = editing;
  const isNew = b === branches().length;
  const back = l !== null ? `literal-${b}-${l}` : isNew ? "add-branch" : `add-${b}`;
  const used = new Set(line.literals.map(({ column }) => column));
  return conditionForm(columns, literal, used, (condition) => {
    if (condition === null) {
      editing = null;
      draw(back);
    } else put(condition, b, l);
  });
}

function open(branch, literal) {
  editing = { branch, literal };
  draw(null);
  document.querySelector(".condition select").focus();
}

/** A rule as the server reads it: its branches, and what the ELSE predicts. */
export const ruleOf = (from) => ({ branches: plainBranches(from), otherwise: from.lines.at(-1).label?.label });

function plainBranches(from = work) {
  return from.lines.slice(0, -1).map(({ literals, counts, at_least: needed, label }) => ({
    literals: literals.map(({ column, op, value }) => ({ column, op, value })),
    at_least: counts ? needed : null, // null is all of them, however many there will be
    label: label?.label ?? null,
  }));
}

function need(b, needed) {
  const next = plainBranches();
  const all = needed === next[b].literals.length;
  next[b].at_least = all ? null : needed;
  changed(next, all ? `count-${b}` : `needed-${b}`);
}

function put(condition, b, l) {
  const next = plainBranches();
  if (b === next.length) {
    const chosen = find("new-class");
    const about = chosen ? work.classes[Number(chosen.value)] : (next[0] ?? (work.classes.length ? addedClass() : null));
    next.push({ literals: [condition], at_least: null, label: about?.label ?? null });
  } else if (l === null) next[b].literals.push(condition);
  else next[b].literals[l] = condition;
  changed(next, `add-${b}`);
}

function dropLiteral(b, l) {
  const next = plainBranches();
  const { literals } = next[b];
  literals.splice(l, 1);
  if (next[b].at_least >= literals.length) next[b].at_least = null;
  if (literals.length) changed(next, l < literals.length ? `drop-${b}-${l}` : `add-${b}`);
  else deleteBranch(b); // a clause without conditions would always hold
}

function deleteBranch(b) {
  const next = plainBranches();
  next.splice(b, 1);
  changed(next, next.length ? `delete-${Math.min(b, next.length - 1)}` : "add-branch");
}
