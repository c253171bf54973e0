/**
 * The jury's answers reach whoever asked on every page. Which of one's questions wait for an answer is
 * remembered in this browser, so that an answer that came between two pages is told by the second.
 */

/** @import { AnnouncementStore } from "./contest_page.js" */
/** @import { PageData } from "./page_data.js" */
/** @import { Clarification } from "../stores/announcements.js" */
/** @import { Bell } from "./bell/bell.js" */

import { element } from "./dom.js";
import { showNote } from "./notes.js";
import { serverText } from "./server_html.js";
import { bringToFront } from "./stack.js";
import { keep, recall } from "./storage.js";

/** Characters: enough to know which question it was. */
const MOST_QUESTION = 160;

/** @typedef {ReadonlyMap<number, Clarification>} Clarifications */

/** @param {AnnouncementStore} store @param {PageData} data @param {Bell} bell it rings for answers to one's own questions */
export function sayAnswers(store, data, bell) {
  const memory = remembered(`fathom/asked/${data.contest}/${data.user?.id}`);
  /** @type {Clarifications | null} */
  let before = null;
  store.subscribe(({ clarifications }) => {
    const waiting = memory.read();
    for (const row of arrivedAnswers(before, clarifications, waiting)) {
      const isOwn = waiting.has(row.id);
      const words = answerWords(row, isOwn, before);
      const key = `answer/${row.id}`;
      const close = () => {
        memory.forget(row.id);
        bell.forget(key);
      };
      // A fresh overview shows the answer itself.
      const isShown = before === null && element(document, "#clarification-list") !== null;
      if (isShown) memory.forget(row.id);
      const note = isShown ? element(document, "#clarification-list") : showNote(words, {
        href: `/contests/${data.contest}/#clarifications`, linkText: "Show question and answer",
        question: questionWords(row, isOwn), html: row["answer_html"] ?? "", onClosed: close,
      });
      if (!isOwn) continue;
      const text = `${questionWords(row, isOwn)} ${serverText(row["answer_html"] ?? "")}`.trim();
      const show = () => bringToFront(note);
      bell.tell([{ key, version: row.version, critical: false, title: words, text, show }], { isOpening: before === null });
    }
    memory.add([...clarifications.values()].filter(({ answer }) => answer === null).map(({ id }) => id));
    before = clarifications;
  });
}

/**
 * @param {Clarifications | null} before null: the page is new
 * @param {Clarifications} now
 * @param {ReadonlySet<number>} waiting own questions whose answer has not been told
 * @returns {Clarification[]} answers that are news here
 */
export function arrivedAnswers(before, now, waiting) {
  const isNews = (/** @type {Clarification} */ { id, version }) => (before === null ? waiting.has(id) : (before.get(id)?.version ?? 0) < version);
  return [...now.values()].filter((row) => row.answer !== null && isNews(row));
}

/** @param {Clarification} row @param {boolean} isOwn @returns {string} what was asked, shortened */
export function questionWords(row, isOwn) {
  const text = String(row["text"] ?? "").trim().replace(/\s+/g, " ");
  if (text === "") return "";
  const short = [...text].length > MOST_QUESTION ? `${[...text].slice(0, MOST_QUESTION - 1).join("").trimEnd()}…` : text;
  return `${isOwn ? "You asked" : "Asked"}: “${short}”`;
}

/** @param {Clarification} row @param {boolean} isOwn @param {Clarifications | null} before */
function answerWords(row, isOwn, before) {
  const about = row["problem"] ? ` about problem ${row["problem"]}` : "";
  if (before?.get(row.id)?.answer) return `The jury has changed an answer${about}.`;
  return isOwn ? `The jury has answered your question${about}.` : `The jury has answered a question${about} to everybody.`;
}

/** A set of numbers in this browser's storage, or in this page where there is none. @param {string} key */
function remembered(key) {
  /** @type {Set<number>} */
  let known = new Set();
  const read = () => {
    known = new Set(recall(key, readIds) ?? known);
    return known;
  };
  const write = (/** @type {Set<number>} */ next) => {
    known = next;
    keep(key, [...next]);
  };
  return {
    read,
    /** @param {number[]} ids */
    add: (ids) => ids.some((id) => !read().has(id)) && write(new Set([...read(), ...ids])),
    /** @param {number} id */
    forget: (id) => write(new Set([...read()].filter((each) => each !== id))),
  };
}

/** @param {unknown} kept @returns {number[] | null} */
export function readIds(kept) {
  return Array.isArray(kept) ? kept.filter((each) => Number.isSafeInteger(each)) : null;
}
