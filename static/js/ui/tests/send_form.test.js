/** A form that is held in its page until the server has answered, over a document made of data. */

import assert from "node:assert/strict";
import test from "node:test";

import { sendForm } from "../send_form.js";
import { sayShutOut } from "../shut_out.js";
import { h, fire, putPage } from "./fake_page.js";

const settled = async () => { for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve)); };

/** @param {boolean} keeps whether the browser keeps what was sent */
function formOnPage(t, keeps, found = null) {
  const outbox = h("div.outbox", h("p.outbox-words"), h("details.outbox-text[hidden]", h("pre")),
    h("button.outbox-try[hidden]"), h("button.outbox-drop[hidden]"), h("a.outbox-link[hidden]"));
  const form = h("form#submit-form", h("textarea[name=\"source\"]"), h("button[type=\"submit\"]"), outbox);
  const document = putPage(t, form, h("p#shut-out[hidden]"), h("p#submit-closed[hidden]"), h("p#ask-error[hidden]"),
    h("aside#alerts", h("form", h("button[type=\"submit\"]"), h("span.alert-progress"))));
  const [Given, pageEvents] = [globalThis.FormData, {}];
  globalThis.FormData = class extends Given {
    constructor(of = h("form")) { super(of); }
    append(name, value) { this.set(name, value); }
  };
  globalThis.addEventListener = (name, listener) => (pageEvents[name] ??= []).push(listener);
  const left = [];
  globalThis.location = { assign: (address) => left.push(address) };
  t.after(() => { delete globalThis.location; });
  globalThis.HTMLAnchorElement = outbox.constructor;
  t.after(() => { delete globalThis.HTMLAnchorElement; });
  const answers = [];
  t.mock.method(globalThis, "fetch", () => new Promise((resolve, reject) => answers.push({ resolve, reject })));
  const session = { who: "same", subscribe: () => undefined, ask: () => undefined };
  const [forgotten, listeners] = [[], []];
  const pending = {
    isKept: keeps, keep: () => keeps, has: () => pending.isKept, oldest: () => found,
    forget: ({ key, at }, location) => forgotten.push([key, at, location]), onForgotten: (listener) => listeners.push(listener),
  };
  form.querySelector("textarea").value = "print(1)";
  const watchers = [];
  const link = { subscribe: (watcher) => watchers.push(watcher), summary: () => ({ streams: {} }), tryNow: () => undefined };
  sendForm(/** @type {any} */ ({ link, session, data: { timings: {} } }), form, { what: "Your solution", look: "see below", patient: true, pending });
  const announcements = { handlers: {} };
  sayShutOut(announcements, { contest: "demo" });
  return {
    left, alert: document.querySelector("#alerts").querySelector("button"), progress: () => document.querySelector(".alert-progress").textContent,
    words: () => form.querySelector(".outbox-words").textContent, button: form.querySelector("button"),
    forgotten, sends: () => fetch.mock.callCount(), link: form.querySelector(".outbox-link"), drop: () => fire(form.querySelector(".outbox-drop"), "click"),
    /** Another page has done with it; one that slept in the browser's cache hears nothing of it. */
    doneElsewhere(sent, location) {
      pending.isKept = false;
      if (sent) listeners.forEach((listener) => listener(sent, location));
    },
    async store() { answers.shift().resolve({ status: 201, json: async () => ({ location: "/records/7/" }) }); await settled(); },
    tryAgain: form.querySelector(".outbox-try"),
    shutOut() {
      announcements.handlers.onState({ state: "ended", reason: { code: "forbidden", message: "You are excluded." } });
      watchers.forEach((each) => each());
    },
    /** The overview has live connections for them again. */
    async letBackIn() {
      globalThis.DOMParser = class { parseFromString() { return { body: h("body[data-connection]"), getElementById: () => null }; } };
      document.getElementById = () => null;
      document.dispatchEvent(new Event("visibilitychange"));
      answers.shift().resolve({ ok: true, text: async () => "" });
      await settled();
    },
    comeBack: () => pageEvents.pageshow.forEach((listener) => listener({ persisted: true })),
    async send() { fire(form, "submit"); await settled(); },
    async lose() { answers.shift().reject(new Error("offline")); await settled(); },
    async refuse() { answers.shift().resolve({ status: 403, json: async () => ({ error: { code: "forbidden", message: "You are excluded." } }) }); await settled(); },
  };
}

test("what is held and kept nowhere else says that the page has to stay open", async (t) => {
  const { send, lose, words } = formOnPage(t, false);
  await send();
  assert.match(words(), /^Your solution waits for the connection/);
  await lose();
  assert.match(words(), /^Your solution is not confirmed: .* A reload would lose it: keep this page open\.$/);
});

test("what a reload would find does not", async (t) => {
  const { send, lose, words } = formOnPage(t, true);
  await send();
  await lose();
  assert.match(words(), /^Your solution is not confirmed: /);
  assert.doesNotMatch(words(), /reload/);
});

