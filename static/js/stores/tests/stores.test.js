import assert from "node:assert/strict";
import test from "node:test";

import fc from "fast-check";

import { createAnnouncements, isConfirmed, isConfirming, noticesInForce, unconfirmedNotices, withdrawnNotices } from "../announcements.js";
import { EMPTY_OUTPUT, withPiece } from "../output.js";
import { casesOf, createRecord } from "../record.js";
import { createRecords, recordsNewestFirst, unfinishedIds } from "../records.js";
import { createSelfTest, outputOf } from "../selftest.js";
import { commandOptions, streamOptions } from "../streams.js";
import { createTimer, writtenMs } from "../timer.js";

const contest = { version: 1, state: "running", starts_at: null, ends_at: null, freeze_at: null };
const notice = (id, version, more = {}) => ({
  id, version, title: `notice ${id}`, html: "", level: "info", problem: null, posted_at: `2026-01-01T00:00:0${id}Z`, requires_ack: true, ...more,
});
const posted = (id, version) => ({ name: version === 1 ? "announcement.posted" : "announcement.edited", data: notice(id, version) });
const announcements = (notices = []) => createAnnouncements({ contest, notices });

test("a confirmed notice does not come back when its posting is told again", () => {
  const store = announcements([notice(5, 1)]);
  assert.equal(unconfirmedNotices(store.get()).length, 1, "there was something to confirm");
  store.confirming([{ id: 5, version: 1 }]);
  assert.equal(isConfirming(store.get(), notice(5, 1)), true);
  store.confirmed([{ id: 5, version: 1 }]);
  store.apply(posted(5, 1));
  assert.deepEqual(unconfirmedNotices(store.get()), []);
});

test("a confirmation that did not get through is asked for again", () => {
  const store = announcements([notice(5, 1)]);
  store.confirming([{ id: 5, version: 1 }]);
  store.notConfirmed([{ id: 5, version: 1 }]);
  assert.equal(isConfirming(store.get(), notice(5, 1)), false);
  assert.equal(unconfirmedNotices(store.get()).length, 1);
});

test("an edited notice has to be confirmed anew", () => {
  const store = announcements([notice(5, 1, { confirmed: true })]);
  assert.equal(isConfirmed(store.get(), notice(5, 1)), true);
  store.apply(posted(5, 2));
  assert.deepEqual(unconfirmedNotices(store.get()).map(({ version }) => version), [2]);
});

test("a notice confirmed on another page closes here", () => {
  const store = announcements([notice(5, 2)]);
  store.apply({ name: "announcement.confirmed", data: { notices: [{ id: 5, version: 2 }] } });
  assert.deepEqual(unconfirmedNotices(store.get()), []);
});

test("a withdrawn notice stays withdrawn, also when a snapshot does not name it", () => {
  const store = announcements([notice(5, 1)]);
  store.reset({ contest, notices: [] });
  store.apply(posted(5, 1));
  assert.deepEqual(noticesInForce(store.get()), []);
  store.apply(posted(5, 3));
  assert.equal(noticesInForce(store.get()).length, 1, "a later version is news");
});

test("a notice that goes from this page keeps its title, and one that never was here is nothing to tell", () => {
  const store = announcements([notice(5, 1), notice(6, 1)]);
  store.apply({ name: "announcement.withdrawn", data: { id: 5, version: 2 } });
  store.apply({ name: "announcement.withdrawn", data: { id: 7, version: 2 } });
  assert.deepEqual(withdrawnNotices(store.get()).map(({ title }) => title), ["notice 5"]);
  store.reset({ contest, notices: [] });
  assert.deepEqual(withdrawnNotices(store.get()).map(({ title }) => title), ["notice 5", "notice 6"]);
});

