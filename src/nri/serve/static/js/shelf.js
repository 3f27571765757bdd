// Other rules that are nearly as good: a scatter of lines against score, a list, filters by column, the best of each size.

import * as api from "./api.js";
import { announce, count, draw, find, make, show } from "./dom.js";
import { ruleOf } from "./rule.js";
import * as waiting from "./waiting.js";

const WIDTH = 340;
const HEIGHT = 210;
const EDGES = { left: 46, right: 14, top: 14, bottom: 36 };
const NEXT = { allowed: "required", required: "excluded", excluded: "allowed" };

let shelf = null;
let looking = null; // aborts the search that is under way
let filters = new Map(); // "required" or "excluded", by column
let inView = ""; // the rule that the page shows
let take = () => {};
let limit = () => {};

/** `onTake(rule)` gets a rule to put in the place of the present one, `onLimit(filters)` columns to search anew with. */
export function listenForChoices(onTake, onLimit) {
  take = onTake;
  limit = onLimit;
  const size = find("shelf-size");
  size.addEventListener("input", () => preview(shelf.frontier[Number(size.value)]));
  size.addEventListener("change", () => choose(shelf.frontier[Number(size.value)]));
  find("shelf-limit").addEventListener("click", () => limit(filters));
}

/** Look for other rules in the background, once a rule is in view. */
export async function lookForOthers() {
  stopLooking();
  const mine = new AbortController();
  looking = mine;
  showStatus("Looking for other rules …");
  show(find("shelf"));
  try {
    await api.alternatives((line) => {
      if (looking !== mine) return;
      if (line.problem) showStatus(`${line.problem[0].toUpperCase()}${line.problem.slice(1)}.`);
      else if (line.before !== undefined) showStatus(`${waiting.inWords(line.before)} …`);
      else use(line);
    }, mine.signal);
  } catch (problem) {
    if (problem.name !== "AbortError") showStatus("No other rules: the server gave none.");
  } finally {
    if (looking === mine) looking = null;
  }
}

/** Forget the other rules: they were about another question. */
export function stopLooking() {
  looking?.abort();
  looking = shelf = null;
  show(find("shelf"), false);
}

function showStatus(text) {
  find("shelf-state").textContent = text;
  show(find("shelf-state"));
  for (const id of ["shelf-body", "shelf-worth"]) show(find(id), false);
  find("shelf-count").textContent = "";
}

function use(found) {
  shelf = found;
  filters = new Map();
  show(find("shelf-state"), false);
  show(find("shelf-body"));
  show(find("shelf-worth"), shelf.columns.length > 0);
  const size = find("shelf-size");
  size.max = String(Math.max(shelf.frontier.length - 1, 0));
  show(find("shelf-size-field"), shelf.frontier.length > 1);
  drawWorth();
  redraw();
  announce(`${shelf.listed - 1} other rules are nearly as good.`);
}

/** Mark the rule that the page shows. */
export function markRule(work) {
  inView = JSON.stringify(ruleOf(work));
  if (shelf) redraw();
}

/** Whether the rule in view is one of these. */
export const isListed = () => shelf?.rules.some(isInView) ?? false;

const isInView = (rule) => JSON.stringify(ruleOf(rule)) === inView;

const fits = ({ columns }) =>
  [...filters].every(([name, wish]) => columns.includes(name) === (wish === "required"));

/** The places of rules to list: all that the filters let through, else those to choose from. */
const listed = () =>
  shelf.rules.map((_, place) => place).filter((place) => (filters.size ? fits(shelf.rules[place]) : place < shelf.listed));

function redraw() {
  const places = listed();
  const here = shelf.rules.findIndex(isInView);
  const among = shelf.sampled ? `, by a sample of ${count(shelf.sampled)} rows` : "";
  find("shelf-count").textContent = (shelf.listed > 1 ? `${shelf.listed - 1} within ${percentPoints(shelf.within)}` : "none") + among;
  drawFilters();
  drawScatter(places);
  find("shelf-list").replaceChildren(...places.map(item));
  show(find("shelf-none"), places.length < 2);
  find("shelf-none").textContent = filters.size && !places.length ? "No rule of this list reads these columns." : shelf.listed < 2 ? "No other rule of the search is nearly as good." : "";
  show(find("shelf-limit"), filters.size > 0);
  const size = shelf.frontier.indexOf(here);
  if (size >= 0) find("shelf-size").value = String(size);
  preview(here >= 0 ? here : (places[0] ?? 0));
}

