/** Notes: what happened while somebody was on this page and asks for nothing, said once and shown until it is closed. */

import { copyOfTemplate, element, find, setShown, setText } from "./dom.js";
import { say } from "./say.js";
import { showServerHtml } from "./server_html.js";

/**
 * @typedef {object} More
 * @property {string} [href] where to read it; on that page itself there is no button
 * @property {string} [linkText]
 * @property {string} [question] what is answered, in the words of whoever asked
 * @property {string} [html] as the server rendered it: shown below the words, and said with them
 * @property {string} [kind] a newer note takes the place of an older one of its kind
 * @property {number} [lastsMs] it goes by itself
 * @property {() => void} [onClosed]
 */

/** @param {string} words @param {More} [more] @returns {HTMLElement | null} the note, while it is there */
export function showNote(words, { href = "", linkText = "Read it", question = "", html = "", kind = "", lastsMs = 0, onClosed = () => undefined } = {}) {
  const note = copyOfTemplate("note-template");
  if (note === null) {
    say("#notice-said", words);
    return null;
  }
  if (kind !== "") document.querySelector(`#notes [data-kind="${kind}"]`)?.remove();
  note.dataset["kind"] = kind;
  setText(note, ".note-text", words);
  setText(note, ".note-question", question);
  setShown(note, ".note-question", question !== "");
  const body = element(note, ".note-body");
  if (body !== null) showServerHtml(body, html);
  setShown(note, ".note-body", html !== "");
  const leads = href !== "" && href !== location.pathname;
  setShown(note, ".note-link", leads);
  const link = find(note, ".note-link", HTMLAnchorElement);
  if (link !== null && leads) [link.href, link.textContent] = [href, linkText];
  const close = () => {
    note.remove();
    onClosed();
  };
  link?.addEventListener("click", close);
  element(note, ".note-close")?.addEventListener("click", close);
  element(document, "#notes")?.append(note);
  if (lastsMs > 0) setTimeout(close, lastsMs);
  say("#notice-said", [words, question, body?.textContent].filter(Boolean).join(" "));
  return note;
}
