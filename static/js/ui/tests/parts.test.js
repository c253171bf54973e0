/** The parts of pages that decide something, without a page. */

import assert from "node:assert/strict";
import test from "node:test";

import { arrivedAnswers, questionWords } from "../answers.js";
import { latestOf } from "../latest_records.js";
import { badgeText, connectionVoice, interruptionGrace } from "../badge.js";
import { clockLabel, towards } from "../clock.js";
import { withSentence } from "../common_answers.js";
import { Foreground, noteForeground } from "../own_time.js";
import { betterOf } from "../own_states.js";
import { matches, shownRecords } from "../record_list.js";
import { presenceWord } from "../ledger.js";
import { connectionKnowledge } from "../knowledge.js";
import { beginWords, resultWords } from "../rejudged.js";
import { elsewhereWords, lacking, stateText, stateWords } from "../selftest_words.js";
import { criticalFirst } from "../alerts.js";

test("the badge says what is so, with the seconds to the next try", () => {
  const shown = (state, nextTryMs = null, reason = null) => badgeText(state, { nextTryMs, reason });
  assert.equal(shown("live"), "live");
  assert.equal(shown("reconnecting", 2_400), "not live: reconnecting in 3 s");
  assert.equal(shown("reconnecting"), "not live: reconnecting");
  assert.equal(shown("reconnecting", 10), "not live: reconnecting in 1 s");
  assert.equal(shown("paused", 12_000), "not live: the server is busy, next try in 12 s");
  assert.equal(shown("paused"), "not live: the server is busy");
  assert.equal(shown("checking"), "checking the connection");
  assert.equal(shown("ended", null, { code: "signed-out", message: "" }), "not live: sign in again");
  assert.equal(shown("ended", null, { code: "finished", message: "" }), "not live: ended");
  assert.equal(shown("ended", null, { code: "old-client", message: "" }), "not live: out of date, reload");
  assert.equal(shown("ended", null, { code: "fault", message: "" }), "not live: a fault of this page, reload");
  assert.equal(shown("ended", null, { code: "bad-request", message: "" }), "not live: refused, reload");
  assert.equal(shown("offline", 2_400), "not live: offline");
});

test("the badge says when the page runs over its fallback", () => {
  const shown = (state, carrier) => badgeText(state, { nextTryMs: null, reason: null, carrier });
  assert.equal(shown("live", "events"), "live (fallback)");
  assert.equal(shown("live", "websocket"), "live");
  assert.equal(shown("reconnecting", "events"), "not live: reconnecting");
});

test("losing and regaining the connection is said once each, and a short interruption is not said", () => {
  const said = [];
  const voice = connectionVoice((words) => said.push(words));
  voice("connecting", false);
  voice("live", false);
  voice("reconnecting", true);
  voice("live", false);
  assert.deepEqual(said, []);
  voice("reconnecting", true);
  voice("reconnecting", false);
  voice("offline", false);
  voice("connecting", false);
  voice("live", false);
  voice("checking", false);
  assert.deepEqual(said, ["The live connection is lost. Reconnecting.", "The page is live again."]);
});

test("an interruption has two seconds before it is made anything of, and they begin with a change of server that failed", () => {
  for (const state of ["connecting", "checking", "reconnecting", "offline", "paused"]) {
    const inGrace = interruptionGrace();
    assert.deepEqual([inGrace("live", 0), inGrace(state, 10), inGrace(state, 2_009)], [false, true, true], state);
    assert.deepEqual([inGrace(state, 2_010), inGrace("live", 2_011), inGrace(state, 2_012)], [false, false, true], state);
    assert.deepEqual([inGrace("live", 5_000), inGrace("switching", 5_001), inGrace(state, 7_001)], [false, false, false], state);
    assert.equal(inGrace("ended", 7_002), false, "an end is said at once");
  }
  const inGrace = interruptionGrace();
  inGrace("live", 0);
  inGrace("checking", 1);
  assert.deepEqual([inGrace("reconnecting", 1_500), inGrace("offline", 2_001)], [true, false], "whatever it is called, it is one interruption");
});

test("an end is said, also after a loss, with what has to be done", () => {
  const said = [];
  const voice = connectionVoice((words) => said.push(words));
  voice("reconnecting", false);
  voice("ended", false, "This page is older than the server. Reload it.");
  voice("ended", false, "This page is older than the server. Reload it.");
  assert.deepEqual(said.slice(1), ["Live updates of this page have ended. This page is older than the server. Reload it."]);
});