const percentPoints = (within) => (shelf.measure === "cost" ? `${within} a row` : `${+(within * 100).toFixed(1)} points`);

/** From where to where the score may differ from that of the best rule, in points but for costs; nothing of the best. */
function difference({ interval }) {
  const [scale, digits] = shelf.measure === "cost" ? [1, 3] : [100, 1];
  const ends = interval ? [interval.low, interval.high] : [];
  return ends.map((end) => (scale * end).toFixed(digits).replace("-", "−")).join(" to ");
}

const lines = (size) => (size === 1 ? "1 line" : `${size} lines`);

/** What sets a rule apart, with names of columns standing out in the place of their backticks. */
const inWords = ({ words }) =>
  `${words[0].toUpperCase()}${words.slice(1)}`.split("`").map((part, i) => (i % 2 ? make("b", {}, part) : part));

function choose(place) {
  preview(place);
  take(ruleOf(shelf.rules[place]));
}

/** What shows and takes a rule, the same for points and items. */
const handlers = (place) => ({
  onmouseenter: () => preview(place),
  onmouseleave: () => preview(Math.max(0, shelf.rules.findIndex(isInView))),
  onclick: () => choose(place),
});

function item(place) {
  const rule = shelf.rules[place];
  return make(
    "li",
    {},
    make(
      "button",
      {
        type: "button",
        className: "shelf-item",
        "data-place": String(place),
        "data-focus": `shelf-${place}`,
        "aria-current": isInView(rule) ? "true" : null,
        onfocus: () => preview(place),
        ...handlers(place),
      },
      make("span", { className: "shelf-words" }, ...inWords(rule)),
      make("span", { className: "shelf-figures" }, `${shelf.measure} ${rule.score.toFixed(3)} · ${lines(rule.size)}${rule.interval ? ` · difference ${difference(rule)}` : ""}`),
    ),
  );
}

function drawFilters() {
  const names = [...new Set(shelf.rules.slice(0, shelf.listed).flatMap(({ columns }) => columns))];
  find("shelf-filters").replaceChildren(
    ...names.map((name) => {
      const wish = filters.get(name) ?? "allowed";
      return make(
        "button",
        {
          type: "button",
          className: `pill ${wish}`,
          "data-focus": `filter-${name}`,
          title: `${name}: ${wish}; click for ${NEXT[wish]}`,
          "aria-label": `${name}: ${wish}`,
          onclick: () => {
            if (NEXT[wish] === "allowed") filters.delete(name);
            else filters.set(name, NEXT[wish]);
            redraw();
            document.querySelector(`[data-focus="filter-${CSS.escape(name)}"]`)?.focus();
          },
        },
        name,
        wish === "allowed" ? "" : make("small", {}, ` ${wish}`),
      );
    }),
  );
}

/** Show a rule in words, and mark it among the points. The frame only grows, so that nothing moves below the pointer. */
function preview(place) {
  const rule = shelf.rules[place];
  const lineOf = ({ opening, literals, counts, at_least: needed, cells: [cell] }, index) => {
    const last = index === rule.lines.length - 1;
    const texts = literals.map(({ text }) => text);
    const clause = counts ? `at least ${needed} of ${texts.join(", ")}` : texts.join(" and ") || "always";
    const then = rule.lines[index + 1]?.opening === "or" ? "" : ` → ${cell}`;
    return make("li", {}, make("span", { className: "keyword" }, last && !index ? "always" : opening), last ? cell : `${clause}${then}`);
  };
  const frame = find("shelf-preview");
  frame.replaceChildren(...rule.lines.map(lineOf));
  find("shelf-preview-words").replaceChildren(...inWords(rule));
  frame.parentElement.style.minHeight = `${frame.parentElement.offsetHeight}px`;
  const size = shelf.frontier.indexOf(place);
  if (size >= 0) {
    find("shelf-size").value = String(size);
    find("shelf-size-shown").textContent = `${lines(rule.size)}: ${shelf.measure} ${rule.score.toFixed(3)}`;
    find("shelf-size-shown").title = place === shelf.shortest ? "the shortest that is as good within a point and its error" : "";
  }
  for (const point of document.querySelectorAll("#shelf-scatter [data-place]")) {
    point.classList.toggle("shown", point.dataset.place === String(place));
  }
}

