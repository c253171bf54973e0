/** One sound for all pages of a person: who makes it, and what happens when pages come, go and sleep meanwhile. */

import assert from "node:assert/strict";
import test from "node:test";

import fc from "fast-check";

import { readMessage, stepClaims, TAKEN_FOR_MS, WAIT_MS, waitMs } from "../claims.js";
import { NOTICE, page, played } from "./pages.js";

/** A message may take so long; beyond it only what is remembered prevents a second sound. */
const IN_TIME_MS = WAIT_MS / 2 - 1;
const quick = () => 3;
const play = (plans, more = {}) => played({ plans, delayMs: quick, remembers: true, ...more });

test("a page alone makes the sound after the wait", () => {
  assert.deepEqual(play([page()]), [{ page: 0, ms: 1_000 + WAIT_MS, ...NOTICE, attended: false }]);
});

test("of twelve pages that hear it at the same moment the one with the lowest rank makes the sound, without any memory", () => {
  const plans = Array.from({ length: 12 }, (_, index) => page({ ranks: [(index * 7 + 5) % 12] }));
  assert.deepEqual(play(plans, { remembers: false }).map(({ page }) => page), [plans.findIndex(({ ranks }) => ranks[0] === 0)]);
});

test("a page that hears it later than the sound makes none, with memory or without", () => {
  const plans = [page({ ranks: [2] }), page({ newsMs: 5_000, ranks: [0] })];
  for (const remembers of [true, false]) assert.deepEqual(play(plans, { remembers }).map(({ page }) => page), [0]);
});

test("a page that has just been opened and knows of no claim is told of it", () => {
  const plans = [page({ ranks: [0.1] }), page({ openMs: 1_010, newsMs: 1_010, ranks: [0.9] })];
  assert.deepEqual(play(plans, { remembers: false }).map(({ page }) => page), [0]);
});

test("what a page has heard it tells to one that asks, where nothing is remembered", () => {
  const plans = [page(), page({ openMs: 20_000, newsMs: 20_000, ranks: [0] })];
  assert.deepEqual(play(plans, { remembers: false }).map(({ page }) => page), [0]);
});

test("if the page that everybody gave way to is closed, another one makes the sound", () => {
  const plans = [page({ ranks: [0], closeMs: 1_100 }), page({ ranks: [1] }), page({ ranks: [2] })];
  const rings = play(plans);
  assert.equal(rings.length, 1);
  assert.ok(rings[0].ms >= 1_000 + TAKEN_FOR_MS && rings[0].ms < 1_000 + TAKEN_FOR_MS + 3 * WAIT_MS, String(rings[0].ms));
});

test("equal ranks give way to each other and draw anew", () => {
  assert.equal(play([page({ ranks: [1, 4, 7] }), page({ ranks: [1, 5, 6] })], { remembers: false }).length, 1);
});

test("a page whose timers come after minutes holds up the others once", () => {
  const rings = play([page({ ranks: [0], lateMs: 120_000 }), page({ ranks: [1] }), page({ ranks: [2] })], { remembers: false, untilMs: 300_000 });
  assert.deepEqual(rings.map(({ page }) => page), [1]);
  assert.ok(rings[0].ms <= 1_000 + TAKEN_FOR_MS + 2 * WAIT_MS, String(rings[0].ms));
});

test("the page that sounds knows that somebody looks at another one, even if that one has not got the news yet", () => {
  const looked = page({ attended: true, newsMs: 1_400, ranks: [9] });
  const rings = play([page({ ranks: [0] }), looked]);
  assert.deepEqual(rings.map(({ page, attended }) => [page, attended]), [[0, true]]);
  assert.deepEqual(play([page({ ranks: [0] }), { ...looked, attended: false }]).map(({ attended }) => attended), [false]);
});

test("pages without a channel look at what is remembered, at different moments", () => {
  const plans = [0.9, 0.2, 0.5].map((rank) => page({ deaf: true, ranks: [rank] }));
  assert.deepEqual(play(plans).map(({ page }) => page), [1]);
  assert.deepEqual([waitMs(true, 0.5), waitMs(false, 0), waitMs(false, 0.5)], [WAIT_MS, WAIT_MS, 3 * WAIT_MS]);
});

const world = (more = {}) => ({ nowMs: 0, rank: 1, attended: false, isNew: false, waitMs: WAIT_MS, isHeard: () => false, ...more });

test("what was heard is not claimed, and a newer version is", () => {
  const isHeard = ({ version }) => version <= 2;
  const news = (version) => stepClaims(new Map(), { type: "news", items: [{ key: "notice/1", version }] }, world({ isHeard }))[1];
  assert.deepEqual(news(2), []);
  assert.equal(news(3)[0].message.type, "claim");
});

test("several at once are one claim and one sound", () => {
  const items = [1, 2, 3].map((id) => ({ key: `notice/${id}`, version: 1 }));
  const [claims, posted] = stepClaims(new Map(), { type: "news", items }, world());
  assert.equal(posted.length, 1);
  const rings = stepClaims(claims, { type: "tick" }, world({ nowMs: WAIT_MS }))[1].filter(({ type }) => type === "ring");
  assert.deepEqual(rings.map((ring) => ring.items.length), [3]);
});

