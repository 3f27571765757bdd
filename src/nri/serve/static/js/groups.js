// The rule on groups: how often it fires, and how good it is, on each group of a column.

import { count, find, make, measureCell, show } from "./dom.js";

const TITLES = {
  classes: ["a branch fires on", "right on"],
  number: ["a branch fires on", "mean prediction", "mean"],
  survival: ["a branch fires on", "mean predicted risk", "risk"],
};

/** Draw the groups of every column that is shown, and offer the others. */
export function drawGroups(work, columns) {
  show(find("groups"));
  find("groups-list").replaceChildren(...work.groups.map((groups) => groupTable(groups, TITLES[work.kind])));
  find("groups-hint").textContent = work.groups.length
    ? "Counted on these rows. Columns of the rule that look protected by law are always listed."
    : "No column of the rule looks protected by law. Choose one to see how often the rule fires, and how good it is, on each of its groups.";
  const shown = new Set(work.groups.map(({ column }) => column));
  const others = columns.map(({ name }) => name).filter((name) => !shown.has(name));
  find("protect").replaceChildren(
    new Option("by another column …", ""),
    ...others.map((name) => new Option(name, name)),
  );
}

/** A measure, or a mean as it is written; null where there is none. */
const cell = (one) => (one?.interval ? measureCell(one) : make("td", {}, one ?? "–"));

function groupTable({ column, used, groups }, titles) {
  const head = [column, "rows", ...titles].map((text) => make("th", { scope: "col" }, text));
  const rows = groups.map(({ name, rows: size, measures }) =>
    make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, count(size)), ...measures.map(cell)),
  );
  return make(
    "div",
    { className: "scroll", "data-groups": column, role: "region", "aria-label": `Groups of ${column}`, tabIndex: 0 },
    make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)),
    used ? null : make("p", { className: "hint" }, "The rule does not read this column; another one may stand for it."),
  );
}
