/**
 * Commands on their way: bounded, numbered, each with an expiry. One that was sent and not answered
 * is sent again after a reconnect under its old number if its effect must not be lost; the server
 * recognises the number, so nothing is done twice. Nothing leaves the queue without an outcome.
 */

/** @import { Command, CommandSpec, Moment, Outcome, Queue, QueueChange, ReplyFrame } from "./types.js" */

/** More than a person can type while offline; a page that exceeds it has run wild. */
export const MOST_ITEMS = 50;
/** Unanswered at a time. The server works off ten at once for a connection, and says `busy` beyond. */
const MOST_UNANSWERED = 8;
/** Of what is not sent again (reports), so many of a kind may still be waiting for a late answer. */
const MOST_LATE = 4;

/** @returns {Queue} */
export function emptyQueue() {
  return { items: [], nextSeq: 1 };
}

/**
 * @param {Queue} queue
 * @param {CommandSpec} spec
 * @param {(clientSeq: number) => string} encode
 * @param {Moment} now
 * @returns {QueueChange} of waiting items of one kind only the newest is kept; a full queue refuses
 */
export function add(queue, spec, encode, now) {
  const outdated = outdatedBy(queue, spec);
  const kept = queue.items.filter((item) => !outdated.includes(item));
  if (kept.length >= MOST_ITEMS) return { queue, settled: [{ ref: spec.ref, outcome: refusal("full") }] };
  const item = newItem(spec, queue.nextSeq, encode(queue.nextSeq), now);
  return { queue: { items: [...kept, item], nextSeq: queue.nextSeq + 1 }, settled: settle(outdated, "replaced") };
}

/**
 * What may go out now, in order. An item that has had no answer for long no longer keeps a place.
 * @param {Queue} queue
 * @param {Moment} now
 * @param {number} confirmMs
 * @returns {Command[]}
 */
export function sendable(queue, now, confirmMs) {
  const held = queue.items.filter((item) => item.sentMs !== null && now.ms - item.sentMs < confirmMs).length;
  const waiting = queue.items.filter((item) => item.sentMs === null && item.notBeforeMs <= now.ms);
  return waiting.slice(0, Math.max(0, MOST_UNANSWERED - held));
}

/**
 * @param {Queue} queue
 * @param {Command[]} sent
 * @param {Moment} now
 * @returns {Queue}
 */
export function markSent(queue, sent, now) {
  if (sent.length === 0) return queue;
  const times = { sentMs: now.ms, sentWallMs: now.wallMs, tried: true };
  return { ...queue, items: queue.items.map((item) => (sent.includes(item) ? { ...item, ...times } : item)) };
}

/**
 * A reply: settles its item. `busy` with a hint is no answer yet where the command asks for patience.
 * @param {Queue} queue
 * @param {ReplyFrame} reply
 * @param {Moment} now
 * @returns {QueueChange & { item: Command | null }} item: the one that was answered, null for a late repeat
 */
export function answer(queue, reply, now) {
  const item = queue.items.find((each) => each.clientSeq === reply.client_seq) ?? null;
  if (item === null) return { queue, settled: [], item };
  const againMs = patienceMs(item, reply);
  if (againMs !== null) {
    const waiting = { ...item, sentMs: null, notBeforeMs: now.ms + againMs };
    return { queue: replace(queue, item, waiting), settled: [], item };
  }
  const settled = [{ ref: item.ref, outcome: /** @type {Outcome} */ ({ kind: "reply", reply }) }];
  return { queue: without(queue, [item]), settled, item };
}

/**
 * The socket is gone. What must not be lost waits for the next one, shown as not confirmed.
 * @param {Queue} queue
 * @returns {QueueChange}
 */
export function disconnected(queue) {
  const gone = queue.items.filter((item) => item.sentMs !== null && !item.again);
  const items = without(queue, gone).items.map((item) => ({ ...item, sentMs: null, notBeforeMs: 0 }));
  return { queue: { ...queue, items }, settled: settle(gone, "lost") };
}

/**
 * A new connection is welcomed: what speaks of the moment at which it was written is made anew. An
 * old report that arrived just before a fresh one would settle the time between the two as nothing.
 * @param {Queue} queue
 * @returns {QueueChange}
 */
export function welcomed(queue) {
  const outdated = queue.items.filter((item) => item.standing);
  return { queue: without(queue, outdated), settled: settle(outdated, "replaced") };
}

/**
 * Deadlines: items whose time is over leave with that outcome, unanswered ones become not confirmed.
 * @param {Queue} queue
 * @param {Moment} now
 * @param {number} confirmMs
 * @returns {QueueChange & { unconfirmed: number[] }} unconfirmed: refs that have just become so
 */
