/**
 * Notices that are still to be read, as alerts on every page. An alert never takes the focus: it is
 * said by a live region, counted in the tab's title, and stays until it is read. One that must be
 * confirmed stays until the server has the confirmation; then it closes on every page.
 */

/** @import { CommandHandle, StreamHandle } from "../realtime/handles.js" */
/** @import { Announcements, Notice } from "../stores/announcements.js" */

import { isConfirming, unconfirmedNotices } from "../stores/announcements.js";
import { commandOptions } from "../stores/streams.js";
import { element, find, setShown, setText, showItems } from "./dom.js";
import { showServerHtml } from "./server_html.js";
import { SHIFTED } from "./stack.js";
import { momentElement } from "./times.js";

/** @import { createAnnouncements } from "../stores/announcements.js" */
/** @typedef {ReturnType<typeof createAnnouncements>} Store */

/**
 * @param {Store} store
 * @param {StreamHandle} stream
 * @returns {(event: { name: string, data: any }) => void} for each event: one that the jury posted again is said again
 */
export function showAlerts(store, stream) {
  const list = element(document, "#alerts");
  if (list === null) return () => undefined;
  const title = document.title;
  const announce = voice(list);
  const deliver = deliveries(list, stream);
  store.subscribe((state) => {
    const open = unconfirmedNotices(state).filter((notice) => notice.requires_ack || !isConfirming(state, notice));
    showItems({
      list, templateId: "alert-template", items: open, key: "noticeId",
      keyOf: ({ id }) => String(id), fill: (alert, notice, isNew) => fill(alert, notice, isNew, state),
    });
    document.title = open.length === 0 ? title : `(${open.length}) ${title}`;
    announce(open);
    deliver(open);
  });
  list.addEventListener("submit", (event) => {
    const form = event.target;
    const alert = form instanceof HTMLFormElement ? form.closest("[data-notice-id]") : null;
    if (!(form instanceof HTMLFormElement) || !(alert instanceof HTMLElement)) return;
    event.preventDefault();
    confirm(store, stream, alert, form);
  });
  return ({ name, data }) => {
    if (name !== "announcement.posted" || !data.again) return;
    announce.again(data);
    announce(unconfirmedNotices(store.get()));
  };
}

/** @param {Store} store @param {StreamHandle} stream @param {HTMLElement} alert @param {HTMLFormElement} form */
function confirm(store, stream, alert, form) {
  const notice = { id: Number(alert.dataset["noticeId"]), version: Number(alert.dataset["version"]) };
  store.confirming([notice]);
  /** @type {CommandHandle} */
  const command = stream.command("ack", { notices: [notice] }, commandOptions("ack"));
  command.onUnconfirmed(() => setText(alert, ".alert-progress", "not confirmed yet: waiting for the server"));
  command.onSettled((outcome) => {
    if (outcome.kind === "reply" && outcome.reply.ok) return store.confirmed([notice]);
    store.notConfirmed([notice]);
    // Without a live connection the form goes its usual way, to the server and back to this page.
    if (outcome.kind === "failed" && outcome.code === "ended") return form.submit();
    const refused = outcome.kind === "reply" ? outcome.reply.error?.message : "";
    return setText(alert, ".alert-progress", refused || "This did not get through. Please try again.");
  });
}

/** @param {HTMLElement} alert @param {Notice} notice @param {boolean} isNew @param {Announcements} state */
function fill(alert, notice, isNew, state) {
  const button = find(alert, "button", HTMLButtonElement);
  const confirming = isConfirming(state, notice);
  if (button !== null) button.disabled = confirming;
  if (confirming) setText(alert, ".alert-progress", "sending …");
  if (!isNew && alert.dataset["version"] === String(notice.version)) return;
  const { id, version, level, requires_ack: required } = notice;
  Object.assign(alert.dataset, { noticeId: String(id), version: String(version), level });
  alert.setAttribute("aria-labelledby", `alert-title-${id}`);
  setText(alert, ".alert-level", level);
  setText(alert, ".alert-about", notice.problem === null ? "" : ` · problem ${notice.problem}`);
  setShown(alert, ".alert-changed", version > 1);
  alert.querySelector(".alert-time")?.replaceChildren(momentElement(notice.posted_at));
  const title = element(alert, ".alert-title");
  if (title !== null) [title.id, title.textContent] = [`alert-title-${id}`, notice.title];
  const body = element(alert, ".alert-body");
  if (body !== null) showServerHtml(body, notice.html);
  for (const [name, value] of [["notice", id], ["version", version]]) {
    const field = find(alert, `input[name="${name}"]`, HTMLInputElement);
    if (field !== null) field.value = String(value);
  }
  if (button !== null) button.textContent = required ? "Confirm that I have read it" : "Mark as read";
  if (!confirming) setText(alert, ".alert-progress", "");
  alert.classList.add("arriving");
}

/**
 * Says each version once a page: at once where it is critical or must be confirmed, politely otherwise.
 * `again` lets one be said once more, and moves its alert as if it had just arrived.
 * @param {HTMLElement} list
 */
function voice(list) {
  /** @type {Map<number, number>} */
  const said = new Map();
  const announce = (/** @type {readonly Notice[]} */ open) => {
    for (const notice of open.filter(({ id, version }) => (said.get(id) ?? 0) < version)) {
      said.set(notice.id, notice.version);
      const body = list.querySelector(`[data-notice-id="${notice.id}"] .alert-body`)?.textContent ?? "";
      const urgent = notice.level === "critical" || notice.requires_ack;
      setText(document, urgent ? "#notice-said-now" : "#notice-said", `Notice: ${notice.title}. ${body}`);
    }
  };
  const again = (/** @type {{ id: number, version: number }} */ { id, version }) => {
    if ((said.get(id) ?? 0) !== version) return;
    said.delete(id);
    setText(document, "#notice-said-now", "");
    setText(document, "#notice-said", "");
    const alert = element(list, `[data-notice-id="${id}"]`);
    alert?.classList.remove("arriving");
    requestAnimationFrame(() => alert?.classList.add("arriving"));
  };
  return Object.assign(announce, { again });
}

/**
 * Tells the server which versions were on a visible screen: not those that are folded away behind another.
 * @param {HTMLElement} list
 * @param {StreamHandle} stream
 * @returns {(open: Notice[]) => void}
 */
function deliveries(list, stream) {
  /** @type {Map<number, number>} */
  const told = new Map();
  /** @type {Notice[]} */
  let shown = [];
  const tell = () => {
    if (document.visibilityState !== "visible") return;
    const isSeen = (/** @type {number} */ id) => (element(list, `[data-notice-id="${id}"]`)?.getClientRects().length ?? 0) > 0;
    const fresh = shown.filter(({ id, version }) => (told.get(id) ?? 0) < version && isSeen(id));
    if (fresh.length === 0) return;
    for (const { id, version } of fresh) told.set(id, version);
    stream.command("delivered", { notices: fresh.map(({ id, version }) => ({ id, version })) }, commandOptions("delivered"));
  };
  document.addEventListener("visibilitychange", tell);
  list.addEventListener(SHIFTED, tell);
  return (open) => {
    shown = open;
    tell();
  };
}
