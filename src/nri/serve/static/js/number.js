// A number as target: segments in the order in which they are tried, each with its value.

import { find, make, percent, show } from "./dom.js";

const SIGNS = { "=": "=", "!=": "≠", ">": ">", "<=": "≤" };

function words({ kind, op, name, shown }) {
  if (kind === "boolean") return `${op === "=" ? "" : "not "}${name}`;
  return `${name} ${SIGNS[op]} ${shown}`;
}

function segment({ literals, value, interval, usual, covers }, index, all) {
  const rest = index === all.length - 1;
  const opening = rest ? (index ? "else" : "always") : index ? "else if" : "if";
  const chips = rest
    ? [make("span", { className: "any" }, "any other row")]
    : literals.map((literal) => make("span", { className: "chip chip-text" }, words(literal)));
  return make(
    "li",
    { className: "clause segment" },
    make("span", { className: "keyword" }, opening),
    make("div", { className: "conditions" }, ...chips),
    make(
      "div",
      { className: "strength", title: `mean between ${interval}; four fifths of its rows: ${usual}` },
      make("b", {}, value),
      make("span", { className: "between-values" }, ` (${interval})`),
      make("span", {}, ` ${covers} rows`),
    ),
  );
}

/** Show the segments; a rule for a number is not edited by hand, and has no rows to be right or wrong on. */
export function drawSegments(answer) {
  find("rule-title").textContent = `Rule for ${answer.target}`;
  const parts = answer.segments.map(segment);
  const note = `The first segment that fires says the value, with the 95 % interval of its mean. It explains ${percent(Math.max(answer.explained, 0))} of the variance of these rows; the report tells how near it comes on new ones.`;
  find("rules").replaceChildren(
    make("ol", { className: "clauses" }, ...parts),
    make("p", { className: "hint" }, note),
  );
  show(find("rule-card"));
  for (const id of ["scores", "rows-card", "edited", "groups", "diagnostics", "alone"]) show(find(id), false);
  show(find("tools"), false);
  const left = answer.left_out.map(({ column, reason }) => `${column} ${reason}`).join("; ");
  find("left-out").textContent = left ? `Columns left out: ${left}.` : "";
  show(find("left-out"), Boolean(left));
}
