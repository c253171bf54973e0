import assert from "node:assert/strict";
import test from "node:test";

import { emptyOutbox, isBusy, stepOutbox } from "../outbox.js";
import { saidOf } from "../outbox_words.js";
import { answerOf, deadlineMs, post } from "../posting.js";

const AWAY = { kind: "away", words: "the site has not answered", retryMs: null };
const NAMES = { what: "Your solution", since: "10:32", look: "see your latest records" };

/** A form on a page: what it was told and what it had done. */
class Box {
  constructor({ patient = true, live = true } = {}) {
    this.state = emptyOutbox({ patient, live });
    this.effects = [];
  }

  tell(...events) {
    for (const event of events) {
      const [next, effects] = stepOutbox(this.state, typeof event === "string" ? { type: event } : event, () => 0.5);
      [this.state, this.effects] = [next, effects];
    }
    return this;
  }

  answer(answer) {
    return this.tell({ type: "answer", answer });
  }

  get did() {
    return this.effects.map(({ type, ms }) => (type === "wait" ? `wait ${ms}` : type));
  }

  get said() {
    return saidOf(this.state, NAMES);
  }
}

const live = (is) => ({ type: "live", live: is });
const session = (who) => ({ type: "session", who, words: who === "other" ? "You are now signed in as Bob." : "" });

test("it is kept before it is sent, and whoever waits is led to what came of it", () => {
  const box = new Box().tell("submit");
  assert.deepEqual(box.did, ["keep", "wait null", "post"]);
  assert.ok(isBusy(box.state));
  box.answer({ kind: "done", location: "/records/7/" });
  assert.deepEqual(box.effects, [{ type: "forget" }, { type: "leave", location: "/records/7/" }, { type: "wait", ms: 10_000 }]);
});

test("while the page is being left nothing else is sent; one that is still there then can send again, and still says what was sent", () => {
  const box = new Box().tell("submit").answer({ kind: "done", location: "/records/7/" });
  assert.ok(isBusy(box.state), "the premise");
  assert.deepEqual(box.tell("submit").did, []);
  box.tell(live(false), live(true), "due");
  assert.deepEqual([isBusy(box.state), box.said.words, box.state.location], [false, "Sent.", "/records/7/"]);
  assert.deepEqual(box.tell("submit").did, ["keep", "wait null", "post"]);
  assert.deepEqual([isBusy(box.answer({ kind: "refused", words: "no" }).state)], [false], "it is not being left any more");
});

test("pressed while the page is not live it says at once that it waits for the connection, and follows it", () => {
  const box = new Box({ live: false }).tell("submit");
  assert.deepEqual(box.did, ["keep", "wait null", "post"], "a form goes by itself, and may get through");
  assert.equal(box.said.words, "Your solution waits for the connection; trying to send it all the same …");
  assert.equal(box.tell(live(true)).said.words, "Sending …");
  assert.match(box.tell(live(false)).said.words, /^Your solution waits for the connection/);
});

test("without an answer the path is asked, and it waits for a connection that is proven", () => {
  const box = new Box().tell("submit").answer(AWAY);
  assert.deepEqual(box.did, ["ask-path", "wait 2500"]);
  assert.match(box.said.words, /^Your solution is not confirmed: the site has not answered\. It will be tried again/);
  box.tell(live(false));
  assert.deepEqual(box.did, ["wait null"]);
  assert.match(box.said.words, /It will be sent when the connection is back\. It is stored once/);
  assert.deepEqual([box.said.canTry, box.said.canDrop], [true, true]);
  box.tell("due");
  assert.deepEqual(box.did, [], "a timer that was late sends nothing into a dead path");
  box.tell(live(true));
  assert.deepEqual(box.did, ["wait 500"], "spread: everybody's connection is back at this moment");
  box.tell("due");
  assert.deepEqual(box.did, ["wait null", "post"]);
  assert.match(box.said.words, /not confirmed.*Sending it again/);
});

test("what was sent later than the person waited tears nobody away", () => {
  const box = new Box().tell("submit").answer(AWAY).tell("due").answer({ kind: "done", location: "/records/7/" });
  assert.deepEqual(box.did, ["forget"]);
  assert.deepEqual([box.said.words, box.state.location, isBusy(box.state)], ["Your solution is sent.", "/records/7/", false]);
});

test("the waits double up to a minute, and the server's own wait counts if it is longer", () => {
  const box = new Box().tell("submit");
  const waits = [];
  for (let round = 0; round < 7; round += 1) {
    box.answer(AWAY);
    waits.push(box.effects.find(({ type }) => type === "wait").ms);
    box.tell("due");
  }
  assert.deepEqual(waits, [2_500, 5_000, 10_000, 20_000, 40_000, 75_000, 75_000]);
  const told = new Box().tell("submit").answer({ ...AWAY, retryMs: 8_000 });
  assert.deepEqual(told.did, ["ask-path", "wait 10000"]);
});

test("a notice is not sent by itself: what is right now may be wrong then", () => {
  const box = new Box({ patient: false }).tell("submit").answer(AWAY);
  assert.deepEqual(box.did, ["ask-path", "wait null"]);
  box.tell(live(false));
  assert.match(box.said.words, /Try again when the page is live/);
  box.tell(live(true));
  assert.deepEqual(box.did, []);
  assert.match(box.said.words, /The page is live: if it is still right, try now/);
  assert.deepEqual(box.tell("try").did, ["wait null", "post"]);
});

