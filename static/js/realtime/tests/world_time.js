/**
 * Time in the world of the property tests: two clocks that may stop, jump and step back, one timer,
 * and everything that is under way. `step`, `looked` and `monoStepped` are the world's.
 */

export class WorldTime {
  /** Time that really passed awake, whatever the clocks say. */
  trueNow = 0;
  wokeAt = -Infinity;
  mono = 50_000;
  wall = 1_790_000_000_000;
  /** What the network and the event loop still have to bring: moments and what happens then. */
  events = [];
  /** What the page's one timer is set to. */
  armedAt = null;
  /** Timers of hidden pages run once a minute. */
  throttled = false;
  clockBack = false;

  move(ms) {
    this.mono += ms;
    this.wall += ms;
    this.trueNow += ms;
  }

  later(ms, run, far = false) {
    this.events.push({ at: this.mono + ms, run, far });
  }

  /** Time passes; the network and the timer do their work in time. */
  pass(ms) {
    const end = this.mono + ms;
    for (;;) {
      const next = this.nextEvent();
      const at = Math.min(next?.at ?? Infinity, this.timerAt ?? Infinity);
      if (at > end) break;
      this.move(Math.max(0, at - this.mono));
      if (next !== undefined && next.at <= at) this.runEvent(next);
      else this.tick();
      this.looked();
    }
    this.move(Math.max(0, end - this.mono));
  }

  /** Nothing runs for a while (a long task, a frozen tab); the timer comes first afterwards, the worst order. */
  stall(ms) {
    const end = this.mono + ms;
    for (let next = this.nextFar(end); next !== undefined; next = this.nextFar(end)) {
      this.move(Math.max(0, next.at - this.mono));
      this.runEvent(next);
    }
    this.move(end - this.mono);
    if (this.timerAt !== null && this.timerAt <= this.mono) this.tick();
    this.pass(0);
  }

  /** What happens far from the page goes on while the page stands still. */
  nextFar(end) {
    return this.events.filter((event) => event.far && event.at <= end).sort((a, b) => a.at - b.at)[0];
  }

  /** The machine sleeps. The network's frames wait; on some platforms the monotonic clock stands still. */
  sleep(ms, monotonicStops) {
    // A short sleep on a running clock cannot be told from a long task.
    if (!monotonicStops && ms <= 75_000) return this.stall(ms);
    this.wall += ms;
    if (!monotonicStops) this.mono += ms;
    if (!monotonicStops) this.trueNow += ms;
    if (ms > 60_000) this.wokeAt = this.trueNow;
    if (this.timerAt !== null && this.timerAt <= this.mono) this.tick();
    this.pass(0);
  }

  stepWall(ms) {
    this.wall += ms;
    this.clockBack ||= ms < 0;
  }

  stepMonoBack(ms) {
    this.mono -= ms;
    for (const event of this.events) event.at -= ms;
    if (this.armedAt !== null) this.armedAt -= ms;
    this.monoStepped(ms);
    this.clockBack = true;
  }

  tick() {
    this.armedAt = null;
    this.step({ type: "tick" });
  }

  /** Turns of the event loop come after everything that is already waiting. */
  nextEvent() {
    let best;
    for (const event of this.events) {
      if (best === undefined || event.at < best.at || (event.at === best.at && best.turn && !event.turn)) best = event;
    }
    const waiting = best?.turn ? this.events.find((event) => !event.turn && event.at <= this.mono) : undefined;
    return waiting ?? best;
  }

  runEvent(event) {
    this.events.splice(this.events.indexOf(event), 1);
    event.run();
  }

  arm(inMs) {
    this.armedAt = inMs === Infinity ? null : this.mono + inMs;
  }

  /** Timers of hidden pages may run once a minute only. */
  get timerAt() {
    const throttled = this.throttled && !this.link.page.visible && this.armedAt !== null;
    return throttled ? Math.ceil(this.armedAt / 60_000) * 60_000 : this.armedAt;
  }
}
