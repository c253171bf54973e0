/**
 * What a page does when its contest comes to a boundary. Two tell of one boundary: the page's own
 * clock, and the server's event. Whoever comes first has the page ask the server, once: for the whole
 * page at the start, which brings problems and streams that no event carries, and else for the parts
 * that depend on the phase. All pages hear of it in the same second, so each waits for a chosen moment.
 */

/** @import { Contest } from "../stores/announcements.js" */

/** The page's idea of the server's clock may be ahead by this much, and asks that come meanwhile are one. */
const TURN_MS = 500;
/** The server looks for boundaries twice a second; within this time both tell of the same one. */
const SAME_MS = 3_000;
/** The stage before the start. */
const BEFORE = "Starts in";
/** As the clock calls them. @type {Readonly<Record<string, string>>} */
const STAGE_OF = Object.freeze({ coming: BEFORE, running: "Ends in", frozen: "Ends in", ended: "Over", archived: "Over" });

/** @typedef {(done: (instead: boolean) => void) => void} Begin asks for the whole page; done: over, the page is still
 *   there; instead: the parts have to do */

export class Turns {
  /** @type {(() => void)[]} */ #refreshers = [];
  /** @type {Begin} */ #begin;
  /** @type {() => number} */ #nowMs;
  #told = { stage: "", by: "", atMs: -Infinity };
  #isAsked = false;
  #isBeginning = false;

  /**
   * @param {Begin} begin
   * @param {() => number} nowMs monotonic
   */
  constructor(begin, nowMs) {
    [this.#begin, this.#nowMs] = [begin, nowMs];
  }

  /** @param {() => void} refresh asks for a part of the page anew, spread over a moment */
  onOtherPhase(refresh) {
    this.#refreshers.push(refresh);
  }

  /** The page's own clock has come to `stage`. @param {string} stage @param {string} before */
  turned(stage, before) {
    if (this.#isNew(stage, "clock")) this.#go(before === BEFORE);
  }

  /**
   * The server's event.
   * @param {Contest} before what was known
   * @param {Contest} now
   * @param {string} shown the stage that the page's clock shows
   */
  changed(before, now, shown) {
    const stage = STAGE_OF[now.state] ?? "";
    if (!isBoundary(before, now) || this.#isNew(stage, "event")) this.#go(shown === BEFORE && stage !== BEFORE && stage !== "");
  }

  /** Something else that the parts depend on is not so any more. */
  ask() {
    if (this.#isAsked || this.#isBeginning) return;
    this.#isAsked = true;
    setTimeout(() => {
      this.#isAsked = false;
      // The whole page is on its way, and is newer.
      if (!this.#isBeginning) for (const refresh of this.#refreshers) refresh();
    }, TURN_MS);
  }

  /** The page as a whole has to be another one. */
  begin() {
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    const done = (/** @type {boolean} */ instead) => {
      this.#isBeginning = false;
      if (instead) this.ask();
    };
    setTimeout(() => this.#begin(done), TURN_MS);
  }

  /** @param {boolean} isStart */
  #go(isStart) {
    if (isStart) this.begin();
    else this.ask();
  }

  /** @param {string} stage @param {"clock" | "event"} by */
  #isNew(stage, by) {
    const { stage: known, by: other, atMs } = this.#told;
    if (stage === known && by !== other && this.#nowMs() - atMs < SAME_MS) return false;
    this.#told = { stage, by, atMs: this.#nowMs() };
    return true;
  }
}

/**
 * Nothing was changed, only time has passed.
 * @param {Contest} before
 * @param {Contest} now
 */
export function isBoundary(before, now) {
  const same = /** @type {const} */ (["title", "starts_at", "ends_at", "freeze_at", "paused_at"]);
  return before.state !== now.state && same.every((name) => (before[name] ?? null) === (now[name] ?? null));
}
