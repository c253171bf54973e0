/** Notes: what happened while somebody was on this page and asks for nothing, said once and shown until it is closed. */

import { copyOfTemplate, element, find, setShown, setText } from "./dom.js";

/**
 * @param {string} words
 * @param {{ href?: string, onClosed?: () => void }} [more] `href`: where to read it
 */
export function showNote(words, { href = "", onClosed = () => undefined } = {}) {
  setText(document, "#notice-said", words);
  const note = copyOfTemplate("note-template");
  if (note === null) return;
  setText(note, ".note-text", words);
  setShown(note, ".note-link", href !== "");
  const link = find(note, ".note-link", HTMLAnchorElement);
  if (link !== null && href !== "") link.href = href;
  const close = () => {
    note.remove();
    onClosed();
  };
  link?.addEventListener("click", close);
  element(note, ".note-close")?.addEventListener("click", close);
  element(document, "#notes")?.append(note);
}