test("one thing at a time: a second press sends nothing while the first has no answer", () => {
  const box = new Box().tell("submit", "submit");
  assert.deepEqual(box.did, []);
  box.answer(AWAY).tell("submit");
  assert.deepEqual([box.did, box.state.phase], [[], "held"]);
  box.tell("drop");
  assert.deepEqual(box.did, ["forget", "wait null"]);
  assert.match(box.said.words, /^It is not sent again; what was already on its way may still be stored: see your latest records\.$/);
  assert.deepEqual(box.tell("submit").did, ["keep", "wait null", "post"]);
});

test("what is found after a reload is offered, and goes only if the person says so", () => {
  const box = new Box({ live: false }).tell("found");
  assert.match(box.said.words, /of 10:32 was sent without an answer\. It may have arrived/);
  box.tell(live(true), "due", session("same"));
  assert.deepEqual([box.did, box.state.phase], [[], "offered"]);
  assert.deepEqual(box.tell("try").did, ["wait null", "post"]);
});

test("the server's refusal is said in its words, and nothing goes again", () => {
  const box = new Box().tell("submit").answer({ kind: "refused", words: "The contest is over.", fields: {} });
  assert.equal(box.said.words, "Not sent: The contest is over. What you typed stays here.");
  assert.deepEqual(box.tell(live(false), live(true), "due", "try").did, []);
  assert.equal(box.tell("drop").said.words, "");
});

test("signed out it waits for the same person, and is sent as soon as they are back", () => {
  const box = new Box().tell("submit").answer({ kind: "signed-out" });
  assert.deepEqual(box.did, ["ask-session"]);
  assert.match(box.said.words, /not sent yet: you are signed out/);
  box.tell(live(false), live(true), "due");
  box.tell(session("out"));
  assert.equal(box.state.phase, "held");
  assert.deepEqual(box.tell(session("same")).did, ["wait null", "post"]);
});

test("what waits for a connection waits for the person where their session has ended", () => {
  const box = new Box().tell("submit").answer(AWAY).tell(session("out"));
  assert.deepEqual(box.did, ["wait null"]);
  assert.match(box.said.words, /not confirmed: you are signed out/);
  assert.deepEqual(box.tell(session("same")).did, ["wait null", "post"]);
});

test("another person's session stops it for good", () => {
  for (const before of [["submit"], ["found"], []]) {
    const box = new Box().tell(...before, session("other"));
    assert.equal(box.state.phase, "stopped");
    assert.match(box.said.words, /signed in as Bob/);
    assert.deepEqual(box.tell("try", "due", "submit", live(false), live(true)).did, []);
  }
  const told = new Box().tell("submit").answer({ kind: "other-user", words: "Nothing was sent." });
  assert.deepEqual([told.did, told.state.phase], [["ask-session"], "stopped"]);
});

test("a token that has grown old is renewed unseen, and not for ever", () => {
  const box = new Box().tell("submit").answer({ kind: "out-of-date" });
  assert.deepEqual(box.did, ["ask-session"]);
  box.tell(session("same"));
  assert.deepEqual(box.did, ["wait null", "post"]);
  box.answer({ kind: "out-of-date" }).tell(session("same")).answer({ kind: "out-of-date" });
  assert.match(box.said.words, /This page is out of date\. Reload it/);
  const fresh = new Box().tell("submit").answer({ kind: "out-of-date" }).tell(session("same"));
  assert.deepEqual(fresh.answer({ kind: "done", location: "/records/7/" }).did, ["forget", "leave", "wait 10000"]);
});

test("only the site's own answer says what came of it", () => {
  const error = (code, message) => ({ error: { code, message } });
  assert.deepEqual(answerOf(201, { location: "/records/7/" }), { kind: "done", location: "/records/7/" });
  assert.equal(answerOf(200, null).kind, "away", "the page of a hotel's network");
  assert.equal(answerOf(502, null).kind, "away");
  assert.deepEqual(answerOf(503, { error: { code: "unavailable", message: "No database.", retry_after_ms: 5_000 } }),
    { kind: "away", words: "No database.", retryMs: 5_000 });
  assert.deepEqual(answerOf(403, error("forbidden", "The contest is over.")), { kind: "refused", words: "The contest is over.", fields: {} });
  assert.equal(answerOf(401, error("signed-out", "")).kind, "signed-out");
  assert.equal(answerOf(403, error("out-of-date", "")).kind, "out-of-date");
  assert.equal(answerOf(409, error("other-user", "")).kind, "other-user");
  assert.deepEqual(answerOf(413, null), { kind: "refused", words: "It is too large.", fields: {} });
});

test("an answer is waited for as long as a probe, and longer where much has to be carried", async (t) => {
  assert.equal(deadlineMs(10_000, 2_000), 10_250);
  assert.equal(deadlineMs(10_000, 256 * 1024), 42_768);
  t.mock.method(globalThis, "fetch", (_, { signal }) => new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  }));
  const keepAlive = setTimeout(() => undefined, 1_000);
  assert.deepEqual(await post("/", new FormData(), 5), AWAY);
  clearTimeout(keepAlive);
  t.mock.method(globalThis, "fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  assert.equal((await post("/", new FormData(), 5)).words, "the site cannot be reached");
});
