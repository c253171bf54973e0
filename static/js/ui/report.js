/** The report of an import while its sample submissions are judged: looked at again, ever more slowly, until they are. */

import { element } from "./dom.js";
import { replaceParts } from "./server_html.js";

const FIRST_MS = 1_000;
const LONGEST_MS = 15_000;
const FACTOR = 1.4;

export function followReport() {
  let waitMs = FIRST_MS;
  const look = async () => {
    if (document.visibilityState === "visible") await replaceParts(location.pathname, ["#samples-section"]).catch(() => undefined);
    waitMs = Math.min(waitMs * FACTOR, LONGEST_MS);
    next();
  };
  const next = () => element(document, "#samples-section [data-judging]") !== null && setTimeout(look, waitMs);
  next();
}
