/** One thing that was sent is held by several pages of one person: what is done with on one is done with on all. */

import assert from "node:assert/strict";
import test from "node:test";

import { emptyOutbox, isBusy, stepOutbox } from "../outbox.js";
import { saidOf } from "../outbox_words.js";

const AWAY = { type: "answer", answer: { kind: "away", words: "the site has not answered", retryMs: null } };
const DONE = { type: "answer", answer: { kind: "done", location: "/records/7/" } };
const [DROPPED, STORED] = [{ type: "done-elsewhere" }, { type: "done-elsewhere", location: "/records/7/" }];
const NAMES = { what: "Your solution", since: "10:32", look: "see your latest records" };
const NOT_AGAIN = "It is not sent again; what was already on its way may still be stored: see your latest records.";
const BY_ANOTHER = `Another page has taken it back, or has its answer. ${NOT_AGAIN}`;

/** A page after these events: what it says, and what it did because of the last one. */
function after(...events) {
  let [box, effects] = [emptyOutbox({ patient: true, live: true }), []];
  for (const event of events) [box, effects] = stepOutbox(box, typeof event === "string" ? { type: event } : event, () => 0.5);
  return { box, did: effects.map(({ type, ms }) => (type === "wait" ? `wait ${ms}` : type)), words: saidOf(box, NAMES).words };
}

test("what is taken back while it is on its way is followed by nothing, and nobody promises that it does not arrive", () => {
  const sending = after("submit", DROPPED);
  assert.deepEqual([sending.box.phase, sending.did, sending.words], ["sending", [], BY_ANOTHER]);
  const silent = after("submit", DROPPED, AWAY);
  assert.deepEqual([silent.box.phase, silent.did, silent.words], ["dropped", ["ask-path", "wait null"], BY_ANOTHER]);
  for (const event of ["due", "try", { type: "live", live: false }, { type: "live", live: true }, { type: "session", who: "same" }]) {
    assert.equal(after("submit", DROPPED, AWAY, event).did.includes("post"), false);
  }
});

test("what would have waited for a session that has ended is dropped, too", () => {
  for (const kind of ["signed-out", "out-of-date"]) {
    const page = after("submit", DROPPED, { type: "answer", answer: { kind } });
    assert.deepEqual([page.box.phase, page.did], ["dropped", ["ask-session", "wait null"]]);
    assert.deepEqual(after("submit", DROPPED, { type: "answer", answer: { kind } }, { type: "session", who: "same" }).did, []);
  }
});

test("what was stored all the same is said on both pages, and leads nobody away", () => {
  const sender = after("submit", DROPPED, DONE);
  assert.deepEqual([sender.box.phase, sender.box.location, sender.did, sender.words], ["sent", "/records/7/", ["forget"], "Your solution is sent."]);
  const dropper = after("found", "drop", STORED);
  assert.equal(after("found", "drop").words, NOT_AGAIN);
  assert.deepEqual([dropper.box.phase, dropper.box.location, dropper.words], ["sent", "/records/7/", "Your solution is sent."]);
});

test("what the server refuses is said in its words, also where it was taken back", () => {
  const page = after("submit", DROPPED, { type: "answer", answer: { kind: "refused", words: "The contest is over.", fields: {} } });
  assert.deepEqual([page.words, page.did], ["Not sent: The contest is over. What you typed stays here.", ["forget"]]);
});

test("a page that holds or offers it says that it was stored, or that it does not send it any more", () => {
  for (const before of [["found"], ["submit", AWAY]]) {
    const stored = after(...before, STORED);
    assert.deepEqual([stored.box.phase, stored.did, stored.words], ["sent", ["wait null"], "Your solution is sent."]);
    const dropped = after(...before, DROPPED);
    assert.deepEqual([dropped.box.phase, dropped.did, dropped.words], ["dropped", ["wait null"], BY_ANOTHER]);
    assert.equal(isBusy(dropped.box), false, "something else can be sent");
  }
});

test("a page that has no answer of its own knows from another's that it was stored", () => {
  const page = after("submit", STORED, AWAY);
  assert.deepEqual([page.box.phase, page.box.location, page.did], ["sent", "/records/7/", ["ask-path", "wait null"]]);
  const refused = after("submit", { type: "answer", answer: { kind: "refused", words: "The contest is paused.", fields: {} } }, STORED);
  assert.deepEqual([refused.box.phase, refused.words], ["sent", "Your solution is sent."]);
});

test("what is sent next begins anew", () => {
  const next = after("submit", DROPPED, AWAY, "submit");
  assert.deepEqual([next.did, next.words], [["keep", "wait null", "post"], "Sending …"]);
  assert.deepEqual(after("submit", DROPPED, AWAY, "submit", AWAY).did, ["ask-path", "wait 2500"]);
});

test("where nothing waits there is nothing to be done with", () => {
  for (const before of [[], ["submit", DONE], ["submit", { type: "session", who: "other", words: "You are now signed in as Bob." }]]) {
    assert.deepEqual(after(...before, DROPPED).box, after(...before).box);
  }
});
