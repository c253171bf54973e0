/** A form that leads away, and a server that may not be there. */

import assert from "node:assert/strict";
import test from "node:test";

import { askBeforeLeaving } from "../leaving_forms.js";

class Form {
  method = "post";
  isConnected = true;
  sent = [];
  said = null;
  fields = { minutes: "7" };
  closest = () => null;
  querySelector = () => this.said;
  append(said) { this.said = said; }
  requestSubmit(submitter) { if (press(this, submitter)) this.sent.push(submitter); }
}

class Words {
  textContent = "";
  setAttribute() {}
}

let window = new EventTarget();

/** @returns {boolean} whether the browser sends it */
function press(form, submitter = { isConnected: true }, isTaken = false) {
  const event = Object.assign(new Event("submit", { cancelable: true }), { submitter });
  if (isTaken) event.preventDefault();
  Object.defineProperty(event, "target", { value: form });
  return window.dispatchEvent(event);
}

function page(t) {
  window = new EventTarget();
  const globals = {
    FormData: class { constructor(form) { this.fields = form.fields; } [Symbol.iterator]() { return Object.entries(this.fields)[Symbol.iterator](); } },
     HTMLFormElement: Form, HTMLElement: Words, HTMLTemplateElement: class {}, document: { createElement: () => new Words() } };
  Object.assign(globalThis, globals, { addEventListener: window.addEventListener.bind(window) });
  t.after(() => { for (const name of [...Object.keys(globals), "addEventListener"]) delete globalThis[name]; });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const asked = Object.assign([], { tried: [] });
  const { tried } = asked;
  askBeforeLeaving({ check: () => new Promise((resolve) => asked.push(resolve)), link: { tryNow: () => tried.push("now"), subscribe: (listener) => { asked.show = (state) => listener({ state }); } } });
  return asked;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a form that leads away is sent when the server has answered, once, by the button that was pressed", async (t) => {
  const asked = page(t);
  const [form, button] = [new Form(), { isConnected: true }];
  assert.equal(press(form, button), false);
  assert.equal(press(form, button), false, "a second press");
  assert.deepEqual([asked.length, form.said], [1, null], "and nothing is said of another form");
  t.mock.timers.tick(400);
  assert.match(form.said.textContent, /Waiting/);
  asked[0]("same");
  await turn();
  assert.deepEqual(form.sent, [button]);
});

test("without an answer it stays, says so, and may be pressed again", async (t) => {
  const asked = page(t);
  const form = new Form();
  press(form);
  asked[0](null);
  await turn();
  assert.equal(form.sent.length, 0);
  assert.match(form.said.textContent, /was not sent.*still here/);
  assert.deepEqual(asked.tried, ["now"], "the live connections are asked, too");
  press(form);
  asked[1]("same");
  await turn();
  assert.equal(form.sent.length, 1);
});

test("what was changed after the press is not sent unasked", async (t) => {
  const asked = page(t);
  const form = new Form();
  press(form);
  form.fields = { minutes: "70", csrfmiddlewaretoken: "new" };
  asked[0]("same");
  await turn();
  assert.equal(form.sent.length, 0);
  assert.match(form.said.textContent, /changed after you had pressed/);
  press(form);
  form.fields = { ...form.fields, csrfmiddlewaretoken: "newer" };
  asked[1]("same");
  await turn();
  assert.equal(form.sent.length, 1, "a token is nothing that somebody typed");
});

test("one form goes at a time, and once, however often it is pressed", async (t) => {
  const asked = page(t);
  const [form, other] = [new Form(), new Form()];
  press(form);
  press(other);
  assert.match(other.said.textContent, /another form of this page is on its way/);
  asked[0]("same");
  await turn();
  for (let time = 0; time < 5; time += 1) press(form);
  assert.deepEqual([asked.length, form.sent.length, other.sent.length], [1, 1, 0], "the browser is leaving");
  t.mock.timers.tick(10_000);
  press(form);
  assert.equal(asked.length, 2, "it has not left");
});

test("that the site does not answer is said until the page is live again", async (t) => {
  const asked = page(t);
  const form = new Form();
  document.querySelectorAll = () => [form.said];
  press(form);
  asked[0](null);
  await turn();
  asked.show("reconnecting");
  assert.match(form.said.textContent, /does not answer/);
  asked.show("live");
  assert.equal(form.said.textContent, "");
});

test("what was taken out of the page meanwhile is not sent, and not without a word", async (t) => {
  const asked = page(t);
  const said = [];
  document.querySelector = (place) => (place === "#notice-said" ? { set textContent(words) { said.push(words); }, get textContent() { return ""; } } : null);
  document.getElementById = () => null;
  const form = new Form();
  press(form);
  form.isConnected = false;
  asked[0]("same");
  await turn();
  t.mock.timers.tick(1_000);
  assert.equal(form.sent.length, 0);
  assert.match(said.join(), /This was not sent/);
});

test("who is signed out, or somebody else, sends nothing", async (t) => {
  const asked = page(t);
  for (const who of ["out", "other"]) {
    const form = new Form();
    press(form);
    asked.at(-1)(who);
    await turn();
    assert.equal(form.sent.length, 0);
  }
});

test("what is sent in another way, asks for a page only, or signs out is left alone", (t) => {
  const asked = page(t);
  const search = Object.assign(new Form(), { method: "get" });
  const signOut = Object.assign(new Form(), { closest: (selector) => (selector === "nav.account" ? {} : null) });
  assert.ok(press(search) && press(signOut));
  press(new Form(), undefined, true);
  assert.equal(asked.length, 0);
});
