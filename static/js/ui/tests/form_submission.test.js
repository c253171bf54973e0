import assert from "node:assert/strict";
import test from "node:test";

import { bodyOf, isFormSubmission, pendingSubmissions, postSubmission, readForm, sameText, sizeOf } from "../form_submission.js";
import { sessionWords, whoIs } from "../session.js";
import { MemoryStorage } from "./fake_storage.js";

const [ALICE, BOB] = [{ id: 1, name: "Alice" }, { id: 2, name: "Bob" }];

/** What `new FormData(form)` finds, and the form's address. */
async function submissionOf(t, entries) {
  const form = { action: "/contests/demo/problems/A/submit/" };
  const Native = globalThis.FormData;
  globalThis.FormData = class extends Native {
    constructor(of) {
      super();
      if (of === form) for (const [name, value] of entries) this.append(name, value);
    }
  };
  t.after(() => { globalThis.FormData = Native; });
  return readForm(form);
}

function withStorage(t) {
  globalThis.localStorage = new MemoryStorage();
  t.after(() => { delete globalThis.localStorage; });
}

const FIELDS = [["csrfmiddlewaretoken", "old"], ["form_key", "k1"], ["written_by", "1"], ["language", "cpp"], ["source", "int\n"]];

test("every repeat says the same, with the token of the session that is now", async (t) => {
  const submission = await submissionOf(t, [...FIELDS, ["source_file", new File([], "")]]);
  assert.deepEqual([submission.key, submission.text, submission.file], ["k1", "int\n", null], "a field for files that is empty sends none");
  const body = bodyOf(submission, "new");
  assert.deepEqual([...body], [["csrfmiddlewaretoken", "new"], ...FIELDS.slice(1)]);
  assert.equal(sizeOf(submission), 2 + 1 + 3 + 4);
});

test("a file comes out of the storage to the byte, its mark and its ends of lines too", async (t) => {
  withStorage(t);
  const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a, 0xed, 0x95, 0x9c]);
  const pending = pendingSubmissions("1/demo/A");
  const submission = await submissionOf(t, [...FIELDS, ["source_file", new File([bytes], "a.py")]]);
  assert.ok(pending.keep(submission));
  const sent = bodyOf(pending.oldest(), "t").get("source_file");
  assert.equal(sent.name, "a.py");
  assert.deepEqual(new Uint8Array(await sent.arrayBuffer()), bytes);
});

test("a file that is deleted after it was chosen goes as it was, or is asked for again if nobody has read it", async (t) => {
  const gone = (text) => {
    const file = new File([text], "a.cpp");
    let reads = 0;
    const whole = file.arrayBuffer.bind(file);
    file.arrayBuffer = () => (text !== "" && (reads += 1) === 1 ? whole() : Promise.reject(new DOMException("gone", "NotFoundError")));
    file.slice = () => ({ arrayBuffer: file.arrayBuffer });
    return file;
  };
  const chosen = await submissionOf(t, [...FIELDS, ["source_file", gone("int main() {}")]]);
  assert.equal(await bodyOf(chosen, "t").get("source_file").text(), "int main() {}");
  const lost = await submissionOf(t, [...FIELDS, ["source_file", gone("")]]);
  t.mock.method(globalThis, "fetch", () => assert.fail("nothing is sent"));
  globalThis.HTMLInputElement = class {};
  t.after(() => { delete globalThis.HTMLInputElement; });
  const answer = await postSubmission({ data: { timings: {} } }, { querySelector: () => null }, lost);
  assert.deepEqual([answer.kind, answer.words], ["refused", "The file cannot be read any more. Choose it again."]);
});

test("what is no text is sent as it is, and not kept: the server will refuse it", async (t) => {
  withStorage(t);
  const pending = pendingSubmissions("1/demo/A");
  const submission = await submissionOf(t, [...FIELDS, ["source_file", new File([new Uint8Array([0xff, 0xfe])], "a.bin")]]);
  assert.equal(pending.keep(submission), false);
  assert.equal((await bodyOf(submission, "t").get("source_file").arrayBuffer()).byteLength, 2);
});

