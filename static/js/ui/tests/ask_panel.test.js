/** Asking the jury over a real link and a document made of data. */

import assert from "node:assert/strict";
import test from "node:test";

import { at } from "../../realtime/tests/fake_environment.js";
import { livePage } from "../../realtime/tests/page.js";
import { openAskPanel } from "../ask_panel.js";
import { readQuestion } from "../question_draft.js";
import { fire, h, putPage } from "./fake_page.js";

function panelOnPage(t, meanwhile = () => undefined, given = "") {
  const form = h("form#ask-form[data-draft-key=\"demo\"]", h("textarea#ask-text[name=\"text\"]"), h("button"), h("p#ask-progress"), h("p#ask-error[hidden]"), h("div#ask-answer[hidden]"));
  putPage(t, h("details.ask", h("span.ask-draft"), form));
  const live = livePage({ streams: ["announcements"] });
  const [applied, listeners] = [[], []];
  /** @type {any} */ const session = { isInDoubt: false, subscribe: (listener) => { session.tell = listener; } };
  const state = { clarifications: new Map([[1, { id: 1, text: "Asked before", answer: null }]]) };
  const page = { session, data: { contest: "demo", timings: {} }, stream: () => live.streams.announcements, announcements: {
    get: () => state, subscribe: (listener) => (listeners.push(listener), listener(state)), apply: (event) => applied.push(event),
  }, tell(row) {
    state.clarifications.set(row.id, row);
    listeners.forEach((listener) => listener(state));
  } };
  const field = form.querySelector("#ask-text");
  field.value = given;
  openAskPanel(page);
  meanwhile(live, field.value);
  field.value = "Is N at most 5?";
  fire(form, "submit");
  return { live, page, session, form, field, applied, text: (place) => form.querySelector(place).textContent, asked: () => live.socket().frames("command")[0] };
}

/** An overview with these questions. */
const has = (...texts) => ({ ok: true, text: async () => JSON.stringify(texts.map((each) => ({ text: each }))) });

/** What the site answers in turn; then nobody does. */
function serve(t, ...answers) {
  t.mock.method(globalThis, "fetch", async () => answers.shift() ?? Promise.reject(new TypeError("Failed to fetch")));
  globalThis.DOMParser = class {
    parseFromString(rows) {
      const data = { streams: { announcements: { data: { clarifications: JSON.parse(rows) } } } };
      return { getElementById: () => ({ textContent: JSON.stringify(data) }) };
    }
  };
  t.after(() => { delete globalThis.DOMParser; });
  document.getElementById = () => null;
}

async function settled() {
  for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => { setImmediate(resolve); });
}

test("a question that the server does not answer is said to be not confirmed, and stays until it is", (t) => {
  const { live, form, field, applied, text, asked } = panelOnPage(t);
  assert.deepEqual([asked().data, text("#ask-progress")], [{ problem: null, text: "Is N at most 5?" }, "sending …"]);
  live.pass(10_000);
  assert.equal(text("#ask-progress"), "not confirmed yet: waiting for the server");
  assert.equal(field.value, "Is N at most 5?");
  live.socket().receive({ type: "reply", client_seq: asked().client_seq, ok: true, data: { clarification: { id: 2 } } });
  assert.deepEqual([text("#ask-progress"), field.value, form.querySelector("button").disabled], ["Your question is with the jury.", "", false]);
  assert.deepEqual(applied.map(({ data }) => data.id), [2]);
});

test("the answer to what was asked stands below the button as the server has rendered it, until something else is asked", (t) => {
  const { live, page, form, field, text, asked } = panelOnPage(t);
  live.socket().receive({ type: "reply", client_seq: asked().client_seq, ok: true, data: { clarification: { id: 2 } } });
  const answer = form.querySelector("#ask-answer");
  page.tell({ id: 2, answer: null });
  assert.equal(answer.hidden, true);
  page.tell({ id: 2, answer: "*At most* 4.", answer_html: "<em>At most</em> 4." });
  assert.deepEqual([text("#ask-progress"), answer.hidden, answer.children.map((each) => each.textContent)], ["The jury has answered:", false, ["<em>At most</em> 4."]]);
  field.value = "And M?";
  fire(form, "submit");
  assert.deepEqual([text("#ask-progress"), answer.hidden], ["sending …", true]);
});

test("a question that the jury is known to have goes out of the box once, and not what is typed again on purpose", (t) => {
  const { live, page, field, asked } = panelOnPage(t);
  live.socket().receive({ type: "reply", client_seq: asked().client_seq, ok: false, error: { code: "busy", message: "Later." } });
  field.value = "And M?";
  page.tell({ id: 2, text: "And N?", answer: null });
  assert.equal(field.value, "And M?");
  page.tell({ id: 3, text: "And M?", answer: null });
  assert.equal(field.value, "", "asked on another page");
  for (const text of ["And M?", "Asked before"]) {
    field.value = text;
    page.tell({ id: 3, text: "And M?", answer: "No." });
    assert.equal(field.value, text);
  }
});

test("what the server gives back in the box stays, also where it was asked before", (t) => {
  const seen = [];
  panelOnPage(t, (_, text) => seen.push(text), "Asked before");
  assert.deepEqual(seen, ["Asked before"]);
});

test("a question whose answer was lost is with the jury as soon as the site tells of it", (t) => {
  const { live, page, form, field, text } = panelOnPage(t);
  live.tell("leaving");
  assert.match(text("#ask-error"), /^Not confirmed: the jury may have it/, "the premise");
  page.tell({ id: 2, text: "Is N at most 5?", answer: "Yes.", answer_html: "Yes." });
  assert.deepEqual([field.value, form.querySelector("#ask-error").hidden], ["", true]);
  assert.deepEqual([text("#ask-progress"), form.querySelector("#ask-answer").hidden], ["The jury has answered:", false]);
});

