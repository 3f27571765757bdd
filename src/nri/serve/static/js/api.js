// Calls to the server that serves this page. There is no other one.

export class Problem extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
  /** Whether the server no longer has the table. */
  get forgotten() {
    return this.status === 410 || this.status === 403; // 403: started anew, with another key
  }
}

const GONE = "The server does not answer; was nri serve ended? Start it again, open the URL that it prints, then go on here: the table can be sent again.";

let session = ""; // names the table of this tab

async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { "X-NRI": "1", "X-Session": session, ...options.headers } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(GONE, 0);
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function problemOf(response) {
  let message = `The server answered ${response.status}; reload the page.`;
  try {
    message = (await response.json()).error ?? message;
  } catch {
    // not JSON: the plain message stays
  }
  return new Problem(message, response.status);
}

const get = async (path, query) => (await call(`${path}?${new URLSearchParams(query)}`)).json();

const post = async (path, data, ticket = "") =>
  (
    await call(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Ticket": ticket },
      body: JSON.stringify(data),
    })
  ).json();

export const target = (column) => get("/api/target", { column });
export const place = async (ticket) => (await get("/api/place", { ticket })).before;
export const induce = (question, ticket) => post("/api/induce", question, ticket);
export const edit = (rule) => post("/api/edit", rule);
export const rows = (filter, offset) => get("/api/rows", { filter, offset });
export const explain = (row) => get("/api/explain", { row });
export const remove = () => call("/api/table", { method: "DELETE" });

/** Send a file; `progress` is called with the share that has gone out. Of a workbook a sheet may be chosen. */
export function upload(file, ticket, progress, { sheet = "", header = "" } = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/api/table");
    request.setRequestHeader("X-NRI", "1");
    request.setRequestHeader("X-Session", session);
    request.setRequestHeader("X-Ticket", ticket);
    request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
    request.setRequestHeader("X-Sheet", encodeURIComponent(sheet));
    request.setRequestHeader("X-Header-Row", header);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => progress(event.lengthComputable ? event.loaded / event.total : 0);
    request.onerror = () => reject(new Problem(GONE, 0));
    request.onload = () => {
      let answer = {};
      try {
        answer = JSON.parse(request.responseText);
      } catch {
        // shown below
      }
      if (request.status === 200) {
        session = answer.session;
        resolve(answer);
      } else reject(new Problem(answer.error ?? `The server answered ${request.status}.`, request.status));
    };
    request.send(file);
  });
}

/** Ask for an estimate on new rows; `onLine` is called with each line. */
export const validate = (onLine, signal) => lines("/api/validate", onLine, signal);

/** Ask for other rules that are nearly as good; `onLine` is called with each line. */
export const alternatives = (onLine, signal) => lines("/api/alternatives", onLine, signal);

/** Ask for a report; `onLine` is called with each line, the last of which has the file. */
export const report = (onLine) => lines("/api/report", onLine);

async function lines(path, onLine, signal) {
  const response = await call(path, { method: "POST", signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    lines.filter(Boolean).forEach((line) => onLine(JSON.parse(line)));
  }
}

/** Fetch the file that was named when the server was started, and its target; null if there was none. */
export async function initialFile() {
  const response = await call("/api/initial");
  if (response.status === 204) return null;
  const name = decodeURIComponent(response.headers.get("X-File-Name"));
  const target = decodeURIComponent(response.headers.get("X-Target")) || null;
  return { file: new File([await response.blob()], name), target };
}

/** Fetch a file to be kept: its name and content. */
export async function download(kind, options = {}) {
  const response = await call(`/api/download/${kind}?${new URLSearchParams(options)}`);
  const name = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "");
  return { name: name ? name[1] : `rule.${kind}`, content: await response.blob() };
}
