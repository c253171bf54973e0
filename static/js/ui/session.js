/**
 * Whose session this browser has, as far as an open page must know. When it has ended, the page asks to sign in again
 * and keeps everything; when the same person is back, it goes on; when it is another's now, it stops for good: what
 * was typed here must not go out in another's name, and nothing of theirs may appear here. It says who is signed in
 * by now all the same: whoever is back has to know that only a reload goes on.
 */

/** @import { Link } from "../realtime/index.js" */

import { element, setShown, setText } from "./dom.js";
import { fetchFresh } from "./fetch_fresh.js";
import { leaveHint, onHint } from "./session_hint.js";

const ASK_AGAIN_MS = 10_000;
/** What has failed may have gone over a connection that is dead without knowing it; the next takes another. */
const RETRY_MS = 1_000;
const ASK_WITHIN_MS = 10_000;
const TELL_AFTER_MS = 500;
/** A session that the server's two doors judge differently must not make a page spin. */
const REVIVE_AGAIN_MS = 5_000;
const OUT = "You are signed out in this browser. Nothing that you typed is lost: sign in again, and this page goes on.";
const TOKENS = 'input[name="csrfmiddlewaretoken"]';

/** @typedef {{ id: number, name: string }} Person */
/** @typedef {{ user: Person | null, csrf: string }} Session */
/** @typedef {"same" | "out" | "other"} Who */

/**
 * @param {Person} owner of the page
 * @param {Session} session
 * @returns {Who}
 */
export function whoIs(owner, { user }) {
  if (user === null) return "out";
  return user.id === owner.id ? "same" : "other";
}

/** @param {Who} who @param {Person} owner @param {Person | null} user @returns {string} */
export function sessionWords(who, owner, user) {
  if (who === "same") return "";
  if (who === "out") return OUT;
  const stopped = "it is not live any more and sends nothing.";
  const kept = `What ${owner.name} has written is kept in this browser.`;
  if (user === null) return `Nobody is signed in in this browser now. This page belongs to ${owner.name} and has stopped, since somebody else was: ${stopped} ${kept} Sign in again, then reload this page.`;
  if (user.id === owner.id) return `You are signed in as ${owner.name} again. Somebody else was meanwhile, so this page has stopped: ${stopped} What you have written is kept in this browser. Reload to go on.`;
  return `You are now signed in as ${user.name} in this browser. This page belongs to ${owner.name}: ${stopped} ${kept} Reload to go on as ${user.name}.`;
}

/** Of one page. */
export class SessionWatch {
  /** @type {Who} */ who = "same";
  words = "";
  /** @type {((who: Who, words: string) => void)[]} */ #listeners = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  /** @type {Promise<Who | null> | null} */ #checking = null;
  /** Somebody waits for an answer, whatever became of the last question. */
  #wanted = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #reviving;
  #revivedMs = -Infinity;

