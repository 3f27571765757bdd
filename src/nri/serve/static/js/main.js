// What happens when: a table comes in, a question is asked, a rule is edited, something is taken along.

import * as api from "./api.js";
import { announce, complain, count, find, make, show, stopComplaining } from "./dom.js";
import { drawGroups } from "./groups.js";
import { History } from "./history.js";
import { drawPrice } from "./knowledge.js";
import { leaveOut, limitColumns, listenForQuestions, noteAskedClass, question, listGroupsOf, useTable } from "./question.js";
import { close as closeWhy, closeRows, drawRows, lookAt } from "./rows.js";
import { drawRule, listenForEdits, ruleOf } from "./rule.js";
import { drawScores, estimateMade, estimateOnNewRows, firstScores, stopEstimating } from "./scores.js";
import { listenForChoices, lookForOthers, markRule, stopLooking, isListed } from "./shelf.js";
import { lastName, listenForFiles, sendAgain, sendInitialFile } from "./upload.js";
import { inLine, inWords } from "./waiting.js";

const history = new History();
let table = null;
let work = null;
let found = null; // the rule as last induced
let busy = false;
let again = false;
let lastEdit = null; // what a person did to the rule, counted so that a search sees whether it came later
let edits = 0;
let unsaid = null; // an edit that the server could not take, since it had lost the table

function begin(newTable, target) {
  table = newTable;
  work = unsaid = null;
  stopEstimating();
  stopLooking();
  closeRows();
  show(find("landing"), false);
  show(find("bench"));
  for (const id of ["scores", "diagnostics", "groups", "rule-card", "rows-card", "left-out", "working"]) show(find(id), false);
  show(find("remove"));
  find("table-title").textContent = table.name;
  find("table-size").textContent = ` · ${count(table.rows)} rows · ${table.columns.length} columns`;
  show(find("table-name"));
  find("notes-list").replaceChildren(...table.notes.map((note) => make("li", {}, note)));
  find("notes-count").textContent = table.notes.length === 1 ? "1 note on the file" : `${table.notes.length} notes on the file`;
  find("notes").open = table.notes.length === 1;
  show(find("notes"), table.notes.length > 0);
  find("main").focus();
  announce(`${table.name} read: ${table.rows} rows, ${table.columns.length} columns.`);
  useTable(table, target);
}

function leave() {
  table = work = null;
  stopEstimating();
  stopLooking();
  show(find("bench"), false);
  show(find("remove"), false);
  show(find("table-name"), false);
  show(find("landing"));
  find("file").focus();
}

/** Say what went wrong. A table that the server no longer has can be sent again; the rule stays in view until then. */
function fail(problem) {
  const lost = problem.forgotten && table !== null && lastName() !== null;
  complain(problem.message, lost ? { text: `Send ${lastName()} again`, act: resume } : null);
  if (problem.forgotten && !lost) leave();
}

/** Send the table again, ask the same question, and put edits made by hand on top. */
async function resume() {
  const mine = unsaid ?? (work?.edited ? ruleOf(work) : null);
  unsaid = null;
  stopComplaining();
  await sendAgain(async (again) => {
    table = again;
    await induce(question());
    if (mine !== null && work !== null) await edit(mine);
    announce(`${table.name} was sent again.`);
  });
}

/** Induce for the present question. While one induction runs, only the latest question waits for it. */
async function induce(asked, problem) {
  if (problem) return fail(problem);
  if (asked === null) return hideWork();
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  stopComplaining();
  stopEstimating();
  stopLooking();
  const waiting = startWaiting();
  try {
    const mine = table;
    const before = edits;
    const answer = await inLine((ticket) => api.induce(asked, ticket), waiting.showPlace);
    if (mine !== table) return;
    const sameQuestion = work && JSON.stringify(about(work)) === JSON.stringify(about(answer));
    found = ruleOf(answer);
    if (sameQuestion) history.push(found);
    else {
      history.reset(found);
      closeRows(); // rows are numbered anew for another target
    }
    if (edits !== before && sameQuestion) return await keepEdit();
    if (edits !== before) complain("The rule was edited while another one was looked for; that edit was about the last question.");
    use(answer);
    announce(`Rule found. ${firstScores(answer, 1)} on these rows.`);
    lookFurther();
  } catch (error) {
    fail(error);
  } finally {
    waiting.end();
    busy = false;
    if (again) {
      again = false;
      if (table) induce(question());
    }
  }
}

/** Put an edit that was made during a search on top of what the search found: a person's work is not thrown away. */
async function keepEdit() {
  history.push(lastEdit);
  use(await api.edit(lastEdit));
  announce("Another rule was found; the edited one stays. Undo shows the one found.");
  lookFurther();
}

/** Once a rule is in view, look for others that are nearly as good, and estimate what to expect of new rows. */
function lookFurther() {
  if (!again) estimateOnNewRows(lookForOthers(), () => work && drawScores(work));
}

/** What a rule is about: branches of another target, or of other classes, cannot take its place. */
const about = ({ target, kind, classes, lines }) => [target, kind, classes, lines.at(-1).label];

