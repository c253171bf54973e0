/** Questions to the jury and their answers, as a list. */

/** @import { AnnouncementStore } from "./contest_page.js" */
/** @import { Clarification } from "../stores/announcements.js" */

import { element, setShown, setText, showItems } from "./dom.js";
import { showServerHtml } from "./server_html.js";
import { momentElement } from "./times.js";

/** @param {AnnouncementStore | null} store */
export function showQuestionList(store) {
  const list = element(document, "#clarification-list");
  if (list === null || store === null) return;
  store.subscribe(({ clarifications }) => {
    const items = [...clarifications.values()].sort((a, b) => b.id - a.id);
    showItems({ list, items, templateId: "clarification-template", key: "clarificationId", keyOf: ({ id }) => String(id), fill });
    setShown(document, "#no-clarifications", items.length === 0);
  });
}

/** @param {HTMLElement} shown @param {Clarification} row @param {boolean} isNew */
function fill(shown, row, isNew) {
  if (!isNew && shown.dataset["version"] === String(row.version)) return;
  Object.assign(shown.dataset, { clarificationId: String(row.id), version: String(row.version) });
  setText(shown, ".clarification-about", row["problem"] ? `Problem ${row["problem"]}` : "General");
  setText(shown, ".clarification-asker", row["asker"] ? ` · ${row["asker"]}` : "");
  setText(shown, ".clarification-scope", scopeOf(row));
  shown.querySelector(".clarification-time")?.replaceChildren(momentElement(row["asked_at"]));
  setText(shown, ".clarification-text", row["text"] ?? "");
  const answer = element(shown, ".clarification-answer");
  if (answer !== null) showServerHtml(answer, row["answer_html"] ?? "");
  setShown(shown, ".clarification-answer", row.answer !== null);
  setShown(shown, ".clarification-waiting", row.answer === null);
}

/** @param {Clarification} row @returns {string} whom the answer went to; the jury alone is told who asked */
function scopeOf(row) {
  if (row.answer === null) return "";
  if (row["public"]) return "· to everybody";
  return row["asker"] ? "· to the asker only" : "· to you only";
}
