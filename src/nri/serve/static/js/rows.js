// The rows of the table, what the rule predicts for each, and why.

import * as api from "./api.js";
import { announce, complain, count, find, hidden, make, show } from "./dom.js";

const NAMES = {
  all: "All",
  right: "Right",
  wrong: "Wrong",
  false_alarm: "Wrongly covered",
  missed: "Missed",
}; // those that a rule has are offered
const MARKS = { holds: "✓", fails: "✗", unknown: "?" };
const SAYS = { holds: "holds", fails: "does not hold", unknown: "is unknown" };

let work = null;
let filter = "all";
let offset = 0;
let page = null;
let explained = null;
let asked = 0;

/** Draw the rows anew after the rule has changed. */
export async function drawRows(newWork) {
  work = newWork;
  if (!(filter in work.filters)) filter = "all";
  offset = 0;
  drawFilters();
  await load();
  if (explained !== null) await explain(explained, false);
}

/** Show the rows of a filter, and go there. */
export async function lookAt(name) {
  filter = name;
  offset = 0;
  drawFilters();
  await load();
  find("rows-card").scrollIntoView({ block: "start", behavior: "smooth" });
  find("rows-scroll").focus({ preventScroll: true });
}

export function closeRows() {
  filter = "all";
  close(false);
}

function drawFilters() {
  const names = Object.keys(work.filters).filter((name) => name in NAMES || (!work.classes.length && name !== "covered"));
  if (!names.includes(filter)) names.push(filter);
  find("filters").replaceChildren(
    ...names.map((name) =>
      make(
        "button",
        {
          type: "button",
          className: "pill",
          "aria-pressed": String(name === filter),
          "data-filter": name,
          onclick: () => choose(name),
        },
        `${NAMES[name] ?? branchName(name)} `,
        make("span", { className: "pill-count" }, count(work.filters[name])),
      ),
    ),
  );
}

function branchName(name) {
  const place = Number(name.split(":")[1]);
  if (place === work.lines.length - 1) return "Else";
  return `${work.is_dnf ? "Clause" : "Branch"} ${place + 1}`;
}

async function choose(name) {
  filter = name;
  offset = 0;
  drawFilters();
  document.querySelector(`[data-filter="${CSS.escape(name)}"]`).focus();
  await load();
  announce(`${page.total} rows`);
}

async function load() {
  const mine = ++asked;
  try {
    const loaded = await api.rows(filter, offset);
    if (mine !== asked) return;
    page = loaded;
  } catch (problem) {
    complain(problem.message);
    return;
  }
  drawTable();
  drawPager();
}

function drawTable() {
  const heads = page.columns.map((name, i) =>
    make("th", { scope: "col", className: i < page.read ? "read" : "", title: name }, name),
  );
  find("rows-head").replaceChildren(
    make(
      "tr",
      {},
      make("th", { scope: "col" }, "Row"),
      make("th", { scope: "col" }, work.title),
      make("th", { scope: "col" }, "Predicted"),
      ...heads,
    ),
  );
  find("rows-list").replaceChildren(...page.rows.map(drawRow));
  if (!page.rows.length) {
    find("rows-list").append(
      make("tr", {}, make("td", { className: "nothing", colSpan: 3 + page.columns.length }, "No such rows.")),
    );
  }
  roving(find("rows-list").querySelector("button"));
}

function drawRow(row) {
  const cells = row.cells.map((cell, i) =>
    make(
      "td",
      { className: `${i < page.read ? "read" : ""} ${cell === null ? "missing" : ""}`, title: cell ?? "" },
      cell ?? "–",
    ),
  );
  return make(
    "tr",
    {
      className: row.right === false ? "wrong" : "",
      "aria-current": String(row.row === explained),
      "data-row": String(row.row),
      onclick: () => explain(row.row, true),
    },
    make(
      "td",
      {},
      make(
        "button",
        {
          type: "button",
          className: "row-button",
          tabIndex: -1,
          "aria-label": `Row ${row.number}: why?`,
          onkeydown: moveByKey,
        },
        String(row.number),
      ),
    ),
    make("td", {}, row.actual),
    make(
      "td",
      { className: "says" },
      ...(row.right === null ? [row.predicted] : marked(row)),
    ),
    ...cells,
  );
}

const marked = ({ right, predicted }) => [
  make("span", { className: right ? "mark right" : "mark wrong", "aria-hidden": "true" }, right ? "✓" : "✗"),
  predicted,
  hidden(right ? " (right)" : " (wrong)"),
];

