/**
 * Notices, clarifications and the contest itself, as one person may see them. Every object keeps its
 * newest version, so events may come in any order and any number of times.
 */

import { createStore, newest } from "./store.js";

/**
 * @typedef {{ id: number, version: number, title: string, html: string, level: string, problem: string | null,
 *   posted_at: string, requires_ack: boolean, confirmed?: boolean }} Notice
 * @typedef {{ id: number, version: number }} NoticeVersion
 * @typedef {{ id: number, version: number, answer: string | null } & Record<string, any>} Clarification
 * @typedef {{ version: number, state: string, starts_at: string | null, ends_at: string | null,
 *   freeze_at: string | null, paused_at?: string | null } & Record<string, any>} Contest
 * @typedef {{ version: number, extra_time_ms: number }} Participation what is this person's alone
 * @typedef {{ version: number, alarms: { kind: string, message: string, since: string }[] }} Judging
 * @typedef {{ contest: Contest, participation?: Participation | null, notices: Notice[], clarifications?: Clarification[],
 *   judging?: Judging }} Snapshot
 */

/**
 * @typedef {object} Announcements
 * @property {ReadonlyMap<number, Notice | (NoticeVersion & { withdrawn: true })>} notices by id, withdrawn ones as such
 * @property {ReadonlyMap<number, number>} confirmed newest version of each notice that the server knows as confirmed
 * @property {ReadonlyMap<number, number>} confirming newest version whose confirmation is on its way
 * @property {ReadonlyMap<number, Clarification>} clarifications by id
 * @property {Contest} contest
 * @property {Judging | undefined} judging what is wrong with judging; for the jury alone
 * @property {Participation | null} participation null: this person does not take part
 */

/** @param {Snapshot} snapshot */
export function createAnnouncements(snapshot) {
  const store = createStore(fromSnapshot(snapshot, null));
  return {
    get: store.get,
    subscribe: store.subscribe,

    /** @param {Snapshot} fresh the whole state anew, at least as new as everything applied so far */
    reset: (fresh) => store.set(fromSnapshot(fresh, store.get())),

    /** @param {{ name: string, data: any }} event */
    apply: (event) => store.set(applied(store.get(), event)),

    /** @param {NoticeVersion[]} notices whose confirmation has been sent: shown as not confirmed yet */
    confirming: (notices) => store.set({ ...store.get(), confirming: raised(store.get().confirming, notices) }),

    /** @param {NoticeVersion[]} notices that the server has answered for */
    confirmed: (notices) => store.set(withConfirmed(store.get(), notices)),

    /** @param {NoticeVersion[]} notices whose confirmation did not get through: the alert asks again */
    notConfirmed: (notices) => store.set(withoutConfirming(store.get(), notices)),
  };
}

/**
 * @param {Announcements} state
 * @returns {Notice[]} in force, newest first
 */
export function noticesInForce(state) {
  const notices = [...state.notices.values()].filter((notice) => !("withdrawn" in notice));
  return /** @type {Notice[]} */ (notices).sort((a, b) => b.posted_at.localeCompare(a.posted_at) || b.id - a.id);
}

/**
 * @param {Announcements} state
 * @returns {Notice[]} that were in force here before they were withdrawn, with what they said last
 */
export function withdrawnNotices(state) {
  const gone = [...state.notices.values()].filter((notice) => "withdrawn" in notice && "title" in notice);
  return /** @type {any[]} */ (gone);
}

/**
 * @param {Announcements} state
 * @returns {Notice[]} in force and not known as confirmed by this person, newest first
 */
export function unconfirmedNotices(state) {
  return noticesInForce(state).filter((notice) => !isConfirmed(state, notice));
}

/**
 * @param {Announcements} state
 * @param {NoticeVersion} notice
 * @returns {boolean} this very version or a later one; an edited notice has to be confirmed anew
 */
