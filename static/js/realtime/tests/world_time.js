/**
 * Time in the world of the property tests: two clocks that may stop, jump and step back, the page's
 * timers, and everything that is under way. `looked` and `monoStepped` are the world's.
 */

import { hold, MUST } from "./world_checks.js";

/** Timers of hidden pages may run once a minute only. */
const MINUTE_MS = 60_000;
/** A check of a visible page that comes more than this too late, comes late. */
const CHECK_MS = 10_000;
/** A page whose timer fires more often than this at one moment spins. */
const MOST_AT_ONCE = 100;

export class WorldTime {
  /** Time that really passed awake, whatever the clocks say. */
  trueNow = 0;
  wokeAt = -Infinity;
  /** The same, where the page cannot have taken it for anything else. */
  surelyWokeAt = -Infinity;
  /** When what is being read now arrived: while the page stood still or the machine slept, perhaps. */
  cameAt = 0;
  /** When a clock last went back: windows begin anew from the moment at which the page notices. */
  backAt = -Infinity;
  mono = 50_000;
  wall = 1_790_000_000_000;
  /** What the network and the event loop still have to bring, in order of arising. */
  events = [];
  /** The page's timers that are set; there should never be more than one. */
  timers = [];
  /** When the page last came to itself after a standstill longer than a check. */
  lateAt = -Infinity;
  throttled = false;
  /** How many timers have fired at `firedAt`. */
  fires = 0;
  firedAt = null;

  move(ms) {
    this.mono += ms;
    this.wall += ms;
    this.trueNow += ms;
  }

  later(ms, run, far = false) {
    this.events.push({ at: this.mono + ms, run, far, turn: false });
  }

  turn(run) {
    this.events.push({ at: this.mono, run, far: false, turn: true });
  }

  setTimer(run, ms) {
    const timer = { run, at: this.mono + ms };
    this.timers.push(timer);
    return timer;
  }

  clearTimer(timer) {
    const index = this.timers.indexOf(timer);
    if (index >= 0) this.timers.splice(index, 1);
  }

  /** Time passes; the network and the timer do their work in time. */
  pass(ms) {
    const end = this.mono + ms;
    for (;;) {
      const next = this.nextEvent();
      const timerAt = this.timerAt();
      const at = next !== null && next.at <= timerAt ? next.at : timerAt;
      if (at > end) break;
      if (at > this.mono) this.move(at - this.mono);
      if (next !== null && next.at <= at) this.runEvent(next);
      else this.fire();
      this.looked();
    }
    if (end > this.mono) this.move(end - this.mono);
  }

  /** Nothing runs for a while (a long task, a frozen tab); the timer comes first afterwards, the worst order. */
  stall(ms) {
    const end = this.mono + ms;
    for (let next = this.nextFar(end); next !== null; next = this.nextFar(end)) {
      if (next.at > this.mono) this.move(next.at - this.mono);
      this.runEvent(next);
    }
    if (end > this.mono) this.move(end - this.mono);
    this.stoodStill(ms);
    if (this.timerAt() <= this.mono) this.fire();
    this.pass(0);
  }

  /** The machine sleeps. The network's frames wait; on some platforms the monotonic clock stands still. */
  sleep(ms, monotonicStops) {
    // A short sleep on a running clock cannot be told from a long task.
    if (!monotonicStops && ms <= 75_000) return this.stall(ms);
    this.wall += ms;
    if (!monotonicStops) this.mono += ms;
    if (!monotonicStops) this.trueNow += ms;
    if (ms > MINUTE_MS) this.woke(monotonicStops || ms > 2 * MINUTE_MS || this.isVisible());
    this.stoodStill(ms);
    if (this.timerAt() <= this.mono) this.fire();
    this.pass(0);
  }

  /** A hidden page may take a minute or two for a timer that the browser held back. Whoever looks at it makes it ask. */
  woke(surely) {
    this.wokeAt = this.trueNow;
    if (surely) this.surelyWokeAt = this.trueNow;
  }

  /** From here on timers come in time again. */
  throttle(on) {
    if (this.throttled && !on) this.stoodStill(Infinity);
    this.throttled = on;
  }

  stoodStill(ms) {
    if (ms > CHECK_MS) this.lateAt = this.trueNow;
  }

  /** Forward it looks as a sleep does: the page asks afresh, and its windows begin anew. */
  stepWall(ms) {
    this.wall += ms;
    this.stoodStill(ms);
    if (ms < 0) this.backAt = this.trueNow;
  }

  stepMonoBack(ms) {
    this.mono -= ms;
    for (const event of this.events) event.at -= ms;
    for (const timer of this.timers) timer.at -= ms;
    this.monoStepped(ms);
    this.backAt = this.trueNow;
  }

  fire() {
    this.fires = this.firedAt === this.mono ? this.fires + 1 : 0;
    this.firedAt = this.mono;
    hold(MUST.rest, this.fires < MOST_AT_ONCE, () => `${this.fires} timers at one moment`);
    this.timers.shift()?.run();
  }

  /** Turns of the event loop come after everything that is already waiting. */
  nextEvent() {
    let first = null;
    let waiting = null;
    for (const event of this.events) {
      if (first === null || event.at < first.at) first = event;
      if (waiting === null && !event.turn && event.at <= this.mono) waiting = event;
    }
    return first !== null && first.turn && waiting !== null ? waiting : first;
  }

  /** What happens far from the page goes on while the page stands still. */
  nextFar(end) {
    let first = null;
    for (const event of this.events) if (event.far && event.at <= end && (first === null || event.at < first.at)) first = event;
    return first;
  }

  runEvent(event) {
    this.events.splice(this.events.indexOf(event), 1);
    this.cameAt = this.trueNow - Math.max(0, this.mono - event.at);
    event.run();
  }

  timerAt() {
    const timer = this.timers[0];
    if (timer === undefined) return Infinity;
    return this.throttled && !this.isVisible() ? Math.ceil(timer.at / MINUTE_MS) * MINUTE_MS : timer.at;
  }
}
