/** What a page says when the organisers change the times: from what was told before and what is so now. */

import assert from "node:assert/strict";
import test from "node:test";

globalThis.document = /** @type {any} */ ({ body: { dataset: { zone: "UTC" } } });
const { changesInWords, readTimes } = await import("../changed_times.js");

const told = {
  state: "running", starts_at: "2026-05-01T10:00:00.000Z", ends_at: "2026-05-01T15:00:00.000Z", freeze_at: null,
  paused_at: null, extra_time_ms: 0,
};
const after = (/** @type {object} */ changes, before = told) => changesInWords(before, { ...before, ...changes }).join(" | ");

test("nothing is said where nothing changed, or only what was bound to come", () => {
  assert.equal(after({}), "");
  assert.equal(after({ state: "ended" }), "");
  assert.equal(after({ state: "frozen" }), "");
});

test("an extension, a shorter contest and an end are told with the new end", () => {
  assert.equal(after({ ends_at: "2026-05-01T15:15:00.000Z" }), "The organisers have extended the contest by 15 minutes. It ends at 15:15.");
  assert.equal(after({ ends_at: "2026-05-01T14:50:00.000Z" }), "The organisers have shortened the contest by 10 minutes. It ends at 14:50.");
  assert.equal(after({ ends_at: "2026-05-01T12:00:00.000Z", state: "ended" }), "The organisers have ended the contest.");
});

test("a contest that is moved as a whole is told by its start", () => {
  const moved = { starts_at: "2026-05-01T10:20:00.000Z", ends_at: "2026-05-01T15:20:00.000Z" };
  assert.equal(after(moved, { ...told, state: "coming" }), "The organisers have moved the contest: it starts 20 minutes later, at 10:20.");
});

test("a pause is told, an extension in it without an end that nobody knows, and that it goes on", () => {
  assert.match(after({ state: "paused", paused_at: "2026-05-01T11:00:00.000Z" }), /paused the contest/);
  const paused = { ...told, state: "paused", paused_at: "2026-05-01T11:00:00.000Z" };
  assert.equal(after({ ends_at: "2026-05-01T15:10:00.000Z" }, paused), "The organisers have extended the contest by 10 minutes.");
  assert.equal(after({ state: "running", paused_at: null, ends_at: "2026-05-01T15:30:00.000Z" }, paused), "The contest goes on. It ends at 15:30.");
  assert.equal(after({ state: "ended", paused_at: null, ends_at: "2026-05-01T11:30:00.000Z" }, paused), "The organisers have ended the contest.");
});

test("one's own extra time is told with one's own end, also beside a change for all", () => {
  assert.equal(after({ extra_time_ms: 600_000 }), "The organisers have given you 10 minutes of extra time. Your own end is at 15:10.");
  assert.equal(after({ extra_time_ms: 0 }, { ...told, extra_time_ms: 300_000 }), "The organisers have taken 5 minutes of your extra time back. Your own end is at 15:00.");
  assert.match(after({ ends_at: "2026-05-01T15:05:00.000Z", extra_time_ms: 60_000 }), /extended.*\| .*1 minute of extra time\. Your own end is at 15:06/);
});

test("who has extra time is told the own end beside that of all", () => {
  const extended = after({ ends_at: "2026-05-01T15:15:00.000Z" }, { ...told, extra_time_ms: 600_000 });
  assert.equal(extended, "The organisers have extended the contest by 15 minutes. It ends at 15:15, for you at 15:25.");
});

test("a moved freeze is told, but not when it only moved along with the end", () => {
  assert.match(after({ freeze_at: "2026-05-01T14:00:00.000Z" }), /moved the freeze of the standings to 14:00/);
  assert.match(after({ freeze_at: null }, { ...told, freeze_at: "2026-05-01T14:00:00.000Z" }), /not be frozen/);
  const along = { ends_at: "2026-05-01T15:10:00.000Z", freeze_at: "2026-05-01T14:10:00.000Z" };
  assert.doesNotMatch(after(along, { ...told, freeze_at: "2026-05-01T14:00:00.000Z" }), /freeze/);
});

test("what another version has kept of the times is nothing to compare with", () => {
  assert.equal(readTimes(told), told);
  for (const kept of [null, 5, "x", [], {}, { ...told, extra_time_ms: undefined }, { ...told, ends_at: "soon" }, { ...told, paused_at: undefined }, { ...told, state: 1 }]) {
    assert.equal(readTimes(kept), null);
  }
});
