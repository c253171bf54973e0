/** What is wrong with judging, as a banner on every page of the jury, for as long as it is. */

/** @import { AnnouncementStore } from "./contest_page.js" */

import { element } from "./dom.js";
import { momentElement } from "./times.js";

/** @param {AnnouncementStore} store */
export function showJudgeAlarm(store) {
  const banner = element(document, "#judge-alarm");
  if (banner === null) return;
  let shownVersion = Number(banner.dataset["version"]);
  store.subscribe(({ judging }) => {
    if (judging === undefined || judging.version === shownVersion) return;
    shownVersion = judging.version;
    banner.dataset["version"] = String(judging.version);
    banner.hidden = judging.alarms.length === 0;
    banner.replaceChildren(...judging.alarms.map(({ kind, message, since }) => line(kind, message, since)));
  });
}

/** @param {string} kind @param {string} message @param {string} since */
function line(kind, message, since) {
  const shown = document.createElement("p");
  shown.dataset["alarm"] = kind;
  shown.append(`${message} `);
  const when = document.createElement("span");
  when.className = "quiet";
  when.append("since ", momentElement(since));
  shown.append(when);
  return shown;
}
