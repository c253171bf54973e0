/** What the panel for looking inside says. */

import assert from "node:assert/strict";
import test from "node:test";

import { ago, causeWords, clockWords, frameAge, lifeWords, pageWords, placeWords, reportText, windowWords } from "../connection_words.js";

/** Number and unit are kept on one line; here that is of no interest. */
const plain = (/** @type {string} */ text) => text.replaceAll("\u00a0", " ");

const stream = {
  name: "news", url: "/ws/news", transport: "websocket", state: "live", lastFrameAgeMs: 3_400, rttMs: 41.4,
  nextTryMs: null, probe: null, cursor: { contest: { epoch: "e", seq: 131 }, me: { epoch: "f", seq: 4 } },
  sockets: 2, failures: 0, queued: [], causes: [{ cause: "drain", code: 4112, agoMs: 20_000 }],
};
const page = {
  client: "c1", visible: true, hiddenForMs: null, offline: false, circuit: { mode: "closed", opensInMs: 0 },
  clock: { serverMs: 1, errorMs: 11.2 }, timings: { heartbeatMs: 40_000, silenceMs: 120_000, probeMs: 1_500 },
};

test("ages are said in seconds, then minutes, then hours", () => {
  assert.deepEqual([0, 999, 3_400, 119_999, 120_000, 7_199_999, 7_200_000].map((ms) => plain(ago(ms))),
    ["0 s ago", "0 s ago", "3 s ago", "119 s ago", "2 min ago", "119 min ago", "2 h ago"]);
});

test("the age beside the badge is that of the newest and the oldest proof", () => {
  const of = (...ages) => plain(frameAge(ages.map((lastFrameAgeMs) => ({ lastFrameAgeMs }))));
  assert.equal(of(3_000, 3_900), "last frame 3 s ago");
  assert.equal(of(3_000, null, 27_000), "last frames 3 s to 27 s ago");
  assert.equal(of(null), "no frame yet");
});

test("a stream says how it is, how far it has come and why it was lost", () => {
  assert.equal(plain(lifeWords(stream)), "last frame 3 s ago · round trip 41 ms · WebSocket");
  assert.equal(plain(placeWords(stream)), "at contest 131, me 4 · tried 2 times");
  assert.equal(plain(causeWords(stream)), "planned change of server (4112), 20 s ago");
});

test("one that is not live says when the next try comes, what was in vain and what waits", () => {
  const lost = { ...stream, state: "reconnecting", transport: "events", lastFrameAgeMs: null, rttMs: null, nextTryMs: 1_200, failures: 3, cursor: null, queued: [{}] };
  assert.equal(plain(lifeWords(lost)), "no frame yet · round trip unknown · server-sent events · next try in 2 s");
  assert.equal(plain(placeWords(lost)), "keeps no place · tried 2 times · 3 failures in a row · 1 command waits");
  const asked = { ...stream, probe: { cause: "probe-timeout", dueInMs: 2_900 } };
  assert.match(plain(lifeWords(asked)), / · asked, answer due in 3 s$/);
});

test("the three latest causes are said, the latest first", () => {
  const causes = ["error", "slept", "probe-timeout", "offline"].map((cause, index) => ({ cause, code: null, agoMs: 1_000 * (4 - index) }));
  assert.equal(plain(causeWords({ causes })), "the browser was offline, 1 s ago; no answer when asked, 2 s ago; this computer slept, 3 s ago");
});

test("a connection that was closed says by whom, as far as its code tells", () => {
  const of = (code) => plain(causeWords({ causes: [{ cause: "close", code, agoMs: 1_000 }] }));
  assert.deepEqual([null, 1006, 1001, 4102].map(of), [
    "ended by the server, 1 s ago", "cut off on the way (1006), 1 s ago",
    "closed by the server or on the way (1001), 1 s ago", "closed by the server (4102), 1 s ago",
  ]);
});

test("a clock that is not synchronised says why", () => {
  assert.match(clockWords({ clock: null }, [stream]), /^not synchronised: this computer slept or its clock was set/);
  assert.match(clockWords({ clock: null }, [{ lastFrameAgeMs: null }]), /^not synchronised: the server has not told/);
});

test("the page says its clock, whether somebody looks at it, and its windows", () => {
  assert.equal(clockWords(page, [stream]), "synchronised, ± 12 ms");
  assert.equal(pageWords(page), "in front");
  const away = { ...page, visible: false, hiddenForMs: 61_000, offline: true, circuit: { mode: "open", opensInMs: 4_200 } };
  assert.equal(plain(pageWords(away)), "hidden for 61 s · the browser says that it is offline · tries are paused for 5 s");
  assert.equal(windowWords(page), "the server speaks every 40 s; after 120 s of silence it is asked, and has 1.5 s to answer");
});

test("the text for the organisers has all of it in words, and once more for programs", () => {
  const text = reportText({ shown: "live", path: "/contests/demo/", browser: "B", at: "T", streams: [stream], page });
  for (const words of ["live", "/contests/demo/", "client c1", "news: live", "round trip 41 ms", "interrupted: planned change", "± 12 ms"]) assert.ok(text.includes(words), words);
  const ended = { ...stream, state: "ended", ending: { code: "finished", message: "This record is final." } };
  assert.ok(reportText({ shown: "live", path: "/", browser: "B", at: "T", streams: [ended], page }).includes("news: ended (This record is final.)"));
  assert.deepEqual(JSON.parse(text.split("\n").at(-1)), { page, streams: [stream] });
});
