/**
 * What every page of a contest does: its live link with the announcements and the timer, the badge,
 * the clock, and the alerts. A page adds its own streams and parts.
 */

/** @import { PageStream, StreamName } from "../stores/streams.js" */
/** @import { PageData } from "./page_data.js" */

import { browserEnvironment, Link, replyMs, StreamHandle } from "../realtime/index.js";
import { createAnnouncements } from "../stores/announcements.js";
import { commandOptions, fallbackOptions, streamOptions } from "../stores/streams.js";
import { createTimer } from "../stores/timer.js";
import { closeAccountMenu } from "./account_menu.js";
import { showAlerts } from "./alerts.js";
import { sayAnswers } from "./answers.js";
import { openAskPanel } from "./ask_panel.js";
import { showBadge } from "./badge.js";
import { Bell } from "./bell/bell.js";
import { showBellPanel } from "./bell/panel.js";
import { sayChangedTimes } from "./changed_times.js";
import { keepTime, shownStage } from "./contest_time.js";
import { showJudgeAlarm } from "./judge_alarm.js";
import { askBeforeLeaving } from "./leaving_forms.js";
import { showNote } from "./notes.js";
import { countOpenQuestions } from "./open_questions.js";
import { Foreground, noteForeground, reportForeground } from "./own_time.js";
import { readPageData } from "./page_data.js";
import { sayRejudged } from "./rejudged.js";
import { SessionWatch } from "./session.js";
import { sayShutOut } from "./shut_out.js";
import { stackOverPage } from "./stack.js";
import { followBrowserZone } from "./times.js";
import { sayWithdrawals } from "./withdrawals.js";

/**
 * @typedef {ReturnType<typeof createAnnouncements>} AnnouncementStore
 * @typedef {{ name: string, data: any }} Said an event, as far as stores and pages look at it
 * @typedef {{ reset: (data: any) => void, apply: (event: Said) => void }} Follower
 */

/** The live side of one contest page. */
export class ContestPage {
  /** @type {Map<string, StreamHandle>} */ #streams = new Map();
  /** @type {((event: Said) => void)[]} */ #listeners = [];
  /** @type {(() => void)[]} */ #resetListeners = [];
  /** @type {((stage: string) => void)[]} */ #turnListeners = [];
  #turns;

