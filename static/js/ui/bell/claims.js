/**
 * Which of one person's open pages makes the sound, without any import, clock or chance. There is no leading page and
 * no lock (Web Locks need https). Each page that has something new says so to the others with a rank, waits, and
 * makes the sound if nobody named a lower one; what was heard is remembered, and that is looked at again before it
 * sounds. A page that gave way hears of the sound, or claims anew: the one it gave way to was closed meanwhile.
 *
 * One sound where a message takes at most half of the wait, or where what was heard is remembered for all pages;
 * at least one as long as a page is left.
 */

/** How long a page waits for the claims of others. Messages between pages take a few milliseconds. */
export const WAIT_MS = 150;
/** Pages that hear nothing of each other look at what is remembered at moments that lie so far apart, at most. */
const SPREAD_MS = 600;
/** After so long without the sound it is taken for gone: timers of hidden pages run once a second. */
export const TAKEN_FOR_MS = 3_000;
/** More than one message of a page tells of. */
const MOST_ITEMS = 1_000;

/**
 * @typedef {{ key: string, version: number }} Item something to be heard once: a version of a notice, or of an answer
 * @typedef {object} Claim what is known of the newest version of one key
 * @property {number} version
 * @property {number | null} mine this page's rank; null: others have claimed it, this page has not seen it yet
 * @property {number | null} best the lowest rank that others have named
 * @property {boolean} attended somebody looks at one of the pages right now
 * @property {number} dueMs when something is to be decided
 * @typedef {ReadonlyMap<string, Claim>} Claims by key
 */

/**
 * @typedef {{ type: "claim", items: Item[], rank: number, attended: boolean, asks: boolean }} ClaimMessage
 *   `asks`: whoever sent it may have missed earlier claims
 * @typedef {ClaimMessage | { type: "heard", items: Item[] } | { type: "attended", items: Item[] }} Message
 * @typedef {{ type: "news", items: Item[] } | { type: "message", message: Message } | { type: "tick" }} ClaimEvent
 * @typedef {{ type: "post", message: Message } | { type: "remember", items: Item[] }
 *   | { type: "ring", items: (Item & { attended: boolean })[] }} ClaimEffect
 * @typedef {object} World what a page sees right now
 * @property {number} nowMs monotonic
 * @property {number} rank drawn anew for each step; the page that is best placed draws from below
 * @property {boolean} attended this page is visible and has the focus
 * @property {boolean} isNew it has listened to others for less than TAKEN_FOR_MS
 * @property {number} waitMs
 * @property {(item: Item) => boolean} isHeard in any page, as far as it is remembered
 * @typedef {[Claims, ClaimEffect[]]} Step
 */

/**
 * @param {Claims} claims
 * @param {ClaimEvent} event
 * @param {World} world
 * @returns {Step}
 */
export function stepClaims(claims, event, world) {
  switch (event.type) {
    case "news": return onNews(claims, event.items, world);
    case "tick": return onTick(claims, world);
    case "message": return onMessage(claims, event.message, world);
  }
}

/** @param {boolean} hasChannel @param {number} chance from 0 to 1 @returns {number} how long a page waits before it sounds */
export function waitMs(hasChannel, chance) {
  return hasChannel ? WAIT_MS : WAIT_MS + Math.floor(chance * SPREAD_MS);
}

/** @param {Claims} claims @returns {number | null} when the next tick is due; null: there is nothing to wait for */
export function nextDueMs(claims) {
  return [...claims.values()].reduce((/** @type {number | null} */ first, { dueMs }) => Math.min(first ?? dueMs, dueMs), null);
}

/** @param {Claims} claims @param {string} key @returns {Claims} without what is not to be heard any more */
export function withoutKey(claims, key) {
  return new Map([...claims].filter(([each]) => each !== key));
}

/** @param {Claims} claims @param {Item[]} items @param {World} world @returns {Step} */
function onNews(claims, items, world) {
  const fresh = items.filter((item) => !world.isHeard(item) && !isClaimed(claims.get(item.key), item.version));
  if (fresh.length === 0) return [claims, []];
  const next = new Map(claims);
  for (const { key, version } of fresh) {
    const known = claims.get(key);
    const said = known?.version === version ? known : { best: null, attended: false };
    next.set(key, decided({ version, mine: world.rank, best: said.best, attended: said.attended, dueMs: 0 }, world));
  }
  return [next, [post({ type: "claim", items: fresh, rank: world.rank, attended: world.attended, asks: world.isNew })]];
}

/** @param {Claim | undefined} known @param {number} version */
function isClaimed(known, version) {
  return known !== undefined && (known.version > version || (known.version === version && known.mine !== null));
}

/**
 * What came from another page, which may be older or newer than this one, or no page of ours at all.
 * @param {any} given
 * @returns {Message | null} null: nothing that this page understands
 */
