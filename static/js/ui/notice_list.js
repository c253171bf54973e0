/** The list of notices on a page: all of the contest, or those about one problem. */

/** @import { AnnouncementStore } from "./contest_page.js" */
/** @import { Announcements, Notice } from "../stores/announcements.js" */

import { isConfirmed, noticesInForce } from "../stores/announcements.js";
import { element, setShown, setText, showItems } from "./dom.js";
import { showServerHtml } from "./server_html.js";
import { momentElement } from "./times.js";

/** @param {AnnouncementStore | null} store */
export function showNoticeList(store) {
  const list = element(document, "#notice-list");
  if (list === null || store === null) return;
  const about = list.dataset["problem"];
  store.subscribe((state) => {
    const items = noticesInForce(state).filter(({ problem }) => about === undefined || problem === about);
    showItems({
      list, items, templateId: "notice-template", key: "noticeId",
      keyOf: ({ id }) => String(id), fill: (shown, notice, isNew) => fill(shown, notice, isNew, state),
    });
    setShown(document, "#no-notices", items.length === 0);
  });
}

/** @param {HTMLElement} shown @param {Notice} notice @param {boolean} isNew @param {Announcements} state */
function fill(shown, notice, isNew, state) {
  setShown(shown, ".notice-confirmed", isConfirmed(state, notice));
  if (!isNew && shown.dataset["version"] === String(notice.version)) return;
  Object.assign(shown.dataset, { noticeId: String(notice.id), version: String(notice.version), level: notice.level });
  setText(shown, ".notice-title", notice.title);
  setText(shown, ".notice-level", notice.level);
  setText(shown, ".notice-about", notice.problem === null ? "" : ` · problem ${notice.problem}`);
  setShown(shown, ".notice-changed", notice.version > 1);
  shown.querySelector(".notice-time")?.replaceChildren(momentElement(notice.posted_at));
  const body = element(shown, ".notice-body");
  if (body !== null) showServerHtml(body, notice.html);
}