/** Show that something is going on; returns functions that show the place in line and end it. */
function startWaiting() {
  const began = performance.now();
  let what = "Looking for a rule";
  const draw = () => {
    const seconds = Math.floor((performance.now() - began) / 1000);
    find("working-text").textContent = seconds ? `${what} … ${seconds} s` : `${what} …`;
  };
  draw();
  show(find("working"));
  find("work").setAttribute("aria-busy", "true");
  const timer = setInterval(draw, 500);
  return {
    showPlace(before) {
      what = before === null ? "Looking for a rule" : inWords(before);
      draw();
    },
    end() {
      clearInterval(timer);
      show(find("working"), false);
      find("work").setAttribute("aria-busy", "false");
    },
  };
}

function hideWork() {
  work = null;
  stopEstimating();
  stopLooking();
  for (const id of ["scores", "diagnostics", "groups", "rule-card", "rows-card", "left-out"]) show(find(id), false);
}

function use(answer, focus = null) {
  work = answer;
  const features = table.columns.filter(({ name }) => work.columns.includes(name));
  drawScores(work);
  drawRule(work, features, focus);
  drawRows(work);
  drawGroups(work, features);
  drawPrice(work.price);
  if (work.is_dnf && work.lines.length > 1) noteAskedClass(work.lines[0].label.label);
  show(find("rule-card"));
  show(find("rows-card"));
  markRule(work);
  find("edited").textContent = isListed() ? "chosen from the list" : "edited";
  show(find("edited"), work.edited);
  find("undo").disabled = !history.canUndo;
  find("redo").disabled = !history.canRedo;
  find("restore").disabled = !work.edited;
  show(find("leaking"), work.leaking !== null);
  if (work.leaking !== null) {
    find("leaking-text").textContent = `${work.leaking.text}. Is it the answer in other words, or known only afterwards? Then the estimate on new rows is too good.`;
  }
  const sampled =
    work.searched < work.rows
      ? `Of a long table about ${count(work.searched)} different rows are searched for clauses; all ${count(work.rows)} choose among them and are counted. What to expect of new rows is tried on ${count(work.tried)}. `
      : "";
  const left = work.left_out.map(({ column, reason }) => `${column} ${reason}`).join("; ");
  find("left-out").textContent = sampled + (left ? `Columns left out: ${left}.` : "");
  show(find("left-out"), Boolean(sampled || left));
}

async function edit(rule, focus = null, remember = true) {
  edits += 1;
  lastEdit = rule;
  stopComplaining();
  try {
    const answer = await api.edit(rule);
    if (remember) history.push(rule);
    use(answer, focus);
    announce(`${firstScores(answer, 3)}.`);
  } catch (error) {
    if (error.forgotten || !error.status) unsaid = rule;
    fail(error);
  }
}

async function takeAlong(button, kind) {
  const title = button.textContent;
  if (kind === "csv" && table.workbook) kind = "xlsx"; // a workbook goes back as a workbook
  button.disabled = true;
  announce(`Preparing ${button.tagName === "BUTTON" ? title : kind} …`);
  try {
    const options = kind === "sql" ? { dialect: find("dialect").value } : {};
    const { name, content } = kind === "report" ? await writeReport(button) : await api.download(kind, options);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(content);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    announce(`${name} downloaded.`);
  } catch (error) {
    fail(error);
  } finally {
    button.disabled = false;
    if (button.tagName === "BUTTON") button.textContent = title;
    button.focus();
  }
}

/** Have the report written, and show on the button how far it is. */
async function writeReport(button) {
  button.textContent = "Report: estimating …";
  await estimateMade(); // the report takes its folds over
  let made = null;
  await api.report((line) => {
    if (line.problem) throw new api.Problem(line.problem, 0);
    if (line.before !== undefined) button.textContent = `Report: ${inWords(line.before).toLowerCase()}`;
    else if (line.of) button.textContent = `Report … ${Math.round((100 * line.done) / line.of)} %`;
    else made = { name: line.name, content: new Blob([line.content], { type: "text/html" }) };
  });
  return made;
}

const undo = () => history.canUndo && edit(history.undo(), null, false);
const redo = () => history.canRedo && edit(history.redo(), null, false);

function listen() {
  listenForFiles(begin);
  listenForQuestions(induce);
  listenForEdits(edit, lookAt);
  listenForChoices(edit, limitColumns);
  find("undo").addEventListener("click", undo);
  find("redo").addEventListener("click", redo);
  find("restore").addEventListener("click", () => edit(found));
  find("leave-out").addEventListener("click", () => leaveOut(work.leaking.column));
  find("protect").addEventListener("change", (event) => event.target.value && listGroupsOf(event.target.value));
  find("alert-close").addEventListener("click", stopComplaining);
  find("remove").addEventListener("click", async () => {
    await api.remove().catch(fail);
    leave();
    announce("The table is removed.");
  });
  for (const button of document.querySelectorAll("[data-download]")) {
    button.addEventListener("click", () => takeAlong(button, button.dataset.download));
  }
  find("other-format").addEventListener("change", ({ target }) => {
    const form = target.value;
    target.value = "";
    if (form) takeAlong(target, form);
  });
  document.addEventListener("keydown", byKey);
  sendInitialFile().catch(fail);
}

function byKey(event) {
  if (event.key === "Escape" && !find("why").hidden) closeWhy(true);
  const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
  if (!work || typing || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
  event.preventDefault();
  if (event.shiftKey) redo();
  else undo();
}

listen();
