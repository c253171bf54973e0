/**
 * Notices and notes stand in one stack over the page. Where there are more than have room, three on a desk and one on
 * a narrow screen, the style sheet shows only the one in front, with a button for the others; on a narrow screen none of
 * them while a panel of the page is open: that must not be covered.
 * Closing one that had the focus gives the focus to the next, or back to where it came from; Escape gives it back and
 * closes nothing.
 */

import { element } from "./dom.js";

const PANELS = "details:is(.menu, .badge)[open]";
/** As in the style sheet. */
const NARROW = "(max-width: 56rem), (max-height: 30rem)";
const DESK_ROOM = 3;
/** Told to `#alerts`: others of them may be on the screen now. */
export const SHIFTED = "fathom-shifted";

export function stackOverPage() {
  const stack = element(document, ".over-page");
  const [notes, alerts, more] = ["#notes", "#alerts", ".stack-more"].map((place) => element(document, place));
  if (stack === null || !notes || !alerts || !more) return;
  const narrow = matchMedia(NARROW);
  let isOpen = false;
  const all = () => [...notes.children, ...alerts.children];
  const show = () => {
    const { length } = all();
    const given = { isOpen, isNarrow: narrow.matches, hasPanel: document.querySelector(PANELS) !== null };
    const { state, hasMore } = stackState(length, given);
    isOpen = state === "open" && hasMore;
    stack.dataset["stack"] = state;
    more.hidden = !hasMore;
    more.textContent = moreWords(length, state);
    alerts.dispatchEvent(new Event(SHIFTED));
  };
  const arrange = (/** @type {MutationRecord[]} */ changes) => {
    const arrived = changes.flatMap(({ addedNodes }) => [...addedNodes]).reverse().find((node) => all().some((item) => item === node));
    const before = all().find((item) => item.hasAttribute("data-front"));
    const front = (staysInFront(before, arrived) ? before : all().find((item) => item === arrived)) ?? before ?? all().find(isCritical) ?? all()[0];
    for (const item of all()) item.toggleAttribute("data-front", item === front);
    show();
  };
  const observer = new MutationObserver((changes) => {
    arrange(changes);
    giveFocus(changes.flatMap(({ removedNodes }) => [...removedNodes]));
  });
  for (const list of [notes, alerts]) observer.observe(list, { childList: true });
  const giveFocus = followFocus(stack);
  more.addEventListener("click", () => {
    if (stack.dataset["stack"] === "aside") for (const panel of document.querySelectorAll(PANELS)) panel.removeAttribute("open");
    isOpen = !isOpen;
    show();
  });
  document.addEventListener("toggle", show, true);
  narrow.addEventListener("change", show);
  tellShifts(stack, alerts);
  arrange([]);
}

/**
 * What lay outside may be on the screen now: after scrolling, in a larger window, and at the end of the way in.
 * @param {EventTarget} stack
 * @param {EventTarget} alerts
 */
export function tellShifts(stack, alerts) {
  const tell = () => alerts.dispatchEvent(new Event(SHIFTED));
  for (const type of ["scroll", "animationend"]) stack.addEventListener(type, tell);
  addEventListener("resize", tell);
}

/**
 * Shows one of them in front of the others, as whoever came for it wants; the focus stays where it is.
 * @param {HTMLElement | null} item
 */
export function bringToFront(item) {
  for (const each of document.querySelectorAll(":is(#alerts, #notes) > [data-front]")) each.removeAttribute("data-front");
  item?.setAttribute("data-front", "");
  item?.scrollIntoView({ block: "nearest" });
  element(document, "#alerts")?.dispatchEvent(new Event(SHIFTED));
}

/** Only what is critical, too, comes before what is critical. @param {Element | undefined} before @param {Node | undefined} arrived @returns {boolean} */
function staysInFront(before, arrived) {
  return isCritical(before) && !isCritical(arrived);
}

/** @param {Node | undefined} item @returns {boolean} */
function isCritical(item) {
  return item instanceof HTMLElement && item.dataset["level"] === "critical";
}

/**
 * @param {number} count
 * @param {{ isOpen: boolean, isNarrow: boolean, hasPanel: boolean }} given whether somebody wants to see all of them; how the page is
 * @returns {{ state: "aside" | "open" | "folded", hasMore: boolean }} `hasMore`: there is something to unfold, or to fold
 */
export function stackState(count, { isOpen, isNarrow, hasPanel }) {
  if (isNarrow && hasPanel) return { state: "aside", hasMore: true };
  const hasMore = count > (isNarrow ? 1 : DESK_ROOM);
  const isWhole = hasMore ? isOpen : !isNarrow;
  return { state: isWhole ? "open" : "folded", hasMore };
}

/** @param {number} count @param {string} state @returns {string} */
export function moreWords(count, state) {
  if (state === "open") return "Show only one notice";
  const others = state === "aside" ? count : count - 1;
  return `${others}${state === "aside" ? "" : " more"} notice${others === 1 ? "" : "s"}`;
}

/** @param {HTMLElement} stack @returns {(removed: Node[]) => void} */
function followFocus(stack) {
  /** @type {Element | null} */ let inside = null;
  /** @type {Element | null} */ let outside = null;
  document.addEventListener("focusin", (event) => {
    const [target] = event.composedPath();
    if (!(target instanceof HTMLElement)) return;
    if (stack.contains(target)) inside = target;
    else if (!target.matches(".skip")) [inside, outside] = [null, target];
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (!(target instanceof Node && stack.contains(target))) inside = null;
  });
  const giveBack = () => {
    const place = outside?.isConnected ? outside : element(document, "#main");
    if (place instanceof HTMLElement) place.focus({ preventScroll: true });
  };
  stack.addEventListener("keydown", ({ key }) => key === "Escape" && giveBack());
  return (removed) => {
    if (!removed.some((node) => node.contains(inside)) || document.activeElement !== document.body) return;
    inside = null;
    const next = [...stack.querySelectorAll(".alert button, .alert a")].find((each) => each.getClientRects().length > 0);
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
    else giveBack();
  };
}
