// How well the rule does: on the rows of the table at once, on new rows after cross-validation.

import * as api from "./api.js";
import { announce, count, find, make, measureCell, percent, show } from "./dom.js";
import { inWords } from "./waiting.js";

let before = null;
let estimating = null;
let underWay = Promise.resolve();
const NOTHING = { text: "–", note: "", method: "", share: null, diagnostics: [], cost: null, warning: "" };
let estimate = NOTHING;

const SHARES = new Set(["accuracy", "precision", "coverage", "recall", "always"]); // others are no shares
const LESS_IS_BETTER = new Set(["cost", "error"]);
const DIGITS = { concordance: 3 }; // two of others

const ofRows = ({ rows }, all) => `${count(rows)} of ${count(all)} rows`;

/** What each score is called, and the note on it; `all` are the rows of the table. */
const WORDS = {
  accuracy: (score, all) => ["Accuracy", ofRows(score, all)],
  precision: ({ about }) => ["Precision", about === null ? "of the rows with a clause" : `of the rows called ${about}`],
  coverage: (score, all) => ["Coverage", ofRows(score, all)],
  recall: ({ about }) => ["Sensitivity", `of the rows that are ${about}`],
  always: ({ about }) => [`Always ${about}`, "of the rows"],
  cost: ({ measure, about, always }) => [`Mean ${measure}`, `a row (always ${about}: ${always.toFixed(2)})`],
  r2: ({ value }) => ["R²", `${percent(Math.max(value, 0))} of the variance of these rows`],
  error: ({ always }) => ["Mean error", `a row (always the median: ${always})`],
  concordance: () => ["Concordance", "of pairs, the earlier event has the higher risk (chance: 0.5)"],
};

/** The title, the figure and the note of a score. */
function inFull(name, score, all) {
  const [title, note] = WORDS[name](score, all);
  const text = SHARES.has(name) ? percent(score.value) : (score.text ?? score.value.toFixed(DIGITS[name] ?? 2));
  return { title, text, note };
}

/** The first scores of a rule in words. */
export const firstScores = ({ scores, rows }, most) =>
  Object.entries(scores)
    .slice(0, most)
    .map(([name, score]) => inFull(name, score, rows))
    .map(({ title, text }) => `${title} ${text}`)
    .join(", ");

/** Draw the scores of a rule; those of the rule first found are what edits are compared with. */
export function drawScores(work) {
  if (!work.edited) before = work.scores;
  const seen = Object.entries(work.scores).map(([name, score]) => stat(name, score, work.rows));
  const lone = estimate.diagnostics.length === 1 ? estimate.diagnostics[0] : null;
  const measures = Object.entries(lone?.measures ?? {}).filter(([name]) => name !== "balanced accuracy"); // of two that are there
  const fresh = [estimateStat(work.edited), ...measures.map(measureStat)];
  show(find("scores"));
  find("scores").replaceChildren(
    strip("On new rows", estimate.method, fresh, lone ? atPrevalence(lone) : ""),
    strip("On these rows", "", seen, ""),
  );
  show(find("doubt"), Boolean(estimate.warning) && !work.edited);
  find("doubt-text").textContent = estimate.warning ? `${estimate.warning[0].toUpperCase()}${estimate.warning.slice(1)}.` : "";
  drawDiagnostics(work);
}

/** A line of measures about the same rows. */
function strip(title, method, stats, hint) {
  const heading = make("p", { className: "strip-title" }, title, " ", make("small", {}, method));
  return make("div", { className: "strip", title: hint }, heading, make("div", { className: "stats" }, ...stats));
}

/** A measure of the class asked about, on new rows, with its interval. */
function measureStat([name, { value, interval }]) {
  const note = value === null ? "" : `${(100 * interval.low).toFixed(0)} to ${(100 * interval.high).toFixed(0)}`;
  const title = name[0].toUpperCase() + name.slice(1);
  return tile(`new-${name}`, title, null, percent(value), make("p", { className: "stat-note" }, note));
}

function atPrevalence({ label, prevalence, assumed }) {
  return assumed
    ? `PPV and NPV where ${label} has a share of ${percent(prevalence)}.`
    : "PPV and NPV hold where the class is as frequent as in this table (Limits has a field for another share).";
}

