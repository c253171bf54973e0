/**
 * The delivery ledger of one notice, kept fresh while the page is visible: what changes of a person's
 * connection is written at once from the event, everything else is read anew, at most once a second.
 */

/** @import { ContestPage } from "./contest_page.js" */

import { element, find, setShown, setText, showItems } from "./dom.js";
import { fetchFresh } from "./fetch_fresh.js";
import { momentElement } from "./times.js";

const PERIOD_MS = 5_000;
/** After an event, so that a burst of them costs one look. */
const SOON_MS = 700;
/** As the server writes them. @type {Readonly<Record<string, string>>} */
const STAGE_WORDS = Object.freeze({ waiting: "posted", delivered: "seen" });

/**
 * @typedef {{ user: string, connected: boolean, connected_since: string | null, disconnected_since: string | null,
 *   behind_since: string | null }} Presence
 * @typedef {Presence & { name: string, stage: string, sent_at: string | null, delivered_at: string | null,
 *   confirmed_at: string | null }} Person
 * @typedef {{ counts: Record<string, number>, people: Person[] }} Ledger
 */

/** @param {ContestPage} page */
export function followLedger(page) {
  const section = element(document, "#ledger-section");
  const source = section?.dataset["source"];
  if (section === null || source === undefined) return;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const look = async () => {
    clearTimeout(timer);
    if (document.visibilityState === "visible") await read(source).then((ledger) => show(section, ledger)).catch(() => undefined);
    clearTimeout(timer);
    timer = setTimeout(look, PERIOD_MS);
  };
  let isDue = false;
  const lookSoon = () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      void look();
    }, SOON_MS);
  };
  page.onAnnouncement(({ name, data }) => {
    if (name === "presence.changed") for (const person of data.people ?? []) showPresence(section, person);
    if (name === "presence.changed" || name === "ledger.changed") lookSoon();
  });
  page.onReset(lookSoon);
  document.addEventListener("visibilitychange", lookSoon);
  lookSoon();
}

/** @param {string} source @returns {Promise<Ledger>} rejects unless the server answers with it */
async function read(source) {
  return (await fetchFresh(source)).json();
}

/** @param {HTMLElement} section @param {Ledger} ledger */
function show(section, { counts, people }) {
  for (const [name, count] of Object.entries(counts)) setText(section, `[data-count="${name}"] dd`, String(count));
  const again = find(section, "#post-again", HTMLButtonElement);
  if (again !== null) again.disabled = (counts["audience"] ?? 0) <= (counts["delivered"] ?? 0);
  setShown(section, "#ledger-empty", people.length === 0);
  const list = element(section, "#ledger-rows");
  if (list === null) return;
  showItems({ list, items: people, templateId: "ledger-row-template", key: "user", keyOf: ({ user }) => user, fill });
}

/** @param {HTMLElement} row @param {Person} person @param {boolean} isNew */
function fill(row, person, isNew) {
  showPresenceIn(row, person);
  if (!isNew && row.dataset["stage"] === person.stage) return;
  Object.assign(row.dataset, { user: person.user, stage: person.stage });
  setText(row, ".ledger-name", person.name);
  const stage = element(row, ".stage");
  if (stage !== null) [stage.dataset["stage"], stage.textContent] = [person.stage, STAGE_WORDS[person.stage] ?? person.stage];
  for (const step of /** @type {const} */ (["sent", "delivered", "confirmed"])) {
    row.querySelector(`.ledger-${step}`)?.replaceChildren(momentElement(person[`${step}_at`]));
  }
}

/** @param {HTMLElement} section @param {Presence} person */
function showPresence(section, person) {
  const row = element(section, `tr[data-user="${CSS.escape(person.user)}"]`);
  if (row !== null) showPresenceIn(row, person);
}

/** @param {HTMLElement} row @param {Presence} person */
function showPresenceIn(row, person) {
  const cell = element(row, ".presence");
  const word = presenceWord(person);
  const since = person.behind_since ?? person.connected_since ?? person.disconnected_since;
  if (cell === null || (cell.dataset["presence"] === word && cell.dataset["since"] === String(since))) return;
  Object.assign(cell.dataset, { presence: word, since: String(since) });
  setText(cell, ".presence-word", word);
  cell.querySelector(".presence-since")?.replaceChildren(momentElement(since));
}

/** @param {Presence} person @returns {string} as the server writes it */
export function presenceWord({ behind_since: behind, connected, disconnected_since: left }) {
  if (behind) return "behind";
  if (connected) return "connected";
  return left ? "away" : "never connected";
}