  /** @param {PageData} data */
  constructor(data) {
    this.data = data;
    const hasStreams = Object.keys(data.streams).length > 0;
    /** @type {Link | null} */
    this.link = hasStreams ? new Link({
      timings: data.timings, user: data.user?.id ?? null,
      environment: browserEnvironment(window, fallbackOptions(data.contest)),
    }) : null;
    const { turns, show: showClock } = keepTime(data, this.link, () => this.#times(), (stage) => this.#turnListeners.forEach((listener) => listener(stage)));
    this.#turns = turns;
    this.session = new SessionWatch(this.link, data.user);
    askBeforeLeaving(this.session);
    /** @type {AnnouncementStore | null} */
    this.announcements = this.#openAnnouncements();
    this.#openTimer();
    openAskPanel(this);
    if (this.link !== null) showBadge(this.link, this.session);
    this.announcements?.subscribe(showClock);
    exposeCommand((stream, name, given) => this.#streams.get(stream)?.command(name, given, commandOptions(name)));
  }

  /**
   * Opens one of the page's streams for a store.
   * @template {Follower} T
   * @param {StreamName} name
   * @param {(snapshot: any) => T} create
   * @returns {{ store: T, stream: StreamHandle } | null} null: the viewer may not open it
   */
  follow(name, create) {
    const stream = this.data.streams[name];
    if (this.link === null || stream === undefined) return null;
    const store = create(stream.data);
    return { store, stream: this.#connect(name, stream, store) };
  }

  /**
   * Opens a stream that has come to its end once more, from a snapshot, for the store that it had.
   * @param {StreamName} name
   * @param {Follower} store
   */
  reopen(name, store) {
    const stream = this.data.streams[name];
    if (stream !== undefined) this.#connect(name, { ...stream, cursor: null }, store);
  }

  /** @param {StreamName} name @returns {boolean} whether its stream has ended for good, as far as the server said then */
  hasEnded(name) {
    return this.link?.summary().streams[name] === "ended";
  }

  /** @param {(event: Said) => void} listener called for every event of the announcements stream */
  onAnnouncement(listener) {
    this.#listeners.push(listener);
  }

  /**
   * @param {() => void} listener called when the announcements came as a whole instead of one by one:
   *   what they do not carry as a state may have been missed
   */
  onReset(listener) {
    this.#resetListeners.push(listener);
  }

  /** @param {(stage: string) => void} listener called when the viewer's own start or end has come, or was moved */
  onTurn(listener) {
    this.#turnListeners.push(listener);
  }

  /**
   * Calls `refresh` whenever what the server writes for this phase may not be so any more: the
   * contest was changed, came to a boundary, or to the viewer's own end, which no event tells.
   * @param {() => void} refresh
   */
  onOtherPhase(refresh) {
    this.#turns.onOtherPhase(refresh);
  }

  /** This page has to be made anew as a whole: as soon as it may. */
  reloadSoon() {
    this.#turns.begin();
  }

  /** @param {string} name @returns {StreamHandle | null} */
  stream(name) {
    return this.#streams.get(name) ?? null;
  }

  /** @param {StreamName} name @param {PageStream} given @param {Follower} store @returns {StreamHandle} */
  #connect(name, given, store) {
    const handle = /** @type {Link} */ (this.link).open({
      ...streamOptions(name, given),
      onSnapshot: (data) => store.reset(data),
      onEvent: (event) => store.apply(event),
    });
    this.#streams.set(name, handle);
    return handle;
  }

  #times() {
    const state = this.announcements?.get();
    const extraMs = state?.participation?.extra_time_ms ?? this.data.extra_time_ms;
    return { schedule: state?.contest ?? this.data.schedule, extraMs };
  }

  /** @returns {AnnouncementStore | null} */
  #openAnnouncements() {
    const opened = this.follow("announcements", (snapshot) => {
      const store = createAnnouncements(snapshot);
      const apply = (/** @type {Said} */ event) => {
        const before = store.get().contest;
        store.apply(event);
        if (event.name === "contest.changed") this.#turns.changed(before, event.data, shownStage());
        if (event.name === "participation.changed") this.#turns.ask();
        for (const listener of this.#listeners) listener(event);
      };
      const reset = (/** @type {any} */ fresh) => {
        store.reset(fresh);
        this.#turns.ask();
        for (const listener of this.#resetListeners) listener();
      };
      return { ...store, apply, reset };
    });
    if (opened === null) return null;
    sayShutOut(opened.stream, this.data);
    sayChangedTimes(opened.store, this.data);
    if (this.data.user !== null && !this.data.user.staff) {
      const bell = new Bell(window, { contest: this.data.contest, user: this.data.user.id });
      showBellPanel(bell);
      this.onAnnouncement(showAlerts(opened.store, opened.stream, bell));
      sayAnswers(opened.store, this.data, bell);
      sayWithdrawals(opened.store);
      sayRejudged(this);
    }
    showJudgeAlarm(opened.store);
    this.onAnnouncement(({ name, data }) => name === "timer.alarm" && showNote(data.message, { kind: name }));
    if (this.data.user?.staff) countOpenQuestions(opened.store);
    return opened.store;
  }

  #openTimer() {
    const given = this.data.streams.timer;
    if (this.link === null || given === undefined) return;
    const { link } = this;
    const timer = createTimer(given.data, () => ({ leaseMs: link.timings.leaseMs, replyMs: replyMs(link.timings) }));
    const foreground = new Foreground();
    const apply = (/** @type {any} */ data) => data?.accumulated_ms !== undefined && timer.apply(data, performance.now());
    const stream = link.open({
      ...streamOptions("timer", given),
      onSnapshot: apply,
      onMessage: (/** @type {any} */ frame) => frame.type === "timer" && timer.applyOfOther(frame, performance.now()),
      onReply: (reply) => reply.ok && apply(reply.data),
      onPage: (what) => noteForeground(foreground, what) && stream.renew("report"),
    });
    this.#streams.set("timer", stream);
    reportForeground({ stream, timer, foreground, reportMs: () => link.timings.reportMs });
  }
}

/** What a form has done is said where the page was led to, not above it and out of sight. */
function bringMessages() {
  const messages = document.querySelector("main > .messages");
  const target = location.hash === "" ? null : document.getElementById(location.hash.slice(1));
  if (messages === null || target === null) return;
  if (/^H\d$/.test(target.tagName)) target.after(messages);
  else target.prepend(messages);
}

/** @returns {ContestPage} */
export function startContestPage() {
  followBrowserZone();
  closeAccountMenu();
  // On a phone the tabs are a strip that scrolls, and the current one may lie beyond its edge.
  document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  const page = new ContestPage(readPageData());
  stackOverPage();
  bringMessages();
  return page;
}

/**
 * `window.fathom.command(stream, name, data)`: for whoever looks inside, and for tests from outside.
 * @param {(stream: string, name: string, data: object) => unknown} command
 */
function exposeCommand(command) {
  Object.assign(window, { fathom: { ...Reflect.get(window, "fathom"), command } });
}