export function readMessage(given) {
  const items = Array.isArray(given?.items) ? given.items.slice(0, MOST_ITEMS) : [];
  if (items.length === 0 || !items.every(isItem)) return null;
  if (given.type === "heard" || given.type === "attended") return { type: given.type, items };
  if (given.type !== "claim" || !Number.isFinite(given.rank)) return null;
  return { type: "claim", items, rank: given.rank, attended: given.attended === true, asks: given.asks === true };
}

/** @param {any} given @returns {boolean} */
function isItem(given) {
  return typeof given?.key === "string" && Number.isSafeInteger(given.version);
}

/** @param {Claims} claims @param {Message} message @param {World} world @returns {Step} */
function onMessage(claims, message, world) {
  switch (message.type) {
    case "heard": return [without(claims, message.items), [{ type: "remember", items: message.items }]];
    case "attended": return [withAttended(claims, message.items), []];
    case "claim": return onClaim(claims, message, world);
  }
}

/** @param {Claims} claims @param {ClaimMessage} message @param {World} world @returns {Step} */
function onClaim(claims, { items, rank, attended, asks }, world) {
  const open = items.filter((item) => !world.isHeard(item) && (claims.get(item.key)?.version ?? 0) <= item.version);
  const next = new Map(claims);
  for (const { key, version } of open) {
    const known = claims.get(key);
    next.set(key, known?.version === version ? joined(known, rank, attended, world) : rumour(version, rank, attended, world));
  }
  const heard = items.filter(world.isHeard);
  const led = open.filter(({ key }) => isLeading(next.get(key)));
  /** @type {ClaimEffect[]} */
  const effects = heard.length > 0 ? [post({ type: "heard", items: heard })] : [];
  if (asks) effects.push(...answers(led, next, world));
  if (world.attended && !attended && open.length > 0) effects.push(post({ type: "attended", items: open }));
  return [next, effects];
}

/** @param {Claim} known @param {number} rank @param {boolean} attended @param {World} world @returns {Claim} */
function joined(known, rank, attended, world) {
  const claim = { ...known, best: Math.min(known.best ?? rank, rank), attended: known.attended || attended };
  return isLeading(claim) ? claim : decided(claim, world);
}

/** @param {number} version @param {number} rank @param {boolean} attended @param {World} world @returns {Claim} */
function rumour(version, rank, attended, world) {
  return { version, mine: null, best: rank, attended, dueMs: world.nowMs + TAKEN_FOR_MS };
}

/** @param {Item[]} led @param {Claims} claims @param {World} world @returns {ClaimEffect[]} one message for each rank of this page */
function answers(led, claims, { attended }) {
  const ranks = new Set(led.map(({ key }) => Number(claims.get(key)?.mine)));
  const items = (/** @type {number} */ rank) => led.filter(({ key }) => claims.get(key)?.mine === rank);
  return [...ranks].map((rank) => post({ type: "claim", items: items(rank), rank, attended, asks: false }));
}

/** @param {Claims} claims @param {World} world @returns {Step} */
function onTick(claims, world) {
  const due = [...claims].filter(([, { dueMs }]) => dueMs <= world.nowMs).map(([key, claim]) => ({ key, ...claim }));
  if (due.length === 0) return [claims, []];
  const open = due.filter((each) => each.mine !== null && !world.isHeard(each));
  const won = open.filter(isLeading).map(({ key, version, attended }) => ({ key, version, attended: attended || world.attended }));
  const left = open.filter((each) => !isLeading(each)).map(({ key, version }) => ({ key, version }));
  const [next, again] = onNews(without(claims, due), left, world);
  if (won.length === 0) return [next, again];
  const items = won.map(({ key, version }) => ({ key, version }));
  return [next, [{ type: "remember", items }, post({ type: "heard", items }), { type: "ring", items: won }, ...again]];
}

/** @param {Claim | undefined} claim @returns {boolean} equal ranks both give way, and draw anew */
function isLeading(claim) {
  return claim !== undefined && claim.mine !== null && (claim.best === null || claim.mine < claim.best);
}

/** @param {Claim} claim @param {World} world @returns {Claim} */
function decided(claim, { nowMs, waitMs }) {
  return { ...claim, dueMs: nowMs + (isLeading(claim) ? waitMs : TAKEN_FOR_MS) };
}

/** @param {Claims} claims @param {Item[]} items @returns {Claims} */
function without(claims, items) {
  const gone = new Map(items.map(({ key, version }) => [key, version]));
  return new Map([...claims].filter(([key, { version }]) => version > (gone.get(key) ?? 0)));
}

/** @param {Claims} claims @param {Item[]} items @returns {Claims} */
function withAttended(claims, items) {
  const next = new Map(claims);
  for (const { key } of items) {
    const known = claims.get(key);
    if (known !== undefined) next.set(key, { ...known, attended: true });
  }
  return next;
}

/** @param {Message} message @returns {ClaimEffect} */
function post(message) {
  return { type: "post", message };
}