test("any order and any repetition of announcements give the same picture", () => {
  const events = [
    posted(1, 1), posted(1, 2), { name: "announcement.withdrawn", data: { id: 1, version: 3 } }, posted(2, 1), posted(2, 2),
    { name: "announcement.confirmed", data: { notices: [{ id: 2, version: 1 }] } },
    { name: "announcement.confirmed", data: { notices: [{ id: 2, version: 2 }] } },
    { name: "contest.changed", data: { ...contest, version: 2, state: "frozen" } },
    { name: "contest.changed", data: { ...contest, version: 3, state: "ended" } },
    { name: "clarification.answered", data: { id: 9, version: 1, answer: "yes" } },
    { name: "clarification.answered", data: { id: 9, version: 2, answer: "no" } },
  ];
  const picture = (order) => {
    const store = announcements();
    for (const event of order) store.apply(event);
    const state = store.get();
    return { notices: noticesInForce(state), unconfirmed: unconfirmedNotices(state), contest: state.contest, clarifications: [...state.clarifications] };
  };
  const expected = picture(events);
  const orders = fc.tuple(fc.shuffledSubarray(events, { minLength: events.length }), fc.array(fc.constantFrom(...events)));
  fc.assert(fc.property(orders, ([order, repeats]) => assert.deepEqual(picture([...order, ...repeats]), expected)));
});

test("records keep the newest version, newest submission first", () => {
  const store = createRecords({ records: [{ id: 1, version: 2, status: "final" }] });
  store.apply({ name: "record.updated", data: { id: 1, version: 1, status: "running" } });
  store.apply({ name: "record.updated", data: { id: 3, version: 1, status: "queued" } });
  store.merge([{ id: 2, version: 1, status: "running" }]);
  assert.deepEqual(recordsNewestFirst(store.get()).map(({ id, status }) => [id, status]), [[3, "queued"], [2, "running"], [1, "final"]]);
  assert.deepEqual(unfinishedIds(store.get()), [3, 2]);
});

test("cases of one attempt are shown, once each, in order; a reopened record has none", () => {
  const store = createRecord({ record: { id: 1, version: 1, status: "running" }, cases: [] });
  const finished = (index, attempt, verdict) => ({ name: "case.finished", data: { record: 1, index, attempt, verdict } });
  for (const event of [finished(2, 1, "AC"), finished(1, 1, "AC"), finished(2, 1, "WA")]) store.apply(event);
  assert.deepEqual(casesOf(store.get()).map(({ index, verdict }) => [index, verdict]), [[1, "AC"], [2, "AC"]]);
  store.apply({ name: "record.updated", data: { id: 1, version: 2, status: "queued" } });
  assert.deepEqual(casesOf(store.get()), []);
  store.apply({ name: "record.updated", data: { id: 1, version: 3, status: "running" } });
  store.apply(finished(1, 2, "TLE"));
  assert.deepEqual(casesOf(store.get()).map(({ index, verdict }) => [index, verdict]), [[1, "TLE"]]);
});

test("output in any order, doubled and overlapping: no byte is lost and none is doubled", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "\n", "é", "한", "🙂", "\ufeff"), minLength: 1, maxLength: 40 });
  fc.assert(fc.property(text, fc.array(fc.nat(40)), fc.infiniteStream(fc.nat()), (whole, cuts, chance) => {
    const units = [...whole];
    const places = [...new Set([0, ...cuts.map((cut) => cut % units.length), units.length])].sort((a, b) => a - b);
    const bytes = (part) => new TextEncoder().encode(part.join("")).length;
    const pieces = places.slice(0, -1).flatMap((from, index) => {
      const to = places[Math.min(index + 1 + (chance.next().value % 2), places.length - 1)];
      const piece = { offset: bytes(units.slice(0, from)), text: units.slice(from, to).join("") };
      return chance.next().value % 3 === 0 ? [piece, piece] : [piece];
    });
    const shuffled = pieces.map((piece) => [chance.next().value, piece]).sort(([a], [b]) => a - b).map(([, piece]) => piece);
    const output = shuffled.reduce(withPiece, EMPTY_OUTPUT);
    assert.equal(output.text, whole);
    assert.equal(output.ahead.size, 0);
  }));
});

