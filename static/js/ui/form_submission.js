/**
 * What a form has to send, taken out of it at the moment at which a person sent it: typing on changes nothing of it,
 * and every repeat is the same to the byte, so that the server knows it again.
 */

/** @import { ContestPage } from "./contest_page.js" */
/** @import { Answer } from "./posting.js" */

import { find } from "./dom.js";
import { deadlineMs, post } from "./posting.js";
import { forget, isMoment, keep, keysOf, parsed, readString, recall } from "./storage.js";

const TOKEN = "csrfmiddlewaretoken";
const GONE = "The file cannot be read any more. Choose it again.";

/**
 * @typedef {object} FormSubmission
 * @property {string} key of the form: with the same content it is stored once
 * @property {string} at when it was sent first, ISO 8601
 * @property {string} action
 * @property {[string, string][]} fields
 * @property {{ field: string, name: string, text: string | null, file?: File } | null} file text null: not UTF-8, so the
 *   server will not take it either
 * @property {string} text to show to a person
 */

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<FormSubmission>}
 */
export async function readForm(form) {
  /** @type {[string, string][]} */ const fields = [];
  /** @type {FormSubmission["file"]} */ let file = null;
  for (const [name, value] of new FormData(form)) {
    if (value instanceof File) {
      if (value.name !== "") file = { field: name, name: value.name, text: await textOf(value), file: value };
    } else if (name !== TOKEN) fields.push([name, value]);
  }
  const named = new Map(fields);
  const text = file?.text ?? named.get("source") ?? named.get("body") ?? "";
  return { key: named.get("form_key") ?? "", at: new Date().toISOString(), action: form.action, fields, file, text };
}

/** Byte order marks stay: they count for the server's receipt. @param {File} file @returns {Promise<string | null>} */
async function textOf(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
  } catch {
    return null;
  }
}

/**
 * Whether it is in the form as it was sent.
 * @param {HTMLFormElement} form
 * @param {FormSubmission} submission
 */
export function standsIn(form, { fields }) {
  const now = new Map(fields.map(([name]) => [name, ""]));
  for (const [name, value] of new FormData(form)) if (typeof value === "string") now.set(name, value);
  return fields.every(([name, value]) => name === "form_key" || sameText(now.get(name) ?? "", value));
}

/** @param {FormSubmission} submission @param {string} token @returns {FormData} */
export function bodyOf({ fields, file }, token) {
  const body = new FormData();
  body.append(TOKEN, token);
  for (const [name, value] of fields) body.append(name, value);
  if (file !== null) body.append(file.field, file.text === null && file.file ? file.file : new File([file.text ?? ""], file.name, { type: "text/plain" }));
  return body;
}

/**
 * Nothing here throws.
 * @param {ContestPage} page
 * @param {HTMLFormElement} form has the token of the session that is now
 * @param {FormSubmission} submission
 * @returns {Promise<Answer>}
 */
export async function postSubmission(page, form, submission) {
  const { file } = submission;
  // Sending it would fail in the browser, and look like a site that cannot be reached.
  if (file?.text === null && file.file && !await isReadable(file.file)) return { kind: "refused", words: GONE, fields: {} };
  const token = find(form, `input[name=${TOKEN}]`, HTMLInputElement)?.value ?? "";
  const withinMs = deadlineMs(page.data.timings["probe_ms"] ?? 10_000, sizeOf(submission));
  return post(submission.action, bodyOf(submission, token), withinMs);
}

/** @param {File} file whether it is where it was when it was chosen @returns {Promise<boolean>} */
function isReadable(file) {
  return file.slice(0, 1).arrayBuffer().then(() => true, () => false);
}

/** Forms may send the ends of lines otherwise than they were typed. @param {string} one @param {string} other */
export function sameText(one, other) {
  return one.replaceAll("\r\n", "\n") === other.replaceAll("\r\n", "\n");
}

/** @param {FormSubmission} submission @returns {number} bytes, about */
export function sizeOf({ fields, file }) {
  return fields.reduce((sum, [, value]) => sum + value.length, file?.file?.size ?? file?.text?.length ?? 0);
}

/** @param {any} kept @returns {kept is FormSubmission} whether a page like this one has written it */
export function isFormSubmission(kept) {
  const isPair = (/** @type {unknown} */ pair) => Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === "string");
  return [kept?.key, kept?.action, kept?.text].every((part) => typeof part === "string") && isMoment(kept.at)
    && Array.isArray(kept.fields) && kept.fields.every(isPair) && (kept.file === null || isFile(kept.file));
}

/** @param {any} kept @returns {boolean} */
function isFile(kept) {
  return [kept?.field, kept?.name, kept?.text].every((part) => typeof part === "string");
}

/**
 * Keeps what was submitted in this browser until it is done with.
 * @typedef {object} PendingSubmissions
 * @property {(submission: FormSubmission) => boolean} keep whether a reload would find it
 * @property {(submission: FormSubmission) => boolean} has whether no page has forgotten it
 * @property {(submission: FormSubmission, location: string) => void} forget location: where it is, "" if it was not stored
 * @property {() => FormSubmission | null} oldest
 * @property {(listener: (submission: Sent, location: string) => void) => void} onForgotten by another tab
 *
 * @typedef {Pick<FormSubmission, "key" | "at">} Sent a form that is sent with another content keeps its key
 */

/** @param {string} place of one person and one form @returns {PendingSubmissions} */
export function pendingSubmissions(place) {
  const prefix = `fathom/sent/${place}/`;
  const keptAt = (/** @type {string} */ key) => recall(prefix + key, readForgotten)?.at;
  return {
    keep({ file, ...rest }) {
      return file?.text !== null && keep(prefix + rest.key, { ...rest, file: file && { ...file, file: undefined } });
    },
    has: ({ key, at }) => keptAt(key) === at,
    forget({ key, at }, location) {
      if ((keptAt(key) ?? at) !== at) return;
      if (location !== "") keep(prefix + key, { at, location }); // others are told what is taken away: also of what they have dropped
      forget(prefix + key);
    },
    oldest() {
      const all = keysOf(prefix).map((key) => recall(key)).filter(isFormSubmission);
      return all.sort((a, b) => a.at.localeCompare(b.at))[0] ?? null;
    },
    onForgotten(listener) {
      addEventListener("storage", ({ key, oldValue, newValue }) => {
        const gone = key?.startsWith(prefix) && newValue === null ? parsed(oldValue, readForgotten) : null;
        if (key !== null && gone !== null) listener({ key: key.slice(prefix.length), at: gone.at }, gone.location);
      });
    },
  };
}

/** @param {any} kept @returns {{ at: string, location: string } | null} */
function readForgotten(kept) {
  if (!isMoment(kept?.at)) return null;
  const location = readString(kept.location) ?? "";
  return { at: kept.at, location: location.startsWith("/") ? location : "" };
}