test("the clock counts to the start, then to the end with one's extra time", () => {
  const schedule = { starts_at: "2026-01-01T10:00:00.000Z", ends_at: "2026-01-01T15:00:00.000Z" };
  const at = (text) => towards(schedule, Date.parse(text), 60_000);
  assert.deepEqual(at("2026-01-01T09:59:59.000Z"), { label: "Starts in", remainingMs: 1_000 });
  assert.deepEqual(at("2026-01-01T10:00:00.000Z"), { label: "Ends in", remainingMs: 5 * 3_600_000 + 60_000 });
  assert.deepEqual(at("2026-01-01T15:00:59.000Z"), { label: "Ends in", remainingMs: 1_000 });
  assert.deepEqual(at("2026-01-01T15:01:00.000Z"), { label: "Over", remainingMs: 0 });
});

test("a paused clock shows what is left, however late it is", () => {
  const schedule = { starts_at: "2026-01-01T10:00:00.000Z", ends_at: "2026-01-01T15:00:00.000Z", paused_at: "2026-01-01T14:00:00.000Z" };
  const shown = ["2026-01-01T14:00:01.000Z", "2026-01-01T16:00:00.000Z"].map((text) => towards(schedule, Date.parse(text), 60_000));
  assert.deepEqual(shown, Array(2).fill({ label: "Paused", remainingMs: 3_600_000 + 60_000 }));
});

test("foreground time is the sum of the visible stretches, whatever is repeated", () => {
  const foreground = new Foreground();
  foreground.set(true, 100);
  foreground.set(true, 150);
  assert.equal(foreground.ms(200), 100);
  foreground.set(false, 200);
  foreground.set(false, 300);
  assert.deepEqual([foreground.ms(400), foreground.visible], [100, false]);
  foreground.set(true, 1_000);
  assert.equal(foreground.ms(1_050), 150);
  assert.equal(foreground.ms(900), 100, "a clock that went back takes nothing away");
});

test("what is solved stays solved on the page", () => {
  assert.equal(betterOf("solved", "tried"), "solved");
  assert.equal(betterOf("tried", "solved"), "solved");
  assert.equal(betterOf("untried", "hidden"), "hidden");
});

const EVERYTHING = { problem: "", language: "", verdict: "", userId: null };
const record = (id, more = {}) => ({ id, version: 1, status: "final", problem: "A", language: "cpp", verdict: "WA", user_id: 2, ...more });

test("a record is shown if it fits the filter that the server applied", () => {
  assert.ok(matches(record(1), EVERYTHING));
  assert.ok(matches(record(1), { problem: "A", language: "cpp", verdict: "WA", userId: 2 }));
  for (const other of [{ problem: "B" }, { language: "c" }, { verdict: "AC" }, { userId: 1 }, { userId: 0 }]) {
    assert.ok(!matches(record(1), { ...EVERYTHING, ...other }));
  }
});

test("what the server found further back than the stream reaches stays in the list", () => {
  const streamed = new Map([[9, record(9, { verdict: "AC" })], [8, record(8, { version: 2 })]]);
  const listed = [record(8), record(3)];
  assert.deepEqual(shownRecords(streamed, listed, { ...EVERYTHING, verdict: "WA" }), [record(8, { version: 2 }), record(3)]);
  const many = new Map(Array.from({ length: 60 }, (_, index) => [index + 100, record(index + 100)]));
  const shown = shownRecords(many, listed, EVERYTHING).map(({ id }) => id);
  assert.deepEqual([shown.length, shown[0], shown.at(-1)], [50, 159, 110]);
});

test("the latest records are one's own of this problem, newest first, five at most", () => {
  const all = [record(1), record(2, { problem: "B" }), record(3, { user_id: 7 }), ...[4, 5, 6, 7, 8].map((id) => record(id))];
  const records = new Map(all.map((each) => [each.id, each]));
  assert.deepEqual(latestOf(records, "A", 2).map(({ id }) => id), [8, 7, 6, 5, 4]);
  assert.deepEqual(latestOf(records, "B", 2).map(({ id }) => id), [2]);
});

