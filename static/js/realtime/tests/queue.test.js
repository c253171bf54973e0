import assert from "node:assert/strict";
import test from "node:test";

import { add, answer, clear, disconnected, emptyQueue, expire, markSent, MOST_ITEMS, nextExpiryMs, nextSendMs, sendable } from "../queue.js";

const CONFIRM = 10_000;
const at = (ms) => ({ ms, wallMs: ms, back: false, slept: false, lateAfterMs: 10_000, random: () => 0.5 });
const encode = (seq) => `#${seq}`;
const spec = (ref, more = {}) => ({ ref, name: "ask", data: {}, kind: null, expiresMs: 60_000, again: true, patient: true, provesPath: false, ...more });
const report = (ref) => spec(ref, { name: "report", kind: "report", again: false });
const filled = (specs, ms = 0) => specs.reduce((queue, each) => add(queue, each, encode, at(ms)).queue, emptyQueue());
const sent = (queue, ms = 0) => markSent(queue, sendable(queue, at(ms), CONFIRM), at(ms));
const refs = (items) => items.map((item) => item.ref);
const reply = (seq, more = { ok: true }) => ({ type: "reply", client_seq: seq, ...more });

test("commands are numbered in order and go out once", () => {
  const queue = filled([spec(1), spec(2)]);
  assert.deepEqual(sendable(queue, at(0), CONFIRM).map((item) => item.text), ["#1", "#2"]);
  assert.deepEqual(sendable(sent(queue), at(0), CONFIRM), []);
});

test("at most eight are unanswered at a time; one that has had no answer for long keeps no place", () => {
  const queue = sent(filled(Array.from({ length: 12 }, (_, index) => spec(index))));
  assert.deepEqual(sendable(queue, at(1), CONFIRM), []);
  assert.equal(nextSendMs(queue, at(1), CONFIRM), CONFIRM);
  assert.deepEqual(refs(sendable(queue, at(CONFIRM), CONFIRM)), [8, 9, 10, 11]);
  assert.deepEqual(refs(sendable(answer(queue, reply(1), at(2)).queue, at(2), CONFIRM)), [8]);
});

test("the queue is bounded, and the one too many is told so", () => {
  const full = filled(Array.from({ length: MOST_ITEMS }, (_, index) => spec(index)));
  const { queue, settled } = add(full, spec(99), encode, at(0));
  assert.equal(queue, full);
  assert.deepEqual(settled, [{ ref: 99, outcome: { kind: "failed", code: "full" } }]);
});

test("of waiting items of one kind only the newest is kept", () => {
  const { queue, settled } = add(filled([spec(1, { kind: "run" }), spec(2)]), spec(3, { kind: "run" }), encode, at(0));
  assert.deepEqual(refs(queue.items), [2, 3]);
  assert.deepEqual(settled, [{ ref: 1, outcome: { kind: "failed", code: "replaced" } }]);
});

test("a run that was sent is not replaced, also when its socket is gone: it may be running", () => {
  const under = sent(filled([spec(1, { kind: "run" })]));
  assert.deepEqual(refs(add(under, spec(2, { kind: "run" }), encode, at(0)).queue.items), [1, 2]);
  const waiting = disconnected(under).queue;
  assert.deepEqual(refs(sendable(waiting, at(0), CONFIRM)), [1], "it waits to go out again");
  const { queue, settled } = add(waiting, spec(2, { kind: "run" }), encode, at(0));
  assert.deepEqual([refs(queue.items), settled], [[1, 2], []]);
});

test("an answer that comes after the next report is an answer, but only the latest four reports wait for theirs", () => {
  let queue = emptyQueue();
  const replaced = [];
  for (let ref = 1; ref <= 6; ref += 1) {
    const change = add(queue, report(ref), encode, at(ref));
    replaced.push(...refs(change.settled));
    queue = sent(change.queue, ref);
  }
  assert.deepEqual([refs(queue.items), replaced], [[3, 4, 5, 6], [1, 2]]);
  assert.deepEqual(refs(answer(queue, reply(3), at(20)).settled), [3]);
  assert.deepEqual(refs(add(filled([report(1)]), report(2), encode, at(0)).queue.items), [2], "one that never went out is replaced");
});

test("after a lost socket the unanswered go out again under their old numbers, reports do not", () => {
  const before = sent(filled([spec(1), report(2), spec(3)]));
  const { queue, settled } = disconnected(before);
  assert.deepEqual(settled, [{ ref: 2, outcome: { kind: "failed", code: "lost" } }]);
  assert.deepEqual(sendable(queue, at(0), CONFIRM).map((item) => item.text), ["#1", "#3"]);
  assert.equal(queue.nextSeq, 4, "a number that was used never comes back");
});

test("a reply settles its command once; a late repeat finds nothing", () => {
  const queue = sent(filled([spec(1)]));
  const first = answer(queue, reply(1), at(5));
  assert.equal(first.settled[0].outcome.kind, "reply");
  const second = answer(first.queue, reply(1), at(6));
  assert.deepEqual([second.settled, second.item], [[], null]);
});

test("busy with a hint is waited for where the command is patient, and is an answer where it is not", () => {
  const busy = { ok: false, error: { code: "busy", message: "", retry_after_ms: 800 } };
  const patient = answer(sent(filled([spec(1)])), reply(1, busy), at(100));
  assert.deepEqual(patient.settled, []);
  assert.deepEqual(sendable(patient.queue, at(899), CONFIRM), []);
  assert.equal(nextSendMs(patient.queue, at(100), CONFIRM), 900);
  assert.deepEqual(refs(sendable(patient.queue, at(900), CONFIRM)), [1]);
  const never = answer(sent(filled([report(1)])), reply(1, busy), at(100));
  assert.equal(never.settled.length, 1, "a report is never sent again");
  const impatient = answer(sent(filled([spec(1, { patient: false })])), reply(1, busy), at(100));
  assert.equal(impatient.settled[0].outcome.reply.error.code, "busy");
});

test("without a reply for ten seconds a command is not confirmed, said once, and stays", () => {
  const queue = sent(filled([spec(1)]));
  assert.equal(nextExpiryMs(queue, CONFIRM), CONFIRM);
  const first = expire(queue, at(CONFIRM), CONFIRM);
  assert.deepEqual(first.unconfirmed, [1]);
  assert.deepEqual(refs(first.queue.items), [1]);
  assert.deepEqual(expire(first.queue, at(CONFIRM + 1), CONFIRM).unconfirmed, []);
});

test("an item whose time is over leaves with that outcome", () => {
  const { queue, settled } = expire(filled([spec(1)]), at(60_000), CONFIRM);
  assert.deepEqual([queue.items, settled], [[], [{ ref: 1, outcome: { kind: "failed", code: "expired" } }]]);
});

test("when its owner is gone the queue is emptied, and everybody in it is told", () => {
  const { queue, settled } = clear(sent(filled([spec(1), spec(2)])), "leaving");
  assert.deepEqual([queue.items, refs(settled)], [[], [1, 2]]);
  assert.equal(queue.nextSeq, 3);
});