test("a piece beyond a hole is not shown before the hole is filled", () => {
  const holed = withPiece(EMPTY_OUTPUT, { offset: 3, text: "def" });
  assert.equal(holed.text, "");
  assert.equal(withPiece(holed, { offset: 0, text: "abc" }).text, "abcdef");
});

test("a later run starts with empty output, and an earlier one's late output is not shown in it", () => {
  const store = createSelfTest({ run: { id: 1, version: 1, attempt: 1, status: "running" }, output: [{ run: 1, attempt: 1, stream: "stdout", offset: 0, text: "old" }] });
  assert.equal(outputOf(store.get(), "stdout"), "old");
  store.apply({ name: "run.queued", data: { run: 2, position: 1, language: "cpp" } });
  assert.deepEqual([store.get().run.status, store.get().run.position], ["queued", 1]);
  store.apply({ name: "run.output", data: { run: 1, attempt: 1, stream: "stdout", offset: 3, text: "late" } });
  assert.equal(outputOf(store.get(), "stdout"), "");
  store.apply({ name: "run.output", data: { run: 2, attempt: 1, stream: "stdout", offset: 0, text: "new" } });
  assert.equal(outputOf(store.get(), "stdout"), "new");
});

test("a run goes forward only, whatever is repeated", () => {
  const store = createSelfTest({ run: null });
  const statuses = [];
  for (const [name, data] of [
    ["run.queued", { run: 4, position: 1 }],
    ["run.compiling", { run: 4 }],
    ["run.output", { run: 4, attempt: 1, stream: "stdout", offset: 0, text: "x" }],
    ["run.compiling", { run: 4 }],
    ["run.queued", { run: 4, position: 1 }],
    ["run.finished", { id: 4, version: 5, attempt: 1, status: "final", verdict: "AC" }],
    ["run.compiling", { run: 4 }],
    ["run.compiling", { run: 3 }],
  ]) {
    store.apply({ name, data });
    statuses.push(store.get().run.status);
  }
  assert.deepEqual(statuses, ["queued", "compiling", "running", "running", "running", "final", "final", "final"]);
});

test("a run that another worker took over shows the output of the later attempt", () => {
  const store = createSelfTest({ run: { id: 1, version: 1, attempt: 1, status: "running" } });
  store.apply({ name: "run.output", data: { run: 1, attempt: 1, stream: "stdout", offset: 0, text: "first" } });
  store.apply({ name: "run.output", data: { run: 1, attempt: 2, stream: "stdout", offset: 0, text: "second" } });
  assert.equal(outputOf(store.get(), "stdout"), "second");
});

test("the newest word about judging counts, and a fresh snapshot's", () => {
  const contest = { version: 1, state: "running", starts_at: null, ends_at: null, freeze_at: null };
  const alarm = (/** @type {number} */ version, /** @type {string[]} */ ...kinds) =>
    ({ version, alarms: kinds.map((kind) => ({ kind, message: "", since: "" })) });
  const store = createAnnouncements({ contest, notices: [], judging: alarm(0) });
  store.apply({ name: "judge.alarm", data: alarm(2, "no-judge") });
  store.apply({ name: "judge.alarm", data: alarm(1, "queue-stuck") });
  assert.deepEqual(store.get().judging, alarm(2, "no-judge"));
  store.reset({ contest, notices: [], judging: alarm(3) });
  assert.deepEqual(store.get().judging?.alarms, []);
});

