/** One record: its verdict, the compiler's words, and its cases as they finish. */

/** @import { Case, RecordState } from "../stores/record.js" */

import { casesOf } from "../stores/record.js";
import { element, setShown, setText, showItems } from "./dom.js";
import { showOutcome, showProgress } from "./outcome.js";
import { kibibytes, milliseconds, points } from "./words.js";

/** @param {{ subscribe: (listener: (state: RecordState) => void) => unknown }} store */
export function showRecord(store) {
  const article = element(document, "#record");
  const list = element(document, "#case-rows");
  if (article === null || list === null) return;
  store.subscribe((state) => {
    const { record } = state;
    Object.assign(article.dataset, { status: record.status, version: String(record.version) });
    const head = element(article, ".verdict-line") ?? article;
    showOutcome(head, record);
    showProgress(head, /** @type {any} */ (record));
    setText(article, ".record-score", points(record["score"]));
    setText(article, ".record-cpu", milliseconds(record["time_ms"]) || "–");
    setText(article, ".record-memory", kibibytes(record["memory_kb"]) || "–");
    setText(document, "#compiler-output", record["compiler_output"] ?? "");
    setShown(document, "#compiler-section", Boolean(record["compiler_output"]));
    showCases(list, casesOf(state));
    if (article.dataset["showsCases"] === "true") {
      setText(document, "#no-cases", record.status === "final" ? "No case was run." : "No case has been judged yet.");
    }
  });
}

/** @param {HTMLElement} list @param {Case[]} cases */
function showCases(list, cases) {
  showItems({
    list, items: cases, templateId: "case-row-template", key: "caseIndex",
    keyOf: ({ index }) => String(index), fill,
  });
  setShown(document, "#case-table", cases.length > 0);
  setShown(document, "#no-cases", cases.length === 0);
}

/** @param {HTMLElement} row @param {Case} each @param {boolean} isNew */
function fill(row, each, isNew) {
  const attempt = String(each.attempt ?? "");
  if (!isNew && row.dataset["attempt"] === attempt && row.dataset["verdict"] === each.verdict) return;
  Object.assign(row.dataset, { caseIndex: String(each.index), verdict: each.verdict, attempt });
  setText(row, ".case-index", String(each.index));
  showOutcome(row, each);
  setText(row, ".case-cpu", milliseconds(each["time_ms"]));
  setText(row, ".case-memory", kibibytes(each["memory_kb"]));
  setText(row, ".case-score", points(each["score"]));
  setText(row, ".case-message", each["message"] ?? "");
}