test("an answer is news to a page that had it not, and on a new page if one's question waited for it", () => {
  const rows = (...all) => new Map(all.map(([id, version, answer]) => [id, { id, version, answer }]));
  const ids = (before, now, waiting = []) => arrivedAnswers(before, now, new Set(waiting)).map(({ id }) => id);
  assert.deepEqual(ids(rows([1, 1, null]), rows([1, 2, "yes"], [2, 1, null])), [1]);
  assert.deepEqual(ids(rows([1, 2, "yes"]), rows([1, 2, "yes"])), []);
  assert.deepEqual(ids(rows(), rows([3, 2, "to all"])), [3]);
  assert.deepEqual(ids(rows([1, 2, "yes"]), rows([1, 3, "no"])), [1], "a changed answer");
  assert.deepEqual(ids(null, rows([1, 2, "yes"], [2, 2, "old"]), [1]), [1]);
});

test("a self-test asks for what is missing before anything is sent", () => {
  const whole = { language: "cpp", source: "int main(){}", stdin: "" };
  assert.equal(lacking(whole), "");
  assert.match(lacking({ ...whole, language: "" }), /language/);
  assert.match(lacking({ ...whole, source: " \n" }), /no source/);
  assert.match(lacking({ ...whole, source: "é".repeat(131_073) }), /larger/);
  assert.match(lacking({ ...whole, stdin: "x".repeat(262_145) }), /input is larger/);
});

test("how a self-test ended is said in words", () => {
  const final = { id: 1, version: 1, attempt: 1, status: "final" };
  assert.equal(stateText({ ...final, verdict: "AC", exit_status: 0 }), "finished");
  assert.equal(stateText({ ...final, verdict: "RE", exit_status: 3 }), "run-time error, exit status 3");
  assert.equal(stateText({ ...final, verdict: "RE", exit_status: -11 }), "run-time error, ended by signal 11");
  assert.equal(stateText({ ...final, verdict: "OLE", exit_status: null, cut: ["stdout"] }), "output limit exceeded; cut: stdout");
  assert.equal(stateText({ ...final, status: "queued", position: 3 }), "waiting, number 3");
  assert.equal(stateText({ ...final, status: "running" }), "running");
  assert.equal(stateText({ ...final, status: "compiling" }), "compiling");
  assert.equal(stateText({ ...final, verdict: null, exit_status: null }), "stopped");
  assert.equal(stateText({ ...final, verdict: "TLE", exit_status: -9, time_ms: 30 }, 5_000), "time limit exceeded: it waited until the time was up");
  assert.equal(stateText({ ...final, verdict: "TLE", exit_status: -9, time_ms: 5_010 }, 5_000), "time limit exceeded");
});

test("what a page knows is in doubt while it is offline or probing, and lost with the connection", () => {
  const connection = connectionKnowledge();
  assert.equal(connection.get(), "known");
  connection.onPage("offline");
  assert.equal(connection.get(), "doubted", "at once, not when the next report is missed");
  connection.onState("checking");
  connection.onState("reconnecting");
  assert.equal(connection.get(), "lost");
  connection.onPage("online");
  assert.equal(connection.get(), "lost", "the browser's word brings nothing back");
  connection.onState("live");
  assert.equal(connection.get(), "known");
  connection.onState("checking");
  assert.equal(connection.get(), "doubted");
});

test("a browser that wrongly says it is offline is not believed against what is heard", () => {
  let nowMs = 0;
  const connection = connectionKnowledge(() => nowMs);
  connection.onPage("offline");
  nowMs += 1_000;
  connection.heard();
  assert.equal(connection.get(), "doubted", "it may have been on its way before");
  nowMs += 1_500;
  connection.heard();
  assert.equal(connection.get(), "known");
  connection.onPage("hidden");
  assert.equal(connection.get(), "known");
});

test("a run is told with how the page knows it", () => {
  const going = { id: 1, version: 1, attempt: 1, status: "running", language: "cpp" };
  const now = { cpuMs: 5_000, knowledge: "known", isStopping: false, isEarlier: false };
  assert.equal(stateWords(going, now), "running");
  assert.equal(stateWords(going, { ...now, isStopping: true }), "stopping …");
  assert.match(stateWords(going, { ...now, knowledge: "lost" }), /^not live/);
  assert.equal(stateWords(going, { ...now, knowledge: "doubted" }), "running (as last heard; the connection is in doubt)");
  const done = { ...going, status: "final", verdict: "AC" };
  assert.equal(stateWords(done, { ...now, knowledge: "doubted" }), "finished");
  assert.equal(stateWords(done, { ...now, knowledge: "lost", isStopping: true }), "finished", "what is final stays known");
  assert.equal(stateWords(done, { ...now, isEarlier: true }), "Your last run (cpp): finished");
});

