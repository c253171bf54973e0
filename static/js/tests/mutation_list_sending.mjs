/** Rules of forms and buttons, each with the text that switches it off; see mutation_list.mjs. */

/** @type {[string, string, string, string][]} */
export const SENDING_MUTATIONS = [
  ["a page that is being left sends nothing else", "ui/outbox.js", "|| phase === \"stopped\" || leaving", "|| phase === \"stopped\""],
  ["a page that was not left can send again", "ui/outbox.js", ", { type: \"wait\", ms: LEAVES_WITHIN_MS }", ""],
  ["whoever is shut out is led to no page that says no", "ui/alerts.js", "  if (form.closest(\"[data-shut]\") !== null) return;\n", ""],
  ["an alert of whoever is shut out stays off", "ui/alerts.js", "switchOff(button, confirming);", "if (button !== null) button.disabled = confirming;"],
  ["whoever is shut out has the alerts off", "ui/shut_out.js", "${FORMS}, ${ALERTS}", "${FORMS}"],
  ["an alert says why it is off", "ui/shut_out.js", "  sayInAlerts(words);\n", ""],
  ["whoever is let back in has the alerts on", "ui/shut_out.js", "    openAlerts();\n", ""],
  ["what is open again stays so after going back", "ui/shut_out.js", "\"shut\" in form.dataset && ", ""],
  ["that one is signed out is said as long as it is true", "ui/ask_panel.js", "    if (who !== \"out\") this.#progress.forget(NOT_SENT);\n", ""],
  ["a button has its focus again", "ui/dom.js", "  if (isOff && document.activeElement === button) drop(button);\n", ""],
  ["a button takes no focus from elsewhere", "ui/dom.js", "if (document.activeElement === document.body) button.focus", "button.focus"],
  ["whoever has touched plain text is not brought back", "ui/dom.js", "[\"focusin\", \"pointerdown\"]", "[\"focusin\"]"],
  ["a form is not sent while its press is told of", "ui/session.js", "  setTimeout(() => { if ((document", "  queueMicrotask(() => { if ((document"],
  ["what another juror has answered is said once", "ui/answered_meanwhile.js", " || place.dataset[\"version\"] === version", ""],
  ["a row that was answered meanwhile looks answered", "ui/answered_meanwhile.js", "shown.toggleAttribute(\"data-answered\", true);", ""],
  ["a late editor waits for whoever types", "ui/source.js", "    await untilNobodyTypes();\n", ""],
  ["what an input method composes is typing", "ui/source.js", '["input", "compositionstart"]', '["input"]'],
  ["what was typed before the script came is typing", "ui/source.js", "area.value !== area.defaultValue", "false"],
  ["whoever is back in the field is left alone", "ui/source.js", "      if (isInUse()) return;\n", ""],
  ["a selection keeps its direction", "ui/source.js", 'direction === "backward"', "false"],
  ["a page that stays at the start says so", "ui/contest_time.js", "if (instead && isTyped()) sayStayed();", ""],
  ["a page without a link that stays says so", "ui/quiet_page.js", "if (stays) onStayed();", ""],
];
