/** Moments in the viewer's time zone: the one of the profile, else the browser's. */

/** @type {Readonly<Record<string, Intl.DateTimeFormatOptions>>} */
const STYLES = Object.freeze({
  day: { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  minute: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  second: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
  clock: { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
});
const YEAR_S = 31_536_000;

/**
 * Where nobody has chosen a zone, the browser's is used from now on: this page's times are written
 * again, and a cookie tells the server for the next page.
 */
export function followBrowserZone() {
  const { body } = document;
  const browsers = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!browsers || "zoneChosen" in body.dataset || body.dataset["zone"] === browsers) return;
  document.cookie = `fathom_tz=${browsers}; path=/; max-age=${YEAR_S}; samesite=lax`;
  body.dataset["zone"] = browsers;
  for (const time of document.querySelectorAll("time[datetime]")) {
    if (time instanceof HTMLTimeElement && time.dataset["style"]) time.textContent = momentText(time.dateTime, time.dataset["style"]);
  }
  for (const name of document.querySelectorAll("[data-zone-name]")) name.textContent = zoneText(browsers, new Date());
}

/**
 * @param {string} iso
 * @param {string} [style]
 * @returns {string} "5 Mar 2026, 14:03"; with seconds "5 Mar, 14:03:22"; by the minute "14:03"; by the clock "14:03:22"
 */
export function momentText(iso, style = "second") {
  const zone = document.body.dataset["zone"] || "UTC";
  return new Intl.DateTimeFormat("en-GB", { ...STYLES[style], timeZone: zone }).format(new Date(iso)).replace("Sept", "Sep");
}

/**
 * @param {string | null | undefined} iso
 * @param {string} [style]
 * @returns {HTMLTimeElement | ""}
 */
export function momentElement(iso, style = "second") {
  if (!iso) return "";
  const time = document.createElement("time");
  time.dateTime = iso;
  time.dataset["style"] = style;
  time.textContent = momentText(iso, style);
  return time;
}

/** @param {string} zone @param {Date} now @returns {string} "Europe/Berlin (UTC+02:00)" */
function zoneText(zone, now) {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(now);
  const offset = parts.find(({ type }) => type === "timeZoneName")?.value.replace("GMT", "UTC") ?? "";
  return zone === "UTC" || offset === "UTC" ? `${zone}` : `${zone} (${offset})`;
}