/** Of several classes, draw sensitivity and other measures on new rows, one row for each that is described. */
function drawDiagnostics(work) {
  const { diagnostics } = estimate;
  show(find("diagnostics"), diagnostics.length > 1);
  if (diagnostics.length < 2) return;
  const names = Object.keys(diagnostics[0].measures);
  drawTable([work.target, ...names], diagnostics.map(({ label, measures }) => [label, ...Object.entries(measures).map(titledCell)]));
  find("diagnostics-note").textContent =
    `Cross-validated, with 95 % intervals${work.edited ? "; of the rule found" : ""}. ${atPrevalence(diagnostics[0])}`;
}

/** A measure that brings its title along: where room is short, rows become lists without a head above them. */
function titledCell([name, measure]) {
  const cell = measureCell(measure);
  cell.dataset.title = name;
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

function stat(name, score, all) {
  const { title, text, note } = inFull(name, score, all);
  const fresh = name === "cost" && estimate.cost ? `; on new rows ${estimate.cost}` : "";
  const changed = difference(score.value, before?.[name]?.value, SHARES.has(name), LESS_IS_BETTER.has(name));
  return tile(name, title, changed, text, make("p", { className: "stat-note", title: note }, note + fresh));
}

const tile = (name, title, changed, text, below) =>
  make(
    "div",
    { className: "stat", "data-stat": name },
    make("p", { className: "stat-title" }, title, " ", changed),
    make("div", { className: "stat-figures" }, make("p", { className: "stat-value" }, text), below),
  );

/** How a score differs from that of the rule found: shares in points, others as they are. */
function difference(now, then, isShare, less) {
  if (now === null || then === null || then === undefined) return null;
  const more = isShare ? (now - then) * 100 : now - then;
  if (Math.abs(more) < (isShare ? 0.05 : 0.005)) return null;
  const text = `${more > 0 ? "+" : "−"}${Math.abs(more).toFixed(isShare ? 1 : 2)}`;
  const better = more > 0 !== less;
  return make("span", { className: better ? "difference up" : "difference down", title: "against the rule found" }, text);
}

function estimateStat(edited) {
  const title = estimate.measure ? estimate.measure[0].toUpperCase() + estimate.measure.slice(1) : "Estimate";
  if (estimate.share === null) {
    const note = edited && estimate.note ? "of the rule found" : estimate.note;
    return tile("new", title, null, estimate.text, make("p", { className: "stat-note" }, note));
  }
  const done = String(Math.round(estimate.share * 100));
  const bar = make("div", { className: "bar" });
  bar.style.width = `${done}%`;
  const progress = {
    className: "stat-progress",
    role: "progressbar",
    "aria-label": "Estimating how good the rule is on new rows",
    "aria-valuenow": done,
    "aria-valuemin": "0",
    "aria-valuemax": "100",
  };
  return tile("new", title, null, estimate.text, make("div", progress, bar));
}

/** Cross-validate in the background, after what is looked for `first`; `draw` is called after each step. */
export function estimateOnNewRows(first, draw) {
  stopEstimating();
  underWay = estimateNow(first, draw);
}

/** Wait for the estimate that is being made, if one is: a report needs the same folds. */
export const estimateMade = () => underWay;

async function estimateNow(first, draw) {
  const mine = new AbortController();
  estimating = mine;
  const update = (next) => {
    if (estimating !== mine) return;
    estimate = next;
    draw();
  };
  update({ ...NOTHING, text: "…", share: 0 });
  await first;
  if (estimating !== mine) return;
  try {
    await api.validate((line) => {
      if (line.problem) update({ ...NOTHING, note: line.problem });
      else if (line.before !== undefined) update({ ...NOTHING, text: "…", note: inWords(line.before).toLowerCase() });
      else if (line.of) update({ ...NOTHING, text: "…", share: line.done / line.of });
      else {
        const found = { ...NOTHING, ...line, ...figures(line) };
        update(found);
        announce(`On new rows the ${line.measure} is about ${found.text}.`);
      }
    }, mine.signal);
  } catch (problem) {
    if (problem.name !== "AbortError") update({ ...NOTHING, note: "no estimate" });
  } finally {
    if (estimating === mine) estimating = null;
  }
}

/** How an estimate reads, with its standard error. */
function figures({ measure, value, error, off }) {
  if (measure === "accuracy") return { text: percent(value), note: `± ${(100 * error).toFixed(1)}` };
  const text = value.toFixed(DIGITS[measure] ?? 2);
  return { text, note: `± ${error.toFixed(2)}${off ? `, off by ${off} a row` : ""}` };
}

export function stopEstimating() {
  if (estimating) estimating.abort();
  estimating = null;
  estimate = NOTHING;
}
