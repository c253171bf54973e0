/** A form that leads away, and a server that may not be there. */

import assert from "node:assert/strict";
import test from "node:test";

import { askBeforeLeaving } from "../leaving_forms.js";

class Form {
  method = "post";
  isConnected = true;
  sent = [];
  said = null;
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
  const globals = { HTMLFormElement: Form, HTMLElement: Words, HTMLTemplateElement: class {}, document: { createElement: () => new Words() } };
  Object.assign(globalThis, globals, { addEventListener: window.addEventListener.bind(window) });
  t.after(() => { for (const name of [...Object.keys(globals), "addEventListener"]) delete globalThis[name]; });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const asked = Object.assign([], { tried: [] });
  const { tried } = asked;
  askBeforeLeaving({ check: () => new Promise((resolve) => asked.push(resolve)), link: { tryNow: () => tried.push("now") } });
  return asked;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a form that leads away is sent when the server has answered, once, by the button that was pressed", async (t) => {
  const asked = page(t);
  const [form, button] = [new Form(), { isConnected: true }];
  assert.equal(press(form, button), false);
  assert.equal(press(form, button), false, "a second press");
  assert.equal(asked.length, 1);
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