function drawScatter(places) {
  const shown = [...new Set([...places, ...shelf.frontier, 0])];
  const rules = shown.map((place) => shelf.rules[place]).filter(({ size }) => size > 0);
  show(find("shelf-scatter"), rules.length > 0);
  if (!rules.length) return;
  const scores = rules.map(({ score }) => score);
  const [least, most] = [Math.min(...scores), Math.max(...scores)];
  const room = Math.max((most - least) * 0.15, 0.002);
  const [low, high] = [least - room, most + room];
  const sizes = Math.max(...rules.map(({ size }) => size));
  const step = (WIDTH - EDGES.left - EDGES.right) / sizes;
  const x = (size) => EDGES.left + step * (size - 0.5);
  const y = (score) => EDGES.top + ((high - score) / (high - low)) * (HEIGHT - EDGES.top - EDGES.bottom);
  const text = (at, content, anchor = "middle") => draw("text", { ...at, "text-anchor": anchor }, content);
  const ticks = [least, (least + most) / 2, most].filter((tick, i, all) => i === 0 || tick - all[i - 1] > 0.0005);
  const frontier = shelf.frontier.map((place) => shelf.rules[place]).filter(({ size }) => size > 0);
  const beside = new Map(); // rules of one size stand beside each other, so that none hides another
  const points = shown
    .filter((place) => shelf.rules[place].size > 0)
    .map((place) => {
      const rule = shelf.rules[place];
      const onFrontier = shelf.frontier.includes(place);
      const turn = beside.get(rule.size) ?? 0;
      if (!onFrontier) beside.set(rule.size, turn + 1);
      const shift = onFrontier ? 0 : (turn % 2 ? 1 : -1) * Math.min(step * 0.4, 9 * (1 + Math.floor(turn / 2)));
      const kind = ["point", onFrontier ? "frontier" : "", isInView(rule) ? "current" : ""].join(" ").trim();
      return draw("circle", { cx: x(rule.size) + shift, cy: y(rule.score), r: 6, class: kind, "data-place": place, ...handlers(place) });
    });
  find("shelf-scatter").replaceChildren(
    draw(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${rules.length} rules by their lines and ${shelf.measure}; the list has them in words` },
      ...ticks.flatMap((tick) => [
        draw("line", { x1: EDGES.left, x2: WIDTH - EDGES.right, y1: y(tick), y2: y(tick), class: "grid" }),
        text({ x: EDGES.left - 8, y: y(tick) + 4 }, tick.toFixed(3), "end"),
      ]),
      ...Array.from({ length: sizes }, (_, i) => text({ x: x(i + 1), y: HEIGHT - EDGES.bottom + 17 }, String(i + 1))),
      text({ x: (EDGES.left + WIDTH - EDGES.right) / 2, y: HEIGHT - 3 }, `lines; upwards: ${shelf.measure} ${shelf.basis}`),
      draw("polyline", { points: frontier.map(({ size, score }) => `${x(size)},${y(score)}`).join(" "), class: "frontier" }),
      ...points,
    ),
  );
}

/** What each column of the best rule is worth: what the best rule without it loses, and what can take its place. */
function drawWorth() {
  const row = ({ column, without, stand_ins: others }) => {
    const rule = shelf.rules[without];
    const button = make("button", { type: "button", className: "link", onclick: () => choose(without) }, rule.words.split(", ").at(-1));
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, column),
      make("td", {}, button, " ", make("small", {}, difference(rule))),
      make("td", {}, others.join(", ") || "–"),
    );
  };
  find("shelf-columns").replaceChildren(...shelf.columns.map(row));
}