test("one who waits moves up, and what a judge gives back waits again", () => {
  const store = createSelfTest({ run: null });
  const queued = (/** @type {number} */ attempt, /** @type {number} */ position) =>
    store.apply({ name: "run.queued", data: { run: 1, attempt, position, language: "c" } });
  const shown = () => [store.get().run.status, store.get().run.position];
  queued(0, 3);
  queued(0, 2);
  assert.deepEqual(shown(), ["queued", 2]);
  store.apply({ name: "run.compiling", data: { run: 1, attempt: 1 } });
  queued(0, 1);
  assert.deepEqual(shown(), ["compiling", 2], "that was said before the judge took it");
  store.apply({ name: "run.output", data: { run: 1, attempt: 1, stream: "stdout", offset: 0, text: "half" } });
  queued(1, 1);
  assert.deepEqual(shown(), ["queued", 1], "the judge gave it back");
  store.apply({ name: "run.compiling", data: { run: 1, attempt: 2 } });
  assert.deepEqual([shown()[0], outputOf(store.get(), "stdout")], ["compiling", ""]);
});

test("a silent program's meters move, and add nothing to its output", () => {
  const store = createSelfTest({ run: { id: 1, version: 1, attempt: 1, status: "compiling" } });
  const meters = (/** @type {number} */ offset, /** @type {number} */ timeMs) =>
    store.apply({ name: "run.output", data: { run: 1, attempt: 1, stream: "stdout", offset, text: "", time_ms: timeMs, memory_kb: 900 } });
  meters(0, 0);
  assert.equal(store.get().run.status, "running");
  store.apply({ name: "run.output", data: { run: 1, attempt: 1, stream: "stdout", offset: 0, text: "one\n" } });
  meters(4, 1500);
  assert.deepEqual([store.get().run.time_ms, store.get().run.memory_kb, outputOf(store.get(), "stdout")], [1500, 900, "one\n"]);
});

test("own time goes on only in the foreground and while the answer is younger than the lease", () => {
  const timer = createTimer({ accumulated_ms: 5_000 }, () => ({ leaseMs: 30_000, replyMs: 8_000 }));
  assert.deepEqual(timer.shown(0, true), { accumulatedMs: 5_000, goesOn: false, synchronised: false }, "the page's own figure is no answer");
  timer.apply({ accumulated_ms: 6_000, as_of: 10, counting: true }, 1_000);
  assert.deepEqual(timer.shown(3_000, true), { accumulatedMs: 8_000, goesOn: true, synchronised: true });
  assert.deepEqual(timer.shown(3_000, false), { accumulatedMs: 6_000, goesOn: false, synchronised: true });
  assert.deepEqual(timer.shown(31_000, true), { accumulatedMs: 6_000, goesOn: false, synchronised: false });
  timer.apply({ accumulated_ms: 1, as_of: 9, counting: true }, 32_000);
  assert.equal(timer.shown(32_000, true).synchronised, false, "an older answer changes nothing");
});

test("a hidden page's report brings the visible page the total, and neither stops its clock nor answers for it", () => {
  const timer = createTimer({ accumulated_ms: 0 }, () => ({ leaseMs: 30_000, replyMs: 8_000 }));
  timer.apply({ accumulated_ms: 5_000, as_of: 10, counting: true }, 1_000);
  timer.asked(2_000);
  timer.applyOfOther({ accumulated_ms: 9_000, as_of: 14, counting: false }, 5_000);
  assert.deepEqual(timer.shown(6_000, true), { accumulatedMs: 10_000, goesOn: true, synchronised: true }, "nothing counts twice");
  assert.equal(timer.shown(10_000, true).synchronised, false, "its own report has no answer yet");
  assert.equal(timer.shown(31_000, true).accumulatedMs, 9_000, "the lease is that of its own last answer");
  timer.apply({ accumulated_ms: 8_500, as_of: 13, counting: true }, 11_000);
  assert.equal(timer.shown(11_000, true).synchronised, true, "its own answer is one, although a newer total came before it");
  assert.equal(timer.shown(11_000, true).accumulatedMs, 15_000);
});

