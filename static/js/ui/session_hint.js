/**
 * Each page that opens leaves in the browser whom it was made for: a hint to older pages that it is worth asking whose
 * session it is now. What counts is what the server says.
 */

import { keep, readString, recall } from "./storage.js";

const KEY = "fathom/opened-by";

export function leaveHint() {
  keep(KEY, { user: document.body.dataset["user"] ?? "", at: Date.now() });
}

/** @param {(userId: number | null) => void} listener told of each page that is opened in another tab; null: by nobody */
export function onHint(listener) {
  addEventListener("storage", ({ key }) => {
    if (key === KEY) listener(recall(KEY, readUser));
  });
}

/** @param {any} kept @returns {number | null} */
export function readUser(kept) {
  return Number(readString(kept?.user)) || null;
}