test("what the site tells of before it replies is not said to be lost", (t) => {
  const { live, page, form, text } = panelOnPage(t);
  page.tell({ id: 2, text: "Is N at most 5?", answer: null });
  live.tell("leaving");
  assert.deepEqual([text("#ask-progress"), text("#ask-error"), form.querySelector("button").disabled], ["Your question is with the jury.", "", false]);
});

test("a question that is sent while the page is not live says at once that it waits, and follows the connection", (t) => {
  const { live, text } = panelOnPage(t, (page) => page.socket().close(1006));
  assert.equal(text("#ask-progress"), "not sent yet: waiting for the connection");
  live.pass(300);
  live.socket().accept({ cursor: at(3) });
  assert.equal(text("#ask-progress"), "sending …");
  live.socket().close(1006);
  assert.equal(text("#ask-progress"), "not confirmed yet: waiting for the connection");
});

test("a question that did not get through is still there", (t) => {
  const { live, field, text } = panelOnPage(t);
  live.tell("leaving");
  assert.match(text("#ask-error"), /^Not confirmed: the jury may have it\. Your text is still here/);
  assert.equal(field.value, "Is N at most 5?");
});

test("a question whose session has ended is kept, and whether the jury has it is asked once the person is back", async (t) => {
  const { live, session, form, field, text } = panelOnPage(t);
  const button = form.querySelector("button");
  session.isInDoubt = true;
  live.socket().close(4002);
  assert.match(text("#ask-error"), /^Not confirmed: the session has ended\. Your text is kept here/);
  serve(t, has("Another question"));
  await session.tell("out", "");
  assert.equal(fetch.mock.callCount(), 0, "there is nobody to ask for");
  const looking = session.tell("same", "");
  assert.deepEqual([text("#ask-progress"), button.disabled], ["Looking whether the jury has it …", true], "it is not asked twice meanwhile");
  await looking;
  assert.deepEqual([text("#ask-progress"), button.disabled], ["", false]);
  assert.match(text("#ask-error"), /This did not get through\. Your text is still here/);
  assert.equal(field.value, "Is N at most 5?");
});

test("a question that is sent while the session is over is not sent, and says so at once", (t) => {
  const { session, live, form, text } = panelOnPage(t);
  session.who = "out";
  const before = live.socket().frames("command").length;
  fire(form, "submit");
  assert.match(text("#ask-error"), /^Not sent: you are signed out/);
  assert.equal(live.socket().frames("command").length, before);
});

for (const [how, words] of [["same", ""], ["other", ""], ["out", "Not sent: you are signed out. Your text is kept here; sign in again, and send it then."]]) {
  test(`that one is signed out is said as long as it is true: then it is ${how}`, async (t) => {
    const { session, form, live, text, asked } = panelOnPage(t);
    live.socket().receive({ type: "reply", client_seq: asked().client_seq, ok: false, error: { code: "no", message: "No." } });
    session.who = "out";
    fire(form, "submit");
    assert.match(text("#ask-error"), /^Not sent: you are signed out/, "the premise");
    await session.tell((session.who = how), "");
    assert.deepEqual([text("#ask-error"), form.querySelector("#ask-error").hidden], [words, words === ""]);
  });
}

test("what else was said stays when the session is back", async (t) => {
  const { session, live, text, asked } = panelOnPage(t);
  live.socket().receive({ type: "reply", client_seq: asked().client_seq, ok: false, error: { code: "no", message: "No." } });
  assert.equal(text("#ask-error"), "No.", "the premise");
  await session.tell("same", "");
  assert.equal(text("#ask-error"), "No.");
});

test("what was switched off by an exclusion stays so when the question that was out has its answer", (t) => {
  const { live, form, asked } = panelOnPage(t);
  form.dataset.shut = "";
  live.socket().receive({ type: "reply", client_seq: asked().client_seq, ok: false, error: { code: "forbidden", message: "You are excluded." } });
  assert.equal(form.querySelector("button").disabled, true);
});

test("where nobody says whether the jury has it, nothing is claimed", async (t) => {
  const { live, session, text } = panelOnPage(t);
  session.isInDoubt = true;
  live.socket().close(4002);
  serve(t);
  await session.tell("same", "");
  assert.match(text("#ask-error"), /^Not confirmed: the jury may have it/);
});

test("a stream that ends before its answer may have carried the question: it is looked for before it goes by the form", async (t) => {
  const { live, text } = panelOnPage(t);
  serve(t, has("Is N at most 5?"));
  live.socket().close(4005);
  await settled();
  assert.equal(text("#ask-progress"), "Your question is with the jury.");
  assert.equal(fetch.mock.callCount(), 1, "nothing was posted");
});

test("a question that goes by the form is the one that was sent, whatever was typed since", async (t) => {
  const { live, field, text } = panelOnPage(t, (page) => page.socket().close(1006));
  serve(t, has(), { status: 201, json: async () => ({ location: "/" }) });
  field.value = "Half a ques";
  live.pass(300);
  live.socket().close(4005);
  await settled();
  const [, { method, body }] = fetch.mock.calls[1].arguments;
  assert.deepEqual([method, body.get("text")], ["POST", "Is N at most 5?"]);
  assert.equal(text("#ask-progress"), "Your question is with the jury.");
  assert.equal(field.value, "Half a ques");
});

test("what no page like this one has kept is no draft of a question", () => {
  for (const kept of [null, 5, "x", [], {}, { text: 5 }, { text: null, problem: {} }]) assert.equal(readQuestion(kept), null);
  assert.deepEqual(readQuestion({ text: "Why?" }), { text: "Why?", problem: "", slot: "", savedAt: "" });
});