/** Of all rows one can be reached by Tab; arrows go on from there. */
function roving(button) {
  for (const other of find("rows-list").querySelectorAll(".row-button")) other.tabIndex = -1;
  if (button) button.tabIndex = 0;
}

function moveByKey(event) {
  const buttons = [...find("rows-list").querySelectorAll(".row-button")];
  const at = buttons.indexOf(event.currentTarget);
  const goal = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (goal === undefined || !buttons[goal]) return;
  event.preventDefault();
  roving(buttons[goal]);
  buttons[goal].focus();
}

function drawPager() {
  const last = Math.min(page.total, page.offset + page.page);
  const go = (to) => async () => {
    offset = to;
    await load();
    find("rows-scroll").scrollTop = 0;
    announce(`Rows ${page.offset + 1} to ${Math.min(page.total, page.offset + page.page)} of ${page.total}`);
  };
  find("pager").replaceChildren(
    ...(page.total > page.page
      ? [
          make(
            "button",
            {
              type: "button",
              className: "quiet",
              disabled: page.offset === 0,
              onclick: go(page.offset - page.page),
            },
            "‹ Previous",
          ),
          make("span", {}, `${page.offset + 1}–${last} of ${count(page.total)}`),
          make(
            "button",
            {
              type: "button",
              className: "quiet",
              disabled: last >= page.total,
              onclick: go(page.offset + page.page),
            },
            "Next ›",
          ),
        ]
      : []),
  );
}

async function explain(row, focus) {
  let explanation;
  try {
    explanation = await api.explain(row);
  } catch (problem) {
    complain(problem.message);
    return;
  }
  explained = row;
  for (const line of find("rows-list").children)
    line.setAttribute("aria-current", String(line.dataset.row === String(row)));
  roving(
    document.querySelector(`[data-row="${row}"] .row-button`) ?? find("rows-list").querySelector("button"),
  );
  find("why").replaceChildren(...drawWhy(explanation));
  show(find("why"));
  find("rows-body").classList.add("with-why");
  if (focus) find("why").focus({ preventScroll: true });
}

function drawWhy(explanation) {
  const clauses = explanation.fired.length ? explanation.fired : explanation.nearest;
  const part = work.is_dnf ? "clause" : "branch";
  const first = explanation.fired.length
    ? explanation.fired.length === 1
      ? `because this ${part} holds`
      : `because the first of these ${part === "clause" ? "clauses" : "branches"} holds`
    : clauses.length
      ? clauses.length === 1
        ? `since no ${part} holds. The nearest one:`
        : work.classes.length
          ? `since no ${part} holds. The nearest ones:`
          : "since none of the branches holds:"
      : `since there is no ${part}.`;
  const passed = explanation.fired.length ? explanation.nearest : []; // a number's branches that were tried before
  return [
    make(
      "div",
      { className: "card-head" },
      make("h3", { id: "why-title" }, `Row ${explanation.number}`),
      explanation.right === null
        ? null
        : make("span", { className: explanation.right ? "badge right" : "badge wrong" }, explanation.right ? "right" : "wrong"),
      make("span", { className: "spacer" }),
      make(
        "button",
        {
          type: "button",
          className: "icon",
          "aria-label": "Close the explanation",
          onclick: () => close(true),
        },
        "×",
      ),
    ),
    make("p", {}, "The rule predicts ", make("b", {}, explanation.predicted), " ", first),
    ...clauses.flatMap(drawClause),
    ...(passed.length ? [make("p", {}, "The branches before it do not hold:"), ...passed.flatMap(drawClause)] : []),
    make("p", { className: "hint" }, `In the table: ${work.title}${work.kind === "survival" ? ":" : " ="} ${explanation.actual}.`),
  ];
}

const drawClause = ({ literals, tally }) => [
  make("ul", { className: "checked" }, ...literals.map(drawChecked)),
  ...(tally ? [make("p", { className: "tally" }, `${tally}.`)] : []),
];

function drawChecked({ text, state, cell }) {
  const note =
    state === "holds"
      ? null
      : make("span", { className: "met" }, cell === null ? "the cell is empty" : `it is ${cell}`);
  return make(
    "li",
    { className: state },
    make("span", { className: "state", "aria-hidden": "true" }, MARKS[state]),
    make("span", {}, text, hidden(` ${SAYS[state]}`), note),
  );
}

export function close(focus) {
  const row = explained;
  explained = null;
  show(find("why"), false);
  find("rows-body").classList.remove("with-why");
  for (const line of find("rows-list").children) line.setAttribute("aria-current", "false");
  if (focus) document.querySelector(`[data-row="${row}"] .row-button`)?.focus();
}
