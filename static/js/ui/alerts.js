/**
 * Notices that are still to be read, as alerts on every page. An alert never takes the focus: it is
 * said by a live region, rung by the bell, counted in the tab's title, and stays until the server has it that it was
 * read; then it closes on every page.
 */

/** @import { StreamHandle } from "../realtime/handles.js" */
/** @import { Announcements, Notice } from "../stores/announcements.js" */
/** @import { Bell, Thing } from "./bell/bell.js" */

import { isConfirming, unconfirmedNotices } from "../stores/announcements.js";
import { commandOptions } from "../stores/streams.js";
import { element, find, setShown, setText, showItems, switchOff } from "./dom.js";
import { noticeVoice } from "./notice_voice.js";
import { isOnScreen } from "./on_screen.js";
import { sayPress } from "./press.js";
import { showServerHtml } from "./server_html.js";
import { whenSessionIsSound } from "./session.js";
import { bringToFront, SHIFTED } from "./stack.js";
import { momentElement } from "./times.js";

/** @import { createAnnouncements } from "../stores/announcements.js" */
/** @typedef {ReturnType<typeof createAnnouncements>} Store */

/**
 * @param {Store} store
 * @param {StreamHandle} stream
 * @param {Bell} bell
 * @returns {(event: { name: string, data: any }) => void} for each event: one that the jury posted again is said again
 */
export function showAlerts(store, stream, bell) {
  const list = element(document, "#alerts");
  if (list === null) return () => undefined;
  const title = document.title;
  const announce = noticeVoice(list, ({ id, version }) => bell.isHeard(keyOf(id), version));
  const ring = ringing(list, bell);
  const deliver = deliveries(list, stream);
  store.subscribe((state) => {
    const open = criticalFirst(unconfirmedNotices(state));
    showItems({
      list, templateId: "alert-template", items: open, key: "noticeId",
      keyOf: ({ id }) => String(id), fill: (alert, notice, isNew) => fill(alert, notice, isNew, state),
    });
    document.title = open.length === 0 ? title : `(${open.length}) ${title}`;
    announce(open);
    deliver(open);
    ring(open);
  });
  list.addEventListener("submit", (event) => {
    const form = event.target;
    const alert = form instanceof HTMLFormElement ? form.closest("[data-notice-id]") : null;
    if (!(form instanceof HTMLFormElement) || !(alert instanceof HTMLElement) || "leaves" in form.dataset) return;
    event.preventDefault();
    confirm(store, stream, alert, form);
  });
  return ({ name, data }) => {
    if (name !== "announcement.posted" || !data.again) return;
    announce.again(data);
    announce(unconfirmedNotices(store.get()));
  };
}

/** No other may push it out of sight. @param {Notice[]} notices @returns {Notice[]} */
export function criticalFirst(notices) {
  const isCritical = (/** @type {Notice} */ { level }) => level === "critical";
  return [...notices.filter(isCritical), ...notices.filter((notice) => !isCritical(notice))];
}

/** @param {Store} store @param {StreamHandle} stream @param {HTMLElement} alert @param {HTMLFormElement} form */
function confirm(store, stream, alert, form) {
  const notice = { id: Number(alert.dataset["noticeId"]), version: Number(alert.dataset["version"]) };
  store.confirming([notice]);
  // Of a newer version, which has come meanwhile, nothing was pressed.
  const say = (/** @type {string} */ words) => {
    if (alert.dataset["version"] === String(notice.version)) setText(alert, ".alert-progress", words);
  };
  const command = stream.command("ack", { notices: [notice] }, commandOptions("ack"));
  sayPress(stream, command, say);
  command.onSettled((outcome) => {
    if (outcome.kind === "reply" && outcome.reply.ok) return store.confirmed([notice]);
    store.notConfirmed([notice]);
    const refused = outcome.kind === "reply" ? outcome.reply.error?.message : "";
    say(refused || "This did not get through. Please try again.");
    if (outcome.kind === "failed" && outcome.code === "ended") whenSessionIsSound(() => goByForm(form));
  });
}

/**
 * Without a live connection the form goes its usual way, to the server and back to this page. Whoever is shut out
 * (`shut_out.js`) would be led to a page that says no, away from what was typed here.
 * @param {HTMLFormElement} form
 */
function goByForm(form) {
  if (form.closest("[data-shut]") !== null) return;
  form.dataset["leaves"] = "";
  form.requestSubmit();
}

/** @param {HTMLElement} alert @param {Notice} notice @param {boolean} isNew @param {Announcements} state */
function fill(alert, notice, isNew, state) {
  const button = find(alert, "button", HTMLButtonElement);
  const confirming = isConfirming(state, notice);
  switchOff(button, confirming);
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

/** @param {number} id @returns {string} of a notice, for the bell */
function keyOf(id) {
  return `notice/${id}`;
}

/**
 * The bell rings for what is unread, and forgets what is not any more.
 * @param {HTMLElement} list
 * @param {Bell} bell
 * @returns {(open: Notice[]) => void}
 */
function ringing(list, bell) {
  /** @type {Set<string> | null} */
  let before = null;
  return (open) => {
    const things = open.map((notice) => thingOf(list, notice));
    const now = new Set(things.map(({ key }) => key));
    for (const key of before ?? []) if (!now.has(key)) bell.forget(key);
    bell.tell(things, { isOpening: before === null });
    before = now;
  };
}

/** @param {HTMLElement} list @param {Notice} notice @returns {Thing} */
function thingOf(list, { id, version, level, title }) {
  const alert = () => element(list, `[data-notice-id="${id}"]`);
  const text = alert()?.querySelector(".alert-body")?.textContent ?? "";
  return { key: keyOf(id), version, critical: level === "critical", title, text, show: () => bringToFront(alert()) };
}

/**
 * Tells the server which versions were on a visible screen: not those that are folded away behind another, or that
 * nobody has scrolled to yet.
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
    const stack = list.closest(".over-page");
    const titleOf = (/** @type {number} */ id) => element(list, `[data-notice-id="${id}"]`)?.querySelector(".alert-title") ?? null;
    const isSeen = (/** @type {number} */ id) => isOnScreen(titleOf(id), stack);
    const fresh = shown.filter(({ id, version }) => (told.get(id) ?? 0) < version && isSeen(id));
    if (fresh.length === 0) return;
    for (const { id, version } of fresh) told.set(id, version);
    const command = stream.command("delivered", { notices: fresh.map(({ id, version }) => ({ id, version })) }, commandOptions("delivered"));
    command.onSettled((outcome) => {
      if (outcome.kind === "reply" && outcome.reply.ok) return;
      for (const { id, version } of fresh) if (told.get(id) === version) told.delete(id);
    });
  };
  // What did not get through is told again with the next welcome, for which the standing command is the occasion only.
  stream.standing("delivered", () => {
    tell();
    return null;
  });
  document.addEventListener("visibilitychange", tell);
  list.addEventListener(SHIFTED, tell);
  return (open) => {
    shown = open;
    tell();
  };
}
