/** A form that is held in its page until the server has answered, over a document made of data. */

import assert from "node:assert/strict";
import test from "node:test";

import { sendForm } from "../send_form.js";
import { sayShutOut } from "../shut_out.js";
import { h, fire, putPage } from "./fake_page.js";

const settled = async () => { for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve)); };

/** @param {boolean} keeps whether the browser keeps what was sent */
function formOnPage(t, keeps) {
  const outbox = h("div.outbox", h("p.outbox-words"), h("details.outbox-text[hidden]", h("pre")),
    h("button.outbox-try[hidden]"), h("button.outbox-drop[hidden]"), h("a.outbox-link[hidden]"));
  const form = h("form#submit-form", h("textarea[name=\"source\"]"), h("button[type=\"submit\"]"), outbox);
  const document = putPage(t, form, h("p#shut-out[hidden]"), h("p#submit-closed[hidden]"), h("p#ask-error[hidden]"));
  const [Given, pageEvents] = [globalThis.FormData, {}];
  globalThis.FormData = class extends Given {
    constructor(of = h("form")) { super(of); }
    append(name, value) { this.set(name, value); }
  };
  globalThis.addEventListener = (name, listener) => (pageEvents[name] ??= []).push(listener);
  document.addEventListener = () => undefined;
  globalThis.HTMLAnchorElement = class {};
  t.after(() => { delete globalThis.HTMLAnchorElement; });
  const answers = [];
  t.mock.method(globalThis, "fetch", () => new Promise((resolve, reject) => answers.push({ resolve, reject })));
  const session = { who: "same", subscribe: () => undefined, ask: () => undefined };
  const pending = { keep: () => keeps, forget: () => undefined, oldest: () => null, onForgotten: () => undefined };
  form.querySelector("textarea").value = "print(1)";
  const watchers = [];
  const link = { subscribe: (watcher) => watchers.push(watcher), summary: () => ({ streams: {} }), tryNow: () => undefined };
  sendForm(/** @type {any} */ ({ link, session, data: { timings: {} } }), form, { what: "Your solution", look: "see below", patient: true, pending });
  const announcements = { handlers: {} };
  sayShutOut(announcements, { contest: "demo" });
  return {
    words: () => form.querySelector(".outbox-words").textContent, button: form.querySelector("button"),
    tryAgain: form.querySelector(".outbox-try"),
    shutOut() {
      announcements.handlers.onState({ state: "ended", reason: { code: "forbidden", message: "You are excluded." } });
      watchers.forEach((each) => each());
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

test("whoever is not finds it on again", async (t) => {
  const { send, refuse, button } = formOnPage(t, true);
  await send();
  assert.equal(button.disabled, true, "the premise");
  await refuse();
  assert.equal(button.disabled, false);
});