test("whoever is shut out finds the button off, also once the server has refused what was under way and after going back", async (t) => {
  const { send, refuse, shutOut, comeBack, words, button } = formOnPage(t, true);
  await send();
  shutOut();
  await refuse();
  assert.match(words(), /^Not sent: You are excluded\./, "the premise");
  assert.equal(button.disabled, true);
  comeBack();
  assert.equal(button.disabled, true);
});

test("what is held when its author is shut out says that it cannot be sent now", async (t) => {
  const { send, lose, shutOut, words, tryAgain } = formOnPage(t, true);
  await send();
  await lose();
  assert.match(words(), /It will be sent when the connection is back\./, "the premise");
  assert.equal(tryAgain.hidden, false, "the premise");
  shutOut();
  assert.match(words(), /^Your solution is not confirmed: .* It cannot be sent now, and is kept\.$/);
  assert.equal(tryAgain.hidden, true);
});

test("where the jump to the record was stopped the button works again, and the link to it stays", async (t) => {
  const { send, store, words, button, link, left, sends } = formOnPage(t, true);
  await send();
  await store();
  assert.deepEqual(left, ["/records/7/"], "the premise");
  t.mock.timers.tick(9_999);
  assert.equal(button.disabled, true, "the premise: it may be on its way yet");
  t.mock.timers.tick(1);
  assert.deepEqual([button.disabled, words(), link.hidden, link.href], [false, "Sent.", false, "/records/7/"]);
  await send();
  assert.equal(sends(), 2);
});

test("an alert of whoever is shut out is off, says why, and stays so after going back", (t) => {
  const { shutOut, comeBack, alert, progress } = formOnPage(t, true);
  assert.equal(alert.disabled, false, "the premise");
  shutOut();
  assert.deepEqual([alert.disabled, progress()], [true, "You are excluded."]);
  comeBack();
  assert.equal(alert.disabled, true);
});

test("whoever is let back in finds the alerts on again, also after going back, and the form off until the reload", async (t) => {
  const { shutOut, letBackIn, comeBack, alert, progress, button } = formOnPage(t, true);
  shutOut();
  assert.equal(alert.disabled, true, "the premise");
  await letBackIn();
  assert.match(document.querySelector("#shut-out").textContent, /^You may take part in this contest again/, "the premise");
  comeBack();
  assert.deepEqual([alert.disabled, progress(), button.disabled], [false, "", true]);
});

test("whoever is not finds it on again", async (t) => {
  const { send, refuse, button } = formOnPage(t, true);
  await send();
  assert.equal(button.disabled, true, "the premise");
  await refuse();
  assert.equal(button.disabled, false);
});

const FOUND = { key: "k1", at: "2026-01-01T00:00:00Z", action: "/", fields: [], file: null, text: "print(1)" };
const TAKEN_BACK = /^Another page has taken it back, or has its answer\. It is not sent again;/;

test("what was taken back while the page slept in the browser's cache is not sent by it", async (t) => {
  const { send, lose, doneElsewhere, comeBack, words, button, tryAgain, sends } = formOnPage(t, true);
  await send();
  doneElsewhere(null);
  comeBack();
  assert.match(words(), TAKEN_BACK);
  await lose();
  assert.match(words(), TAKEN_BACK);
  assert.deepEqual([button.disabled, tryAgain.hidden], [false, true]);
  fire(tryAgain, "click");
  await settled();
  assert.equal(sends(), 1);
});

test("whoever is about to send it again looks whether it is kept", async (t) => {
  const { send, lose, doneElsewhere, words, tryAgain, sends } = formOnPage(t, true);
  await send();
  await lose();
  assert.equal(tryAgain.hidden, false, "the premise");
  doneElsewhere(null);
  fire(tryAgain, "click");
  await settled();
  assert.equal(sends(), 1);
  assert.match(words(), TAKEN_BACK);
});

test("what no reload would find is not looked for", async (t) => {
  const { send, lose, tryAgain, sends } = formOnPage(t, false);
  await send();
  await lose();
  fire(tryAgain, "click");
  await settled();
  assert.equal(sends(), 2);
});

test("whoever has taken it back is told that it was stored, with a link to it", (t) => {
  const { doneElsewhere, drop, words, link } = formOnPage(t, true, FOUND);
  drop();
  assert.match(words(), /^It is not sent again; what was already on its way may still be stored/, "the premise");
  doneElsewhere({ ...FOUND, at: "2026-01-01T00:01:00Z" }, "/records/8/");
  assert.match(words(), /^It is not sent again/, "that was another text of the same form");
  doneElsewhere(FOUND, "/records/7/");
  assert.deepEqual([words(), link.hidden, link.href], ["Your solution is sent.", false, "/records/7/"]);
});

test("other pages are told where it was stored", async (t) => {
  const { store, tryAgain, words, forgotten } = formOnPage(t, true, FOUND);
  fire(tryAgain, "click");
  await store();
  assert.equal(words(), "Your solution is sent.");
  assert.deepEqual(forgotten, [["k1", FOUND.at, "/records/7/"]]);
});
