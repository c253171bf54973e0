/** The place where a contestant chooses how to be told: beside the badge, the same in all pages of this browser. */

/** @import { Bell } from "./bell.js" */
/** @import { Permission } from "./notifications.js" */
/** @import { SoundKind, SoundState } from "./sound.js" */

import { closeOnEscape, element, find, setShown, setText } from "../dom.js";

const ANYWAY = "Notices still open on every page of the contest, with a sound.";

/** @type {Readonly<Record<Permission, string>>} */
const PERMISSION_WORDS = Object.freeze({
  granted: "It comes while no page of this contest is in front of you, and goes when you have read the notice.",
  default: "Your computer can show a notification while no page of this contest is in front of you. The browser asks you first.",
  denied: `This browser blocks notifications of this site. Allow them in its settings for this site, beside the address. ${ANYWAY}`,
  insecure: `Browsers show notifications only of addresses that begin with https://, and this one does not; your organisers can change that. ${ANYWAY}`,
  missing: `This browser shows no notifications of sites. ${ANYWAY}`,
});

/** @param {SoundState} state @param {boolean} isOn @returns {string} */
export function soundWords(state, isOn) {
  if (!isOn) return "Notices open without a sound.";
  if (state === "held-back") return "The browser holds sounds back until you have clicked or pressed a key in this page; if none comes even then, allow sound in its settings for this site.";
  if (state === "missing") return "This browser cannot play it.";
  return "One sound for all open pages, another one for what is critical.";
}

/** @param {Permission} permission @returns {string} */
export function permissionWords(permission) {
  return PERMISSION_WORDS[permission];
}

/** @param {Bell} bell */
export function showBellPanel(bell) {
  const panel = find(document, "details.bell", HTMLDetailsElement);
  const sound = find(document, "#bell-sound", HTMLInputElement);
  const notifications = find(document, "#bell-notifications", HTMLInputElement);
  if (panel === null || sound === null || notifications === null) return;
  panel.hidden = false;
  let isKept = true;
  const show = () => {
    const settings = bell.settings.get();
    sound.checked = settings.sound;
    notifications.checked = settings.notifications;
    showWords(panel, bell, isKept);
  };
  const change = (/** @type {Parameters<Bell["settings"]["change"]>[0]} */ given) => {
    isKept = bell.settings.change(given);
    show();
  };
  sound.addEventListener("change", () => change({ sound: sound.checked }));
  notifications.addEventListener("change", () => change({ notifications: notifications.checked }));
  element(panel, ".bell-allow")?.addEventListener("click", () => void bell.notifier.ask());
  for (const button of panel.querySelectorAll("button[data-sound]")) {
    button.addEventListener("click", () => void bell.sounder.play(/** @type {SoundKind} */ (button.getAttribute("data-sound"))));
  }
  panel.addEventListener("toggle", show);
  closeOnEscape(panel);
  bell.onState(show);
  show();
}

/** @param {HTMLDetailsElement} panel @param {Bell} bell @param {boolean} isKept whether this browser remembers what is chosen */
function showWords(panel, bell, isKept) {
  const { sound } = bell.settings.get();
  const { permission } = bell.notifier;
  panel.dataset["sound"] = sound ? "on" : "off";
  panel.dataset["permission"] = permission;
  setText(panel, ".bell-state", sound ? "sound is on" : "sound is off");
  setText(panel, ".bell-sound-said", soundWords(bell.sounder.state, sound));
  setShown(panel, ".bell-notify", permission === "granted");
  setShown(panel, ".bell-allow", permission === "default");
  setText(panel, ".bell-permission", permissionWords(permission));
  setShown(panel, ".bell-forgets", !isKept);
}