test("the page that sounds remembers it and tells the others before it begins", () => {
  const [claims] = stepClaims(new Map(), { type: "news", items: [NOTICE] }, world());
  const effects = stepClaims(claims, { type: "tick" }, world({ nowMs: WAIT_MS }))[1];
  assert.deepEqual(effects.map(({ type, message }) => message?.type ?? type), ["remember", "heard", "ring"]);
});

test("what is claimed already is not claimed again, and a lower rank that was named before is given way to", () => {
  const news = { type: "news", items: [NOTICE] };
  const [claims] = stepClaims(new Map(), news, world());
  assert.deepEqual(stepClaims(claims, news, world({ nowMs: 100 })), [claims, []]);
  const named = { type: "claim", items: [NOTICE], rank: 0.5, attended: false, asks: false };
  const [known] = stepClaims(new Map(), { type: "message", message: named }, world());
  const [given] = stepClaims(known, news, world({ nowMs: 10 }));
  assert.equal(given.get(NOTICE.key).dueMs, 10 + TAKEN_FOR_MS);
});

test("a newer version takes the place of an older one that has not sounded yet", () => {
  const [claims] = stepClaims(new Map(), { type: "news", items: [{ key: "notice/1", version: 1 }] }, world());
  const [later] = stepClaims(claims, { type: "news", items: [{ key: "notice/1", version: 2 }] }, world({ nowMs: 100 }));
  const rings = stepClaims(later, { type: "tick" }, world({ nowMs: 100 + WAIT_MS }))[1].filter(({ type }) => type === "ring");
  assert.deepEqual(rings.flatMap(({ items }) => items.map(({ version }) => version)), [2]);
});

const anyPage = fc.record({
  newsMs: fc.integer({ min: 0, max: 4_000 }),
  openedBeforeMs: fc.integer({ min: 0, max: 5_000 }),
  lateMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1_000 })),
  ranks: fc.array(fc.double({ min: 0, max: 6, noNaN: true, maxExcluded: true }), { minLength: 3, maxLength: 3 }),
  livesForMs: fc.oneof(fc.constant(Infinity), fc.integer({ min: 0, max: 4_000 })),
  attended: fc.boolean(),
});
/** No two pages draw the same: that takes another round, and no chance makes it happen for ever. */
const planOf = ({ newsMs, openedBeforeMs, livesForMs, ranks, ...rest }, index) =>
  page({ ...rest, ranks: ranks.map((rank) => rank + index / 1e6), newsMs, openMs: newsMs - openedBeforeMs, closeMs: newsMs + livesForMs + 1 });
const pages = (anyone) => fc.array(anyone, { minLength: 1, maxLength: 12 });
const staying = anyPage.map((each) => ({ ...each, livesForMs: Infinity }));
const delays = (max) => fc.array(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 30 }).map((list) => (count) => list[count % list.length]);

test("pages that stay make exactly one sound, whenever it reaches them and without any memory", () => {
  fc.assert(fc.property(pages(staying), delays(IN_TIME_MS), fc.boolean(), (plans, delayMs, remembers) => {
    assert.equal(played({ plans: plans.map(planOf), delayMs, remembers }).length, 1);
  }), { numRuns: 1_000 });
});

test("with a memory there is exactly one sound, however long messages take", () => {
  fc.assert(fc.property(pages(staying), delays(5_000), (plans, delayMs) => {
    assert.equal(played({ plans: plans.map(planOf), delayMs, remembers: true }).length, 1);
  }), { numRuns: 600 });
});

test("pages that are closed in the middle take no sound with them as long as one is left, and add none", () => {
  fc.assert(fc.property(pages(anyPage), staying, delays(IN_TIME_MS), fc.boolean(), (plans, left, delayMs, remembers) => {
    const rings = played({ plans: [...plans, left].map(planOf), delayMs, remembers });
    assert.ok(rings.length >= 1, "no sound");
    if (remembers) assert.equal(rings.length, 1);
  }), { numRuns: 1_000 });
});

test("pages without a channel make exactly one sound between them and the others, by memory alone", () => {
  const mixed = fc.tuple(staying, fc.boolean()).map(([each, deaf]) => ({ ...each, deaf }));
  fc.assert(fc.property(pages(mixed), delays(IN_TIME_MS), (plans, delayMs) => {
    assert.equal(played({ plans: plans.map(planOf), delayMs, remembers: true }).length, 1);
  }), { numRuns: 1_000 });
});

test("what another page says in other words, or no page of ours at all, is not heard", () => {
  const claim = { type: "claim", items: [NOTICE], rank: 1, attended: false, asks: true };
  assert.deepEqual(readMessage(claim), claim);
  assert.deepEqual(readMessage({ type: "heard", items: [NOTICE], more: 1 }), { type: "heard", items: [NOTICE] });
  for (const given of [null, undefined, 5, "claim", [], {}, { type: "heard" }, { ...claim, type: "later" }, { ...claim, rank: "0" }, { ...claim, rank: NaN }]) {
    assert.equal(readMessage(given), null);
  }
  for (const items of [null, {}, "x", [], [null], [{ key: 1, version: 1 }], [NOTICE, { key: "a", version: "1" }], [{ key: "a", version: 1e308 }]]) {
    for (const type of ["claim", "heard", "attended"]) assert.equal(readMessage({ ...claim, type, items }), null);
  }
  assert.equal(readMessage({ ...claim, items: Array(5_000).fill(NOTICE) })?.items.length, 1_000);
});
