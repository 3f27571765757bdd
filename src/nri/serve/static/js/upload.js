// A file comes in: by the button, by dropping it anywhere on the page, or as the example.

import * as api from "./api.js";
import { inLine, inWords } from "./waiting.js";
import { announce, complain, find, show, stopComplaining } from "./dom.js";

const MOST_BYTES = 50 * 1024 * 1024;

let begin = () => {};
let last = null; // {file, choice}: what was sent last, in case the server loses it

/** Call `use` with the server's description of each table that comes in. */
export function listenForFiles(use) {
  begin = use;
  const input = find("file");
  input.addEventListener("change", () => {
    if (input.files.length) send(input.files[0]);
    input.value = "";
  });
  find("example").addEventListener("click", sendExample);
  listenForDrops();
}

function listenForDrops() {
  const drop = find("drop");
  let inside = 0;
  const mark = (change) => {
    inside = Math.max(0, inside + change);
    drop.classList.toggle("over", inside > 0);
  };
  // A file that misses the frame must not replace the page, so the whole window takes it.
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("dragenter", () => mark(1));
  window.addEventListener("dragleave", () => mark(-1));
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    mark(-inside);
    const files = event.dataTransfer.files;
    if (files.length > 1) complain("Those are several files; drop one table at a time.");
    else if (files.length) send(files[0]);
  });
}

async function sendExample() {
  const response = await fetch("/static/visits.csv");
  await send(new File([await response.blob()], "visits.csv"), { target: "flu" });
}

/** Begin with the file that was named when the server was started, if there is one. */
export async function sendInitialFile() {
  const initial = await api.initialFile();
  if (initial !== null) await send(initial.file, { target: initial.target });
}

/** Show the sheets of a workbook to choose from; another choice sends the file anew. */
function offerSheets(file, table) {
  const { workbook } = table;
  show(find("workbook"), workbook !== null);
  if (workbook === null) return;
  const sheet = find("sheet");
  const header = find("header-row");
  sheet.replaceChildren(...workbook.sheets.map((name) => new Option(name, name)));
  sheet.value = workbook.sheet;
  header.value = workbook.header;
  sheet.onchange = () => send(file, { sheet: sheet.value });
  header.onchange = () => send(file, { sheet: sheet.value, header: header.value });
}

/** The name of the file that can be sent again, null if there is none. */
export const lastName = () => last?.file.name ?? null;

/** Send the last file again, e.g. after the server was started anew; `use` gets its description. */
export const sendAgain = (use) => send(last.file, last.choice, use);

async function send(file, choice = {}, use = begin) {
  stopComplaining();
  if (file.size > MOST_BYTES) {
    complain(
      `${file.name} is larger than 50 MB, the most this page takes; drop a part of its rows or columns, or start nri serve with its name, which takes some of its rows.`,
    );
    return;
  }
  const bar = find("upload-bar");
  const showStatus = (text) => {
    find("upload-text").textContent = text;
    announce(text);
  };
  show(find("upload-progress"));
  showStatus(`Reading ${file.name} …`);
  try {
    const progress = (share) => {
      bar.style.width = `${Math.round(share * 100)}%`;
      bar.classList.toggle("endless", share === 1);
    };
    const table = await inLine(
      (ticket) => api.upload(file, ticket, progress, choice),
      (before) => showStatus(before === null ? `Reading ${file.name} …` : `${inWords(before)} …`),
    );
    last = { file, choice };
    use(table, choice.target ?? null);
    offerSheets(file, table); // after the form was reset
  } catch (problem) {
    complain(problem.message);
  } finally {
    show(find("upload-progress"), false);
    bar.style.width = "0";
    bar.classList.remove("endless");
  }
}
