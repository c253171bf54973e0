/** Questions to the jury and their answers: the list, and the form that asks. */

/** @import { AnnouncementStore, ContestPage } from "./contest_page.js" */
/** @import { Clarification } from "../stores/announcements.js" */

import { commandOptions } from "../stores/streams.js";
import { element, find, setShown, setText, showItems } from "./dom.js";
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

/**
 * Asks over the live connection. What was typed stays until the server has it; where no live
 * connection can carry it, the form goes its usual way.
 * @param {ContestPage} page
 */
export function sendQuestionsLive(page) {
  const form = find(document, "#ask-form", HTMLFormElement);
  const stream = page.stream("announcements");
  if (form === null || stream === null) return;
  /** @type {number | null} */
  let asked = null;
  page.announcements?.subscribe(({ clarifications }) => {
    const answer = asked === null ? null : clarifications.get(asked)?.answer ?? null;
    if (answer === null) return;
    asked = null;
    setText(form, "#ask-progress", `The jury has answered: ${answer}`);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = new FormData(form);
    const [text, problem] = [String(given.get("text") ?? ""), String(given.get("problem") ?? "")];
    const busy = (/** @type {boolean} */ is) => form.querySelectorAll("button").forEach((button) => { button.disabled = is; });
    const say = (/** @type {string} */ words) => setText(form, "#ask-progress", words);
    const refuse = (/** @type {string} */ words) => {
      say("");
      setText(form, "#ask-error", words);
      setShown(form, "#ask-error", words !== "");
    };
    busy(true);
    refuse("");
    say("sending …");
    stream.command("ask", { problem: problem || null, text }, commandOptions("ask"))
      .onUnconfirmed(() => say("not confirmed yet: waiting for the server"))
      .onSettled((outcome) => {
        busy(false);
        if (outcome.kind === "reply" && outcome.reply.ok) {
          form.reset();
          asked = outcome.reply.data?.clarification?.id ?? null;
          say("Your question is with the jury.");
          return page.announcements?.apply({ name: "clarification.asked", data: outcome.reply.data?.clarification });
        }
        if (outcome.kind === "failed" && outcome.code === "ended") return form.submit();
        const words = outcome.kind === "reply" ? outcome.reply.error?.message : "";
        return refuse(words || "This did not get through. Your text is still here; please send it again.");
      });
  });
}
