// How well the rule does: on the rows of the table at once, on new rows after cross-validation.

import * as api from "./api.js";
import { announce, count, find, make, measureCell, percent, show } from "./dom.js";
import { inWords } from "./waiting.js";

let before = null;
let estimating = null;
let underWay = Promise.resolve();
const NOTHING = { text: "–", note: "", share: null, diagnostics: [], cost: null };
let estimate = NOTHING;

/** Draw the scores of a rule; those of the rule first found are what edits are compared with. */
export function drawScores(work) {
  if (!work.edited) before = work.scores;
  const { scores, rows, rules } = work;
  const only = rules.length === 1 ? rules[0].text : null;
  show(find("scores"));
  find("scores").replaceChildren(
    stat(
      "accuracy",
      "Accuracy",
      scores,
      `${count(scores.right)} of ${count(rows)} rows (commonest class: ${percent(scores.base)})`,
    ),
    estimateStat(work.edited),
    stat("precision", "Precision", scores, only ? `of the rows called ${only}` : "of the rows with a clause"),
    stat("coverage", "Coverage", scores, `${count(scores.covered)} of ${count(rows)} rows`),
    ...(scores.recall === null ? [] : [stat("recall", "Sensitivity", scores, `of the rows that are ${only}`)]),
    ...(scores.cost === null ? [] : [costStat(scores.cost)]),
  );
  drawDiagnostics(work);
}

/** Draw sensitivity and its kin on new rows, one row for each class that is told about. */
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

/** What a row costs on average: on these rows, and on new ones once that is known. */
function costStat({ mean, always, text }) {
  const fresh = estimate.cost ? `; on new rows ${costText(estimate.cost.mean)} ± ${costText(estimate.cost.error)}` : "";
  return make(
    "div",
    { className: "stat", "data-stat": "cost" },
    make("p", { className: "stat-title" }, "Mean cost ", costDifference(mean)),
    make("p", { className: "stat-value" }, costText(mean)),
    make("p", { className: "stat-note" }, `a row (always ${text}: ${costText(always)})${fresh}`),
  );
}

const costText = (cost) => cost.toFixed(2);

function costDifference(now) {
  const more = now - (before?.cost?.mean ?? now);
  if (Math.abs(more) < 0.005) return null;
  const text = `${more > 0 ? "+" : "−"}${costText(Math.abs(more))}`;
  return make("span", { className: more > 0 ? "difference down" : "difference up", title: "against the rule found" }, text);
}

function stat(name, title, scores, note) {
  return make(
    "div",
    { className: "stat", "data-stat": name },
    make("p", { className: "stat-title" }, title, " ", difference(scores[name], before?.[name])),
    make("p", { className: "stat-value" }, percent(scores[name])),
    make("p", { className: "stat-note" }, note),
  );
}

function difference(now, then) {
  if (now === null || then === null || then === undefined) return null;
  const points = (now - then) * 100;
  if (Math.abs(points) < 0.05) return null;
  const sign = points > 0 ? "+" : "−";
  return make(
    "span",
    { className: points > 0 ? "difference up" : "difference down", title: "against the rule found" },
    `${sign}${Math.abs(points).toFixed(1)}`,
  );
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
            "aria-label": "Estimating the accuracy on new rows",
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
        tell({
          text: percent(line.accuracy),
          note: `± ${(line.error * 100).toFixed(1)}, cross-validated`,
          share: null,
          diagnostics: line.diagnostics,
          cost: line.cost ?? null,
        });
        announce(`On new rows the accuracy is about ${percent(line.accuracy)}.`);
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
