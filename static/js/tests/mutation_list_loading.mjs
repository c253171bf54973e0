/** Rules of pages whose files are lost or late, each with the text that switches it off; see mutation_list.mjs. */

/** @type {[string, string, string, string][]} */
export const LOADING_MUTATIONS = [
  ["a page comes back that lost a script", "pages/reload_lost.js", "target instanceof HTMLScriptElement && isOwn(target.src)) comeBack();", "false) comeBack();"],
  ["a style sheet that was lost is asked for again", "pages/reload_lost.js", "if (isLostSheet(link)) void loadAgain(link);", ""],
  ["what is not the site's may be lost", "pages/reload_lost.js", "address.startsWith(`${location.origin}/`)", "true"],
  ["a page that lost something waits longer each time", "pages/reload_lost.js", "FIRST_WAIT_MS * 2 ** tries", "FIRST_WAIT_MS"],
  ["a page that lost nothing ends the row", "pages/reload_lost.js", "if (!isLost) forgetLoads();", ""],
  ["a page that lost something is loaded anew once the site answers", "pages/reload_lost.js", " || !(await isAnswered())", ""],
  ["a page that lost something keeps what was typed", "pages/reload_lost.js", "return isTyped || performance", "return performance"],
  ["what came while the site was asked was typed, too", "pages/reload_lost.js", " || isInUse()) continue;", ") continue;"],
  ["a reload gives way to whoever types", "pages/reload_lost.js", "      window.stop();\n", ""],
  ["a reload overtakes nobody who is leaving", "pages/reload_lost.js", " || performance.now() - leavesAtMs < LEAVING_MS", ""],
  ["a reload of which nothing came is tried again", "pages/reload_lost.js", "      stayed.abort();\n      resolve();\n", "      stayed.abort();\n"],
  ["a reload takes no answer to a form away", "pages/reload_lost.js", 'if (document.querySelector(".comes-back") === null) return;', ""],
  ["a page that cannot count its loads is not loaded anew", "pages/reload_lost.js", "    sessionStorage.setItem(KEY, String(tries + 1));\n", ""],
  ["a page that lost a script says that it comes back", "pages/reload_lost.js", 'show(".when-lost", true);', ""],
];
