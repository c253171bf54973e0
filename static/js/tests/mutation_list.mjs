/**
 * Rules of the stores and of the parts of pages, as those of the library in
 * realtime/tests/mutation_list.mjs: the rule, the module, what stands there, what stands there without it.
 */

/** @type {[string, string, string, string][]} */
export const PAGE_MUTATIONS = [
  ["a listener of a store that throws stops no other", "stores/store.js", "          errors.push(error);", "          throw error;"],
  ["a listener that has thrown is told again", "stores/store.js", "if (listeners.has(listener)) behind.add(listener);", ""],
  ["what a listener throws is thrown", "stores/store.js", "if (errors.length === 1) throw errors[0];", ""],
  ["a listener that has left is told nothing more", "stores/store.js", "behind.delete(listener);\n        return", "return"],
  ["the newest version stays", "stores/store.js", "known.version >= arrived.version ? known", "false ? known"],
  ["a confirmation on its way is no confirmation", "stores/announcements.js", "return (state.confirmed.get(notice.id) ?? 0) >= notice.version;", "return Math.max(state.confirmed.get(notice.id) ?? 0, state.confirming.get(notice.id) ?? 0) >= notice.version;"],
  ["the timer tries for all", "stores/streams.js", "timer: { preferred: true }", "timer: {}"],
  ["a page without a timer asks for the clock", "stores/streams.js", ', timeCommand: { name: "delivered", data: { notices: [] } } },', " },"],
  ["a self-test may be large", "stores/streams.js", "mostBytes: 1_048_576", "mostBytes: 65_536"],
  ["the newest subscription counts", "stores/streams.js", '{ kind: "watch", again: false }', "{ again: false }"],
  ["the newest waiting run counts", "stores/streams.js", 'run: { kind: "run", patient: false }', "run: { patient: false }"],
  ["a run that is refused says so", "stores/streams.js", 'run: { kind: "run", patient: false }', 'run: { kind: "run" }'],
  ["what is typed waits for long", "stores/streams.js", "ask: { expiresMs: 600_000 }", "ask: { again: false }"],
  ["own time is counted on within the lease only", "stores/timer.js", "const fresh = ageMs >= 0 && ageMs < leaseMs;", "const fresh = true;"],
  ["output closes its holes", "stores/output.js", "if (offset > output.bytes)", "if (false)"],
  ["a question that nobody answers is not confirmed", "ui/ask_panel.js", 'command.onUnconfirmed(() => show("not confirmed yet: waiting for the server"))', "command"],
  ["a question that did not get through stays", "ui/ask_panel.js", '    show("", words || ', '    onAsked(null); show("", words || '],
  ["a confirmation that nobody answers is not confirmed", "ui/alerts.js", 'command.onUnconfirmed(() => setText(alert, ".alert-progress", "not confirmed yet: waiting for the server"));', ""],
  ["an alert to confirm stays until the server has it", "ui/alerts.js", "notice.requires_ack || !isConfirming(state, notice)", "!isConfirming(state, notice)"],
  ["a confirmation that was refused is asked for again", "ui/alerts.js", "store.notConfirmed([notice]);", ""],
  ["where no connection can carry it the form goes its usual way", "ui/alerts.js", 'if (outcome.kind === "failed" && outcome.code === "ended") return form.submit();', ""],
  ["what could not be told as delivered is not taken for told", "ui/alerts.js", "if (told.get(id) === version) told.delete(id);", ";"],
  ["it is told with the next welcome", "ui/alerts.js", '  stream.standing("delivered", () => {\n    tell();', '  stream.standing("delivered", () => {'],
  ["critical notices interrupt", "ui/notice_voice.js", 'return level === "critical" || required;', "return required;"],
  ["notices to confirm interrupt", "ui/notice_voice.js", 'return level === "critical" || required;', 'return level === "critical";'],
  ["a short interruption has two seconds", "ui/badge.js", "const GRACE_MS = 2_000;", "const GRACE_MS = 0;"],
  ["who was signed out may sign in", "ui/badge.js", 'setShown(badge, ".sign-in-again", summary.reason?.code === "signed-out");', ""],
  ["losing and regaining the connection is said", "ui/badge.js", 'setText(document, "#connection-said", words)', "void words"],
  ["a frozen page has no foreground", "ui/own_time.js", '    case "freeze":\n', ""],
  ["a page that stayed has its foreground back", "ui/own_time.js", 'case "interaction": return change(foreground, document.visibilityState === "visible");', 'case "interaction": return false;'],
];