export function expire(queue, now, confirmMs) {
  if (now.ms < nextExpiryMs(queue, confirmMs)) return { queue, settled: [], unconfirmed: [] };
  const over = queue.items.filter((item) => item.expiresMs <= now.ms);
  const doubtful = queue.items.filter((item) => !over.includes(item) && isDoubtful(item, now, confirmMs));
  const items = without(queue, over).items.map((item) =>
    doubtful.includes(item) ? { ...item, unconfirmed: true } : item);
  const unconfirmed = doubtful.map((item) => item.ref);
  return { queue: { ...queue, items }, settled: settle(over, "expired"), unconfirmed };
}

/**
 * The queue belongs to one user in one context; it ends with it.
 * @param {Queue} queue
 * @param {"ended" | "leaving" | "context"} code
 * @returns {QueueChange} numbers go on: one that was used never comes back
 */
export function clear(queue, code) {
  return { queue: { ...queue, items: [] }, settled: settle(queue.items, code) };
}

/**
 * @param {Queue} queue
 * @param {number} confirmMs
 * @returns {number} ms, the next moment at which `expire` has something to do
 */
export function nextExpiryMs(queue, confirmMs) {
  let next = Infinity;
  for (const item of queue.items) {
    next = Math.min(next, item.expiresMs);
    if (!item.unconfirmed) next = Math.min(next, item.askedMs + confirmMs);
  }
  return next;
}

/**
 * @param {Queue} queue
 * @param {Moment} now
 * @param {number} confirmMs
 * @returns {number} ms, when an item that has to wait may go out; Infinity if none has
 */
export function nextSendMs(queue, now, confirmMs) {
  if (!queue.items.some((item) => item.sentMs === null)) return Infinity;
  const times = queue.items.map((item) => (item.sentMs === null ? item.notBeforeMs : item.sentMs + confirmMs));
  return Math.min(Infinity, ...times.filter((ms) => ms > now.ms));
}

/** @param {"full" | "too-large" | "ended" | "leaving" | "context"} code @returns {Outcome} */
export function refusal(code) {
  return { kind: "failed", code };
}

/**
 * How long a command that is told `busy` waits before it asks again; null: this is its answer.
 * @param {Command} item
 * @param {ReplyFrame} reply
 */
function patienceMs(item, { ok, error }) {
  if (ok || !item.patient || !item.again || error?.code !== "busy") return null;
  const afterMs = error.retry_after_ms;
  return typeof afterMs === "number" && afterMs >= 0 ? afterMs : null;
}

/**
 * What never went out. What did may have had its effect, whether its socket is still there or not, and
 * an answer that comes late is an answer: it stays, but of what is not sent again only the latest few.
 * @param {Queue} queue
 * @param {CommandSpec} spec
 * @returns {Command[]}
 */
function outdatedBy(queue, { kind }) {
  if (kind === null) return [];
  const same = queue.items.filter((item) => item.kind === kind);
  return [...same.filter((item) => !item.tried), ...same.filter((item) => item.tried && !item.again).slice(0, 1 - MOST_LATE)];
}

/** @param {Command} item @param {Moment} now @param {number} confirmMs */
function isDoubtful(item, now, confirmMs) {
  return !item.unconfirmed && item.askedMs + confirmMs <= now.ms;
}

/**
 * @param {CommandSpec} spec
 * @param {number} clientSeq
 * @param {string} text
 * @param {Moment} now
 * @returns {Command}
 */
function newItem(spec, clientSeq, text, now) {
  const { ref, name, data, kind, expiresMs, again, patient, provesPath, standing } = spec;
  const times = { askedMs: now.ms, expiresMs: now.ms + expiresMs, sentMs: null, sentWallMs: 0, notBeforeMs: 0, tried: false };
  return { ref, name, data, kind, again, patient, provesPath, standing, ...times, clientSeq, text, unconfirmed: false };
}

/** @param {Queue} queue @param {Command[]} gone @returns {Queue} */
function without(queue, gone) {
  return gone.length === 0 ? queue : { ...queue, items: queue.items.filter((item) => !gone.includes(item)) };
}

/** @param {Queue} queue @param {Command} old @param {Command} item @returns {Queue} */
function replace(queue, old, item) {
  return { ...queue, items: queue.items.map((each) => (each === old ? item : each)) };
}

/**
 * @param {Command[]} items
 * @param {Extract<Outcome, { kind: "failed" }>["code"]} code
 */
function settle(items, code) {
  return items.map((item) => ({ ref: item.ref, outcome: /** @type {Outcome} */ ({ kind: "failed", code }) }));
}
