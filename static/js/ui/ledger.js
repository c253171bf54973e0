/** The delivery ledger of one notice, kept fresh while the page is visible. */

/** @import { ContestPage } from "./contest_page.js" */

import { element, setText } from "./dom.js";
import { momentElement } from "./times.js";

const PERIOD_MS = 5_000;
/** After an event, so that a burst of confirmations costs one look. */
const SOON_MS = 700;

/** @typedef {{ user: string, stage: string, sent_at: string | null, delivered_at: string | null, confirmed_at: string | null }} Person */

/** @param {ContestPage} page */
export function followLedger(page) {
  const section = element(document, "#ledger-section");
  const source = section?.dataset["source"];
  if (section === null || source === undefined) return;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const look = async () => {
    clearTimeout(timer);
    if (document.visibilityState === "visible") await show(section, source).catch(() => undefined);
    timer = setTimeout(look, PERIOD_MS);
  };
  const lookSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(look, SOON_MS);
  };
  page.onAnnouncement(({ name }) => name === "ledger.changed" && lookSoon());
  document.addEventListener("visibilitychange", lookSoon);
  lookSoon();
}

/** @param {HTMLElement} section @param {string} source */
async function show(section, source) {
  const answer = await fetch(source, { credentials: "same-origin" });
  if (!answer.ok) return;
  const { counts, people } = await answer.json();
  for (const [name, count] of Object.entries(counts)) setText(section, `[data-count="${name}"] dd`, String(count));
  for (const person of people) showPerson(section, person);
}

/** @param {HTMLElement} section @param {Person} person */
function showPerson(section, person) {
  const row = element(section, `tr[data-user="${CSS.escape(person.user)}"]`);
  if (row === null || row.dataset["stage"] === person.stage) return;
  row.dataset["stage"] = person.stage;
  const stage = element(row, ".stage");
  if (stage !== null) [stage.dataset["stage"], stage.textContent] = [person.stage, person.stage];
  const cells = row.querySelectorAll("td");
  [person.sent_at, person.delivered_at, person.confirmed_at].forEach((moment, index) => {
    cells[index + 1]?.replaceChildren(momentElement(moment));
  });
}
