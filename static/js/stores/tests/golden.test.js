/** The stores take in what the server's own presenters write. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { createAnnouncements, noticesInForce, unconfirmedNotices } from "../announcements.js";
import { casesOf, createRecord } from "../record.js";
import { createRecords, recordsNewestFirst } from "../records.js";
import { createSelfTest, outputOf } from "../selftest.js";
import { createTimer } from "../timer.js";

const { server } = JSON.parse(readFileSync(new URL("../../../../realtime/tests/golden_frames.json", import.meta.url), "utf8"));
const frame = (name) => JSON.parse(server[name]);
const apply = (store, ...names) => names.forEach((name) => store.apply(frame(name)));

test("announcements: posted, edited, confirmed, withdrawn, answered", () => {
  const snapshot = frame("snapshot").data;
  const store = createAnnouncements({ ...snapshot, notices: [], clarifications: [] });
  apply(store, "announcement.posted", "announcement.edited", "clarification.answered", "contest.changed");
  assert.deepEqual(noticesInForce(store.get()).map(({ id, version }) => [id, version]), [[5, 2]]);
  assert.deepEqual([...store.get().clarifications.keys()], [2]);
  assert.equal(unconfirmedNotices(store.get()).length, 1);
  apply(store, "announcement.confirmed");
  assert.equal(unconfirmedNotices(store.get()).length, 0);
  apply(store, "announcement.withdrawn");
  assert.deepEqual(noticesInForce(store.get()), []);
  store.reset(snapshot);
  assert.deepEqual(noticesInForce(store.get()).map(({ title }) => title), ["Lunch"]);
});

test("records and one record with its cases", () => {
  const records = createRecords({ records: [] });
  apply(records, "record.updated");
  assert.deepEqual(recordsNewestFirst(records.get()).map(({ id, verdict }) => [id, verdict]), [[9, "AC"]]);
  const record = createRecord({ record: { id: 9, version: 1, status: "running" }, cases: [] });
  apply(record, "case.finished", "case.finished", "record.updated");
  assert.deepEqual(casesOf(record.get()).map(({ index, verdict }) => [index, verdict]), [[2, "AC"]]);
  assert.equal(record.get().record.verdict, "AC");
});

test("a self-test from the queue to its end", () => {
  const store = createSelfTest({ run: null, output: [] });
  const seen = ["run.queued", "run.compiling", "run.output", "run.finished"].map((name) => {
    apply(store, name);
    return store.get().run.status;
  });
  assert.deepEqual(seen, ["queued", "compiling", "running", "final"]);
  assert.deepEqual([outputOf(store.get(), "stdout"), store.get().run.verdict], ["42\n", "AC"]);
});

test("own time", () => {
  const timer = createTimer({ accumulated_ms: 0 }, () => ({ leaseMs: 30_000, replyMs: 8_000 }));
  timer.apply({ accumulated_ms: 0, as_of: 1, counting: true }, 0);
  timer.applyOfOther(frame("timer"), 100);
  assert.deepEqual(timer.shown(1_100, true), { accumulatedMs: 121_000, goesOn: true, synchronised: true });
});