  /** @param {Link | null} link @param {Person | null} owner null: a page of nobody, which has nothing to lose */
  constructor(link, owner) {
    this.link = link;
    this.owner = owner;
    if (owner === null) return;
    link?.subscribe(({ state, reason }) => {
      if (state === "ended" && reason?.code === "signed-out" && this.who === "same") this.#doubt();
    });
    for (const what of ["visibilitychange", "focus", "pageshow"]) addEventListener(what, () => this.#look(), { capture: true });
    leaveHint();
    onHint((userId) => { if (this.who !== "same" || userId !== owner.id) void this.ask(); });
    document.addEventListener("submit", (event) => this.#guard(event), { capture: true });
    element(document, "#session-reload")?.addEventListener("click", () => location.replace(location.href.split("#")[0] ?? ""));
  }

  /** Whether nobody may say now whose session it is: it has ended, or is another's. */
  get isInDoubt() {
    return this.who !== "same" || this.link?.summary().reason?.code === "signed-out";
  }

  /** @param {(who: Who, words: string) => void} listener called whenever the server has said who is signed in */
  subscribe(listener) {
    this.#listeners.push(listener);
  }

  /** Somebody who signs in anew in another tab is back before this could be read. */
  #doubt() {
    this.who = "out";
    document.body.dataset["session"] = "out";
    setTimeout(() => this.who === "out" && this.#tell("out"), TELL_AFTER_MS);
    void this.ask();
  }

  /** Asks the server, and again until it has answered and somebody is signed in. A page that has stopped: until it has answered. */
  ask() {
    this.#wanted = true;
    return this.#askOnce();
  }

  /**
   * Asks the server once, unless the page has stopped: nobody's answer lets it go on.
   * @returns {Promise<Who | null>} null: no answer
   */
  check() {
    return this.who === "other" ? Promise.resolve(this.who) : this.#askOnce();
  }

  /** @returns {Promise<Who | null>} */
  #askOnce() {
    if (this.owner === null) return Promise.resolve(this.who);
    this.#checking ??= this.#check(this.owner);
    return this.#checking;
  }

  /** @param {Person} owner @returns {Promise<Who | null>} */
  async #check(owner) {
    clearTimeout(this.#timer);
    const session = await read(this.link?.timings.probeMs ?? ASK_WITHIN_MS).catch(() => null);
    // Before anybody is told of it: whoever doubts it then, wants another answer.
    this.#checking = null;
    if (session === null) {
      if (this.#wanted) this.#askIn(RETRY_MS);
      return null;
    }
    const who = this.who === "other" ? "other" : whoIs(owner, session);
    this.#wanted = who === "out";
    if (this.#wanted) this.#askIn(ASK_AGAIN_MS);
    if (who === "same") renewTokens(session.csrf);
    this.#tell(who, session.user);
    return who;
  }

  /** @param {number} ms */
  #askIn(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (document.visibilityState === "visible" ? this.ask() : this.#askIn(ASK_AGAIN_MS)), ms);
  }

  #look() {
    if (this.who !== "same" && document.visibilityState === "visible") void this.ask();
  }

  /** @param {Who} who @param {Person | null} [user] */
  #tell(who, user = null) {
    const stops = who === "other" && this.who !== "other";
    this.who = who;
    this.words = this.owner === null ? "" : sessionWords(who, this.owner, user);
    if (stops) {
      this.link?.changeContext();
      this.link?.close();
    }
    this.#show(user);
    if (who === "same") this.#revive();
    for (const listener of this.#listeners) listener(who, this.words);
  }

  #revive() {
    clearTimeout(this.#reviving);
    if (this.who !== "same") return;
    const waitMs = this.#revivedMs + REVIVE_AGAIN_MS - performance.now();
    if (waitMs > 0) {
      this.#reviving = setTimeout(() => this.#revive(), waitMs);
      return;
    }
    this.#revivedMs = performance.now();
    this.link?.revive("signed-out");
  }

  /** @param {Person | null} user */
  #show(user) {
    document.body.dataset["session"] = this.who;
    setText(document, "#session-words", this.words);
    setShown(document, "#session-said", this.who !== "same");
    setShown(document, "#session-sign-in", user === null);
    setShown(document, "#session-reload", this.who === "other");
  }

  /** Forms that cannot wait by themselves stay where they are, with what was typed. @param {SubmitEvent} event */
  #guard(event) {
    const form = event.target;
    if (this.who === "same" || !(form instanceof HTMLFormElement) || form.closest("nav.account") !== null) return;
    if (this.who === "out" && form.hasAttribute("data-waits")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    element(document, "#session-said")?.scrollIntoView({ block: "nearest" });
  }
}

/** @param {number} withinMs @returns {Promise<Session>} rejects unless the site itself has answered */
async function read(withinMs) {
  const said = await (await fetchFresh("/accounts/session/", { withinMs, cache: "no-store" })).json();
  if (typeof said?.csrf !== "string" || (said.user !== null && typeof said.user?.id !== "number")) throw new Error("something else answered");
  return said;
}

/** Signing in gives the browser another one. @param {string} token */
function renewTokens(token) {
  for (const field of document.querySelectorAll(TOKENS)) if (field instanceof HTMLInputElement) field.value = token;
  for (const template of document.querySelectorAll("template")) {
    for (const field of template.content.querySelectorAll(TOKENS)) field.setAttribute("value", token);
  }
}

/**
 * Does something unless the session has ended or is another's: a form that leaves the page would take along what was
 * typed in others. The page learns it with the end of its streams, before this is asked. Not in the same task: browsers
 * let nobody send a form whose press they are still telling of.
 * @param {() => void} act
 */
export function whenSessionIsSound(act) {
  setTimeout(() => { if ((document.body.dataset["session"] ?? "same") === "same") act(); });
}