test("a visible page's report does not let a hidden page's clock run", () => {
  const timer = createTimer({ accumulated_ms: 0 }, () => ({ leaseMs: 30_000, replyMs: 8_000 }));
  timer.apply({ accumulated_ms: 5_000, as_of: 10, counting: false }, 1_000);
  timer.applyOfOther({ accumulated_ms: 9_000, as_of: 14, counting: true }, 5_000);
  assert.deepEqual(timer.shown(6_000, true), { accumulatedMs: 9_000, goesOn: false, synchronised: true });
});

test("a report without an answer in time is shown as not synchronised, and goes on counting within the lease", () => {
  const timer = createTimer({ accumulated_ms: 0 }, () => ({ leaseMs: 30_000, replyMs: 8_000 }));
  timer.apply({ accumulated_ms: 5_000, as_of: 10, counting: true }, 1_000);
  timer.asked(11_000);
  assert.deepEqual(timer.shown(18_999, true), { accumulatedMs: 22_999, goesOn: true, synchronised: true });
  assert.deepEqual(timer.shown(19_000, true), { accumulatedMs: 23_000, goesOn: true, synchronised: false });
  timer.asked(21_000);
  assert.equal(timer.shown(21_500, true).synchronised, false, "a newer report does not make up for the older one");
  timer.apply({ accumulated_ms: 25_000, as_of: 30, counting: true }, 22_000);
  assert.deepEqual(timer.shown(23_000, true), { accumulatedMs: 26_000, goesOn: true, synchronised: true });
});

test("an answer that brings less lets the figure stand still until time has caught up, never run backwards", () => {
  const timer = createTimer({ accumulated_ms: 71_000 }, () => ({ leaseMs: 30_000, replyMs: 8_000 }));
  let written = 0;
  const write = (/** @type {number} */ nowMs, foreground = true) => (written = writtenMs(written, timer.shown(nowMs, foreground)));
  assert.equal(write(0), 71_000, "what an earlier page showed beyond it is not known here");
  timer.apply({ accumulated_ms: 71_000, as_of: 10, counting: true }, 1_000);
  assert.equal(write(16_000), 86_000);
  timer.apply({ accumulated_ms: 79_000, as_of: 25, counting: true }, 16_000);
  assert.equal(timer.shown(16_000, true).accumulatedMs, 79_000, "it is less than what was shown");
  assert.deepEqual([write(16_000), write(22_000), write(23_000), write(24_000)], [86_000, 86_000, 86_000, 87_000]);
  assert.equal(write(46_001), 79_000, "after the lease nothing is counted any more, and nothing would catch up");
});

test("what the live connection is told of each stream", () => {
  const told = (name) => {
    const { url, ...more } = streamOptions(name, { url: `/ws/${name}`, cursor: null, data: {} });
    return [url, more];
  };
  assert.deepEqual(told("timer"), ["/ws/timer", { name: "timer", cursor: null, preferred: true }], "it tries for all others");
  const asksTime = { name: "delivered", data: { notices: [] } };
  assert.deepEqual(told("announcements")[1], { name: "announcements", cursor: null, keepHidden: true, timeCommand: asksTime }, "a page that reports no time asks for the clock by it");
  assert.equal(told("selftest")[1].mostBytes, 2 ** 20, "source and input");
});

test("of subscriptions and runs that wait only the newest goes out; a run is told at once that another is going on", () => {
  assert.deepEqual(commandOptions("watch"), { kind: "watch", again: false });
  assert.deepEqual(commandOptions("run"), { kind: "run", patient: false });
  assert.equal(commandOptions("report").provesPath, true);
});

test("what is typed waits longest, a report is never sent again", () => {
  assert.equal(commandOptions("report").again, false);
  assert.equal(commandOptions("ask").again, undefined, "sent again, as everything that creates something");
  assert.equal(streamOptions("announcements", { url: "/ws/a", cursor: {}, data: {} }).keepHidden, true);
});
