/** Notes: what happened while somebody was on this page and asks for nothing, said once and shown until it is closed. */

import { copyOfTemplate, element, find, setShown, setText } from "./dom.js";
import { showServerHtml } from "./server_html.js";

/**
 * @typedef {object} More
 * @property {string} [href] where to read it
 * @property {string} [html] as the server rendered it: shown below the words, and said with them
 * @property {string} [kind] a newer note takes the place of an older one of its kind
 * @property {() => void} [onClosed]
 */

/** @param {string} words @param {More} [more] */
export function showNote(words, { href = "", html = "", kind = "", onClosed = () => undefined } = {}) {
  const note = copyOfTemplate("note-template");
  if (note === null) return setText(document, "#notice-said", words);
  if (kind !== "") document.querySelector(`#notes [data-kind="${kind}"]`)?.remove();
  note.dataset["kind"] = kind;
  setText(note, ".note-text", words);
  const body = element(note, ".note-body");
  if (body !== null) showServerHtml(body, html);
  setShown(note, ".note-body", html !== "");
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
  return setText(document, "#notice-said", `${words} ${body?.textContent ?? ""}`.trim());
}