test("a page that is looked at reports when it wakes, even if nothing else has changed", (t) => {
  globalThis.document = { visibilityState: "visible" };
  t.after(() => { delete globalThis.document; });
  const foreground = new Foreground();
  assert.equal(noteForeground(foreground, "visible"), true);
  assert.equal(noteForeground(foreground, "slept"), true, "the server's lease has run out meanwhile");
  assert.equal(noteForeground(foreground, "interaction"), false, "nothing is new");
  assert.equal(noteForeground(foreground, "hidden"), true);
  globalThis.document.visibilityState = "hidden";
  assert.equal(noteForeground(foreground, "slept"), false, "nobody looks, so there is nothing to say");
});

test("a page that is frozen or left has no foreground, until somebody is there again", (t) => {
  globalThis.document = { visibilityState: "visible" };
  t.after(() => { delete globalThis.document; });
  for (const [goes, comes] of [["freeze", "resume"], ["leaving", "pageshow"], ["leaving", "interaction"]]) {
    const foreground = new Foreground();
    noteForeground(foreground, "visible");
    assert.deepEqual([noteForeground(foreground, goes), foreground.visible], [true, false], goes);
    assert.deepEqual([noteForeground(foreground, comes), foreground.visible], [true, true], comes);
  }
});

test("a connection is told in one word, and who takes nothing in is not called connected", () => {
  const nobody = { user: "a", connected: false, connected_since: null, disconnected_since: null, behind_since: null };
  const at = "2026-11-30T05:00:00.000Z";
  assert.equal(presenceWord(nobody), "never connected");
  assert.equal(presenceWord({ ...nobody, disconnected_since: at }), "away");
  assert.equal(presenceWord({ ...nobody, connected: true, connected_since: at }), "connected");
  assert.equal(presenceWord({ ...nobody, connected: true, connected_since: at, behind_since: at }), "behind");
});

test("a common answer goes below what was typed, and another choice takes its place", () => {
  assert.equal(withSentence("", "No comment.", ""), "No comment.");
  assert.equal(withSentence("Typed.\n", "No comment.", ""), "Typed.\nNo comment.");
  assert.equal(withSentence("No comment.", "Yes.", "No comment."), "Yes.");
  assert.equal(withSentence("Typed.\nNo comment.", "Yes.", "No comment."), "Typed.\nYes.");
  assert.equal(withSentence("No comment. But:", "Yes.", "No comment."), "No comment. But:\nYes.");
});

test("a run of another problem is one line that says of which", () => {
  const run = { id: 1, version: 1, attempt: 1, status: "final", verdict: "AC", language: "cpp" };
  assert.equal(elsewhereWords(run, "B", 5_000), "Your last run of problem B (cpp): finished");
  assert.equal(elsewhereWords(run, null, 5_000), "Your last run (cpp): finished");
});

test("the clock's label says whose end it is, and that a pause leaves what is left", () => {
  assert.equal(clockLabel("Ends in", 0), "Ends in");
  assert.equal(clockLabel("Ends in", 300_000), "Your end, with 5 minutes extra, in");
  assert.equal(clockLabel("Paused", 300_000), "Paused,");
});

test("an answer is told with its question, shortened", () => {
  assert.equal(questionWords({ id: 1, version: 2, answer: "No.", text: "May n be\n 0?" }, true), "You asked: “May n be 0?”");
  const long = questionWords({ id: 1, version: 2, answer: "No.", text: "x".repeat(500) }, false);
  assert.equal(long, `Asked: “${"x".repeat(159)}…”`);
});

test("what is judged again is told at its beginning and with its result", () => {
  const record = { id: 7, problem: "A", status: "final", verdict: "AC" };
  assert.equal(beginWords([record]), "Your record #7 (problem A) is being judged again.");
  assert.equal(resultWords([record]), "Your record #7 (problem A) was judged again: accepted.");
  assert.equal(resultWords([record, { ...record, id: 8 }]), "2 of your records were judged again.");
});

test("a critical notice stands before the others, the newest of its level first", () => {
  const notices = [["info", 4], ["critical", 3], ["warning", 2], ["critical", 1]].map(([level, id]) => ({ level, id }));
  assert.deepEqual(criticalFirst(notices).map(({ id }) => id), [3, 1, 4, 2]);
});
