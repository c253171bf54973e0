/** Notices for those who hear the page: each version once, at once where it is critical or must be confirmed, politely otherwise. */

/** @import { Notice } from "../stores/announcements.js" */

import { element } from "./dom.js";
import { say } from "./say.js";

/**
 * `announce(open)` says what is new among the unread ones. On a page that has just been opened those that were heard on
 * another page are only named. `again` lets one be said once more, and moves its alert as if it had just arrived.
 * @param {HTMLElement} list
 * @param {(notice: Notice) => boolean} wasHeard
 */
export function noticeVoice(list, wasHeard) {
  /** @type {Map<number, number>} */
  const said = new Map();
  let isOpening = true;
  const text = (/** @type {Notice} */ { id, title }) => {
    const body = list.querySelector(`[data-notice-id="${id}"] .alert-body`)?.textContent ?? "";
    return `Notice: ${title}. ${body.trim().replace(/\s+/g, " ")}`;
  };
  const announce = (/** @type {readonly Notice[]} */ open) => {
    const fresh = open.filter(({ id, version }) => (said.get(id) ?? 0) < version);
    for (const notice of fresh) {
      said.set(notice.id, notice.version);
      if (isOpening && wasHeard(notice)) say("#notice-said", `Still to read: ${notice.title}.`);
      else say(isUrgent(notice) ? "#notice-said-now" : "#notice-said", text(notice));
    }
    isOpening = false;
  };
  const again = (/** @type {{ id: number, version: number }} */ { id, version }) => {
    if ((said.get(id) ?? 0) !== version) return;
    said.delete(id);
    const alert = element(list, `[data-notice-id="${id}"]`);
    alert?.classList.remove("arriving");
    requestAnimationFrame(() => alert?.classList.add("arriving"));
  };
  return Object.assign(announce, { again });
}

/** @param {Notice} notice @returns {boolean} it may interrupt what is being read */
export function isUrgent({ level, requires_ack: required }) {
  return level === "critical" || required;
}
