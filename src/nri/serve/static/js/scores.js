// How well the rule does: on the rows of the table at once, on new rows after cross-validation.

import * as api from "./api.js";
import { announce, find, make, measureCell, percent, show } from "./dom.js";
import { inWords } from "./waiting.js";

let before = null;
let estimating = null;
let underWay = Promise.resolve();
const NOTHING = { text: "–", note: "", share: null, diagnostics: [], cost: null, warning: "" };
let estimate = NOTHING;

/** Draw the scores of a rule; those of the rule first found are what edits are compared with. */
export function drawScores(work) {
  if (!work.edited) before = work.scores;
  const [first, ...others] = Object.entries(work.scores).map(([name, score]) => stat(name, score));
  show(find("scores"));
  find("scores").replaceChildren(first, estimateStat(work.edited), ...others);
  show(find("doubt"), Boolean(estimate.warning) && !work.edited);
  find("doubt-text").textContent = estimate.warning ? `${estimate.warning[0].toUpperCase()}${estimate.warning.slice(1)}.` : "";
  drawDiagnostics(work);
}

/** Draw sensitivity and other measures on new rows, one row for each class that is described. */
function drawDiagnostics(work) {
  const { diagnostics } = estimate;
  show(find("diagnostics"), diagnostics.length > 0);
  if (!diagnostics.length) return;
  const [first] = diagnostics;
  const names = first.measures.map(({ name }) => name);
  if (diagnostics.length === 1) {
    drawTable([work.target, first.label], names.map((name, i) => [name, measureCell(first.measures[i])]));
  } else {
    drawTable([work.target, ...names], diagnostics.map(({ label, measures }) => [label, ...measures.map(titledCell)]));
  }
  const share = percent(first.prevalence);
  const at = first.assumed
    ? `PPV and NPV where ${first.label} has a share of ${share}.`
    : "PPV and NPV hold where the class is as frequent as in this table (Limits has a field for another share).";
  find("diagnostics-note").textContent =
    `Cross-validated, with 95 % intervals${work.edited ? "; of the rule found" : ""}. ${at}`;
}

/** A measure that brings its title along: where room is short, rows become lists without a head above them. */
function titledCell(measure) {
  const cell = measureCell(measure);
  cell.dataset.title = measure.name;
  cell.setAttribute("role", "cell");
  return cell;
}

function drawTable(head, rows) {
  const cells = (row) =>
    make("tr", { role: "row" }, make("th", { scope: "row", role: "rowheader" }, row[0]), ...row.slice(1));
  find("diagnostics").classList.toggle("several", head.length > 2);
  find("diagnostics-head").replaceChildren(
    make("tr", { role: "row" }, ...head.map((text) => make("th", { scope: "col" }, text))),
  );
  find("diagnostics-body").replaceChildren(...rows.map(cells));
}

function stat(name, { title, value, text, note, is_share: isShare, less_is_better: less }) {
  const fresh = name === "cost" && estimate.cost ? `; on new rows ${estimate.cost}` : "";
  return make(
    "div",
    { className: "stat", "data-stat": name },
    make("p", { className: "stat-title" }, title, " ", difference(value, before?.[name]?.value, isShare, less)),
    make("p", { className: "stat-value" }, text),
    make("p", { className: "stat-note" }, note + fresh),
  );
}

/** How a score differs from that of the rule found: shares in points, others as they are. */
function difference(now, then, isShare, less) {
  if (now === null || then === null || then === undefined) return null;
  const more = isShare ? (now - then) * 100 : now - then;
  if (Math.abs(more) < (isShare ? 0.05 : 0.005)) return null;
  const text = `${more > 0 ? "+" : "−"}${Math.abs(more).toFixed(isShare ? 1 : 2)}`;
  const better = more > 0 !== Boolean(less);
  return make("span", { className: better ? "difference up" : "difference down", title: "against the rule found" }, text);
}

function estimateStat(edited) {
  const bar = make("div", { className: "bar" });
  if (estimate.share !== null) bar.style.width = `${Math.round(estimate.share * 100)}%`;
  return make(
    "div",
    { className: "stat", "data-stat": "new" },
    make("p", { className: "stat-title" }, "On new rows"),
    make("p", { className: "stat-value" }, estimate.text),
    estimate.share === null
      ? make(
          "p",
          { className: "stat-note" },
          edited && estimate.note ? "estimate for the rule found" : estimate.note,
        )
      : make(
          "div",
          {
            className: "stat-progress",
            role: "progressbar",
            "aria-label": "Estimating how good the rule is on new rows",
            "aria-valuenow": String(Math.round(estimate.share * 100)),
            "aria-valuemin": "0",
            "aria-valuemax": "100",
          },
          bar,
        ),
  );
}

/** Cross-validate in the background; `draw` is called after each step. Return when it is done or stopped. */
export function estimateOnNewRows(draw) {
  stopEstimating();
  underWay = estimateNow(draw);
}

/** Wait for the estimate that is being made, if one is: a report needs the same folds. */
export const estimateMade = () => underWay;

async function estimateNow(draw) {
  const mine = new AbortController();
  estimating = mine;
  const tell = (next) => {
    if (estimating !== mine) return;
    estimate = next;
    draw();
  };
  tell({ ...NOTHING, text: "…", share: 0 });
  try {
    await api.validate((line) => {
      if (line.problem) tell({ ...NOTHING, note: line.problem });
      else if (line.before !== undefined) tell({ ...NOTHING, text: "…", note: inWords(line.before).toLowerCase() });
      else if (line.of) tell({ ...NOTHING, text: "…", share: line.done / line.of });
      else {
        tell({ ...NOTHING, ...line, cost: line.cost ?? null, warning: line.warning ?? "" });
        announce(`On new rows the ${line.measure ?? "accuracy"} is about ${line.text}.`);
      }
    }, mine.signal);
  } catch (problem) {
    if (problem.name !== "AbortError") tell({ ...NOTHING, note: "no estimate" });
  } finally {
    if (estimating === mine) estimating = null;
  }
}

export function stopEstimating() {
  if (estimating) estimating.abort();
  estimating = null;
  estimate = NOTHING;
}