test("the pending submissions of one person and problem are nobody else's, and come out oldest first", async (t) => {
  withStorage(t);
  const pending = pendingSubmissions("1/demo/A");
  const submission = await submissionOf(t, FIELDS);
  pending.keep({ ...submission, key: "late", at: "2026-01-02T00:00:00Z" });
  pending.keep({ ...submission, key: "early", at: "2026-01-01T00:00:00Z" });
  assert.equal(pending.oldest().key, "early");
  assert.deepEqual(["1/demo/B", "2/demo/A", "11/demo/A"].map((place) => pendingSubmissions(place).oldest()), [null, null, null]);
  pending.forget(pending.oldest(), "");
  assert.equal(pending.oldest().key, "late");
});

test("other tabs are told which submission was forgotten, and where it is if it was stored", async (t) => {
  withStorage(t);
  const [told, listeners] = [[], []];
  globalThis.addEventListener = (name, listener) => listeners.push([name, listener]);
  t.after(() => { delete globalThis.addEventListener; });
  const tell = (event) => listeners.forEach(([name, listener]) => name === "storage" && listener(event));
  t.mock.method(localStorage, "removeItem", (key) => {
    const oldValue = localStorage.getItem(key);
    delete localStorage[key];
    if (oldValue !== null) tell({ key, oldValue, newValue: null });
  });
  const pending = pendingSubmissions("1/demo/A");
  pending.onForgotten(({ key, at }, location) => told.push([key, at, location]));
  const first = { ...await submissionOf(t, FIELDS), at: "2026-01-01T00:00:00Z" };
  pending.keep(first);
  assert.equal(pending.has(first), true);
  pending.forget(first, "");
  assert.equal(pending.has(first), false);
  pending.forget(first, "/records/7/"); // taken back in one tab, and stored by what another had on its way
  const second = { ...first, at: "2026-01-01T00:01:00Z" };
  pending.keep(second);
  assert.equal(pending.has(first), false, "the form was sent with another text");
  pending.forget(first, "/records/7/");
  assert.equal(pending.has(second), true);
  assert.deepEqual(told, [["k1", first.at, ""], ["k1", first.at, "/records/7/"]]);
  for (const oldValue of [null, "{no JSON", "5", "{}"]) tell({ key: "fathom/sent/1/demo/A/k1", oldValue, newValue: null });
  tell({ key: null, oldValue: null, newValue: null });
  assert.equal(told.length, 2, "no page like this one has kept that");
  tell({ key: "fathom/sent/1/demo/A/k1", oldValue: JSON.stringify({ at: first.at, location: "javascript:alert(1)" }), newValue: null });
  assert.deepEqual(told[2], ["k1", first.at, ""], "a link leads to this site");
});

test("ends of lines make no other text", () => {
  assert.ok(sameText("a\r\nb", "a\nb"));
  assert.ok(!sameText("a\nb", "a b"));
});

test("the page knows its owner by the id, and says in words whose session it is", () => {
  const session = (user) => ({ user, csrf: "t" });
  assert.deepEqual([null, { ...ALICE, name: "Alice B." }, BOB].map((user) => whoIs(ALICE, session(user))), ["out", "same", "other"]);
  assert.equal(sessionWords("same", ALICE, ALICE), "");
  assert.match(sessionWords("out", ALICE, null), /Nothing that you typed is lost/);
  const words = sessionWords("other", ALICE, BOB);
  assert.match(words, /^You are now signed in as Bob in this browser\. This page belongs to Alice: it is not live any more/);
  assert.match(words, /Reload to go on as Bob\.$/);
});

test("what no page like this one has written is no form submission", () => {
  const submission = { key: "k", at: "2026-01-01T00:00:00Z", action: "/", fields: [["source", "x"]], file: null, text: "x" };
  assert.ok(isFormSubmission(submission));
  assert.ok(isFormSubmission({ ...submission, file: { field: "file", name: "a.cpp", text: "x" } }));
  for (const kept of [null, 5, "x", [], {}]) assert.ok(!isFormSubmission(kept));
  for (const [name, values] of Object.entries({
    key: [1], at: [5, "then", undefined], action: [null], fields: ["x", [["a"]], [["a", 1]]], file: [undefined, {}, { field: "file", name: "a", text: null }], text: [1],
  })) for (const value of values) assert.ok(!isFormSubmission({ ...submission, [name]: value }), `${name} ${JSON.stringify(value)}`);
});
