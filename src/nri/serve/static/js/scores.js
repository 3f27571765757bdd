// How well the rule does: on the rows of the table at once, on new rows after cross-validation.

import * as api from "./api.js";
import { announce, count, find, make, percent, show } from "./dom.js";

let before = null;
let estimating = null;
let estimate = { text: "–", note: "", share: null };

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
    ...(scores.recall === null ? [] : [stat("recall", "Found", scores, `of the rows that are ${only}`)]),
  );
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

/** Cross-validate in the background; `draw` is called after each step. */
export async function estimateOnNewRows(draw) {
  stopEstimating();
  const mine = new AbortController();
  estimating = mine;
  const tell = (next) => {
    if (estimating !== mine) return;
    estimate = next;
    draw();
  };
  tell({ text: "…", note: "", share: 0 });
  try {
    await api.validate((line) => {
      if (line.problem) tell({ text: "–", note: line.problem, share: null });
      else if (line.of) tell({ text: "…", note: "", share: line.done / line.of });
      else {
        tell({
          text: percent(line.accuracy),
          note: `± ${(line.error * 100).toFixed(1)}, cross-validated`,
          share: null,
        });
        announce(`On new rows the accuracy is about ${percent(line.accuracy)}.`);
      }
    }, mine.signal);
  } catch (problem) {
    if (problem.name !== "AbortError") tell({ text: "–", note: "no estimate", share: null });
  }
}

export function stopEstimating() {
  if (estimating) estimating.abort();
  estimating = null;
  estimate = { text: "–", note: "", share: null };
}
