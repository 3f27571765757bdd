// Waiting in line: a server that is busy says how many come before.

import * as api from "./api.js";

const FIRST_LOOK = 700; // most answers are there before
const NEXT_LOOK = 1000;

/** Make a call that may have to wait: `call` gets a ticket, `onPlace` the number before it, or null once it is its turn. */
export async function inLine(call, onPlace) {
  const ticket = crypto.randomUUID();
  let timer = null;
  let over = false;
  const look = async () => {
    const before = await api.place(ticket).catch(() => null);
    if (over) return;
    onPlace(before);
    timer = setTimeout(look, NEXT_LOOK);
  };
  timer = setTimeout(look, FIRST_LOOK);
  try {
    return await call(ticket);
  } finally {
    over = true;
    clearTimeout(timer);
  }
}

/** How a place in line reads. */
export const inWords = (before) => `Busy, ${before} before you`;
