// The small form in which a condition is added or changed.

import { make } from "./dom.js";

const OPERATORS = {
  text: [
    ["=", "is"],
    ["!=", "is not"],
  ],
  number: [
    [">", "> greater than"],
    ["<=", "≤ at most"],
    ["=", "= equal to"],
    ["!=", "≠ not equal to"],
  ],
  date: [
    [">", "after"],
    ["<=", "until"],
  ],
  boolean: [
    ["=", "holds"],
    ["!=", "does not hold"],
  ],
};

/**
 * Make the form.
 * `columns` are the table's, `literal` is what it begins with (or null), `used` names columns that the clause has
 * already; `done` is called with the new condition, or with null if there is to be none.
 */
export function conditionForm(columns, literal, used, done) {
  const column = make(
    "select",
    { "aria-label": "Column" },
    ...columns.map(({ name }) => make("option", { value: name }, name)),
  );
  const operator = make("select", { "aria-label": "Comparison" });
  const place = make("span", { className: "condition-value" });
  let value = null;

  const choose = (start) => {
    const chosen = columns.find(({ name }) => name === column.value);
    operator.replaceChildren(
      ...OPERATORS[chosen.kind].map(([op, text]) => make("option", { value: op }, text)),
    );
    value = valueField(chosen, start);
    place.replaceChildren(...(value ? [value, ...listFor(value, chosen)] : []));
  };
  const fresh = columns.find(({ name, left_out: why }) => !used.has(name) && why === null) ?? columns[0];
  column.value = literal ? literal.column : fresh.name;
  choose(literal);
  if (literal) operator.value = literal.op;
  column.addEventListener("change", () => choose(null));

  return make(
    "form",
    {
      className: "condition",
      onsubmit: (event) => {
        event.preventDefault();
        done({ column: column.value, op: operator.value, value: value ? value.value : true });
      },
      onkeydown: (event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          done(null);
        }
      },
    },
    column,
    operator,
    place,
    make("button", { type: "submit", className: "primary small" }, literal ? "Change" : "Add"),
    make("button", { type: "button", className: "quiet", onclick: () => done(null) }, "Cancel"),
  );
}

/** The field for a value: a list of categories, a number, a date; nothing for yes/no columns. */
function valueField(column, literal) {
  if (column.kind === "boolean") return null;
  const start = literal ? literal.value : (column.middle ?? column.values[0] ?? "");
  if (column.kind === "text" && column.distinct <= column.values.length) {
    const field = make(
      "select",
      { "aria-label": "Value" },
      ...column.values.map((text) => make("option", { value: text }, text)),
    );
    field.value = String(start);
    return field;
  }
  const field = make("input", { "aria-label": "Value", required: true });
  if (column.kind === "date") {
    field.type = "date";
    field.value = String(start).slice(0, 10);
  } else {
    field.value = String(start);
    if (column.kind === "number") {
      field.inputMode = "decimal";
      field.title = `from ${column.low} to ${column.high}`;
    }
  }
  return field;
}

function listFor(field, column) {
  if (field.tagName !== "INPUT" || column.kind !== "text") return [];
  field.setAttribute("list", "condition-values");
  return [
    make("datalist", { id: "condition-values" }, ...column.values.map((value) => make("option", { value }))),
  ];
}