export function isConfirmed(state, notice) {
  return (state.confirmed.get(notice.id) ?? 0) >= notice.version;
}

/**
 * @param {Announcements} state
 * @param {NoticeVersion} notice
 * @returns {boolean} confirmed by a person on this page, not yet answered by the server
 */
export function isConfirming(state, notice) {
  return !isConfirmed(state, notice) && (state.confirming.get(notice.id) ?? 0) >= notice.version;
}

/** @param {Announcements} state @param {{ name: string, data: any }} event @returns {Announcements} */
function applied(state, { name, data }) {
  switch (name) {
    case "announcement.posted":
    case "announcement.edited": return withNotice(state, data);
    case "announcement.withdrawn": return withNotice(state, { ...state.notices.get(data.id), ...data, withdrawn: true });
    case "announcement.confirmed": return withConfirmed(state, data.notices);
    case "clarification.answered":
    case "clarification.asked": return withClarification(state, data);
    case "contest.changed": return withContest(state, data);
    case "judge.alarm": return newest(state.judging, data) === state.judging ? state : { ...state, judging: data };
    case "participation.changed": return withParticipation(state, data);
    default: return state;
  }
}

/** @param {Announcements} state @param {any} notice @returns {Announcements} */
function withNotice(state, notice) {
  const known = state.notices.get(notice.id);
  if (newest(known, notice) === known) return state;
  return { ...state, notices: new Map(state.notices).set(notice.id, notice) };
}

/** @param {Announcements} state @param {NoticeVersion[]} notices @returns {Announcements} */
function withConfirmed(state, notices) {
  return { ...state, confirmed: raised(state.confirmed, notices) };
}

/** @param {Announcements} state @param {NoticeVersion[]} notices @returns {Announcements} */
function withoutConfirming(state, notices) {
  const confirming = new Map(state.confirming);
  for (const { id, version } of notices) if (confirming.get(id) === version) confirming.delete(id);
  return { ...state, confirming };
}

/** @param {Announcements} state @param {Clarification} clarification @returns {Announcements} */
function withClarification(state, clarification) {
  const known = state.clarifications.get(clarification.id);
  if (newest(known, clarification) === known) return state;
  return { ...state, clarifications: new Map(state.clarifications).set(clarification.id, clarification) };
}

/** @param {Announcements} state @param {Contest} contest @returns {Announcements} */
function withContest(state, contest) {
  return newest(state.contest, contest) === state.contest ? state : { ...state, contest };
}

/** @param {Announcements} state @param {Participation} participation @returns {Announcements} */
function withParticipation(state, participation) {
  const known = state.participation ?? undefined;
  return newest(known, participation) === known ? state : { ...state, participation };
}

/** @param {ReadonlyMap<number, number>} versions @param {NoticeVersion[]} notices */
function raised(versions, notices) {
  const next = new Map(versions);
  for (const { id, version } of notices) next.set(id, Math.max(version, next.get(id) ?? 0));
  return next;
}

/**
 * What a snapshot does not name is gone; its version is remembered, so that a late repeat of an old
 * event does not bring it back.
 * @param {Snapshot} snapshot
 * @param {Announcements | null} before
 * @returns {Announcements}
 */
function fromSnapshot({ contest, participation = null, notices, clarifications = [], judging }, before) {
  /** @type {Map<number, Notice | (NoticeVersion & { withdrawn: true })>} */
  const known = new Map();
  for (const notice of before?.notices.values() ?? []) known.set(notice.id, { ...notice, withdrawn: true });
  for (const notice of notices) known.set(notice.id, notice);
  const mine = notices.filter((notice) => notice.confirmed === true);
  return {
    contest,
    judging,
    participation,
    notices: known,
    clarifications: new Map(clarifications.map((each) => [each.id, each])),
    confirmed: raised(before?.confirmed ?? new Map(), mine),
    confirming: before?.confirming ?? new Map(),
  };
}
