/** The buttons of the self-test over a real link and a document made of data. */

import assert from "node:assert/strict";
import test from "node:test";

import { at } from "../../realtime/tests/fake_environment.js";
import { livePage } from "../../realtime/tests/page.js";
import { openSelfTest } from "../selftest.js";
import { fire, h, putPage } from "./fake_page.js";

const RUN = { id: 7, version: 1, attempt: 1, status: "running", language: "python" };

function panelOnPage(t, run = null) {
  const form = h("form", h("select[name=\"language\"]"));
  const panel = h("section#selftest[data-problem=\"A\"][data-cpu-ms=\"5000\"]", h("textarea#selftest-input"), h("button#selftest-run"), h("button#selftest-stop"),
    h("span#selftest-state"), h("span#selftest-time"), h("span#selftest-memory"), h("span#selftest-bytes"), h("pre#selftest-output"), h("pre#selftest-errors"),
    h("details#selftest-elsewhere", h("summary"), h("pre")));
  const document = putPage(t, form, panel);
  globalThis.sessionStorage = globalThis.localStorage = { getItem: () => null, setItem: () => undefined };
  t.after(() => { for (const name of ["sessionStorage", "localStorage"]) delete globalThis[name]; });
  form.querySelector("select").value = "python";
  const page = livePage({ streams: ["selftest"] });
  let store;
  const live = { data: { contest: "demo", user: { id: 2 }, streams: { selftest: { data: { run: null } } } }, follow: (_, create) => {
    store = create({ run, output: [] });
    return { store, stream: page.streams.selftest };
  } };
  openSelfTest(live, form, { text: () => "print(1)" });
  const find = (place) => document.querySelector(place);
  const commands = () => page.sockets("selftest").flatMap((socket) => socket.frames("command"));
  return {
    page, store, commands, state: () => find("#selftest-state").textContent,
    press: (name) => fire(find(`#selftest-${name}`), "click"), isOff: (name) => find(`#selftest-${name}`).disabled,
    answer: (more) => page.socket().receive({ type: "reply", client_seq: commands().at(-1).client_seq, ok: true, data: {}, ...more }),
  };
}

test("Run, pressed while the page is not live, says at once that it waits, and follows the connection", (t) => {
  const { page, state, press, isOff, answer } = panelOnPage(t);
  page.socket().close(1006);
  press("run");
  assert.deepEqual([state(), isOff("run")], ["not sent yet: waiting for the connection", true]);
  page.pass(300);
  page.socket().accept({ cursor: at(3) });
  assert.equal(state(), "sending …");
  page.socket().close(1006);
  assert.equal(state(), "not confirmed yet: waiting for the connection");
  page.pass(page.link.summary().nextTryMs);
  page.socket().accept({ cursor: at(3) });
  answer({ ok: false, error: { code: "busy", message: "Another run goes on." } });
  assert.deepEqual([state(), isOff("run")], ["Another run goes on.", false]);
});

test("Stop over a dead path says that it waits, and when that has lasted too long, that it did not get through", (t) => {
  const { page, state, press, isOff } = panelOnPage(t, RUN);
  press("stop");
  assert.deepEqual([state(), isOff("stop")], ["stopping …", true]);
  page.pass(10_000);
  assert.equal(state(), "stopping is not confirmed yet: waiting for the server");
  page.socket().close(1006);
  assert.equal(state(), "stopping is not confirmed yet: waiting for the connection");
  for (let passed = 0; passed < 121_000; passed += 1_000) {
    page.pass(1_000);
    page.environment.sockets.forEach((socket) => socket.retired || socket.close(1006));
  }
  assert.deepEqual([state(), isOff("stop")], ["This did not get through. Please try again.", false]);
});

test("Stop is of the run for which it was pressed, and of none that another tab has started since", (t) => {
  const { page, store, state, press, isOff, answer, commands } = panelOnPage(t, RUN);
  page.socket().close(1006);
  press("stop");
  assert.equal(state(), "stopping is not sent yet: waiting for the connection");
  page.pass(300);
  page.socket().accept({ cursor: at(3), events: [] });
  assert.deepEqual(commands().map(({ name, data }) => [name, data]), [["cancel", { run: 7 }]], "the premise: it has waited");
  store.apply({ name: "run.queued", data: { run: 8, position: 1, language: "python" } });
  assert.equal(store.get().run.id, 8, "the premise: the next one goes");
  assert.doesNotMatch(state(), /stopping/);
  assert.equal(isOff("stop"), false);
  press("stop");
  assert.deepEqual([commands().at(-1).data, state()], [{ run: 8 }, "stopping …"]);
  page.socket().receive({ type: "reply", client_seq: commands()[0].client_seq, ok: false, error: { code: "failure", message: "Not now." } });
  assert.deepEqual([state(), isOff("stop")], ["stopping …", true], "that was said of the other one");
  answer({ data: { cancelled: true } });
  assert.equal(isOff("stop"), true);
});

test("who has signed in again reads at once how the run goes", (t) => {
  const { page, state, isOff } = panelOnPage(t, RUN);
  page.socket().receive({ type: "end", code: "signed-out", message: "Sign in again." });
  page.socket().close(4001);
  assert.deepEqual([state(), isOff("stop")], ["Sign in again.", true], "the premise");
  page.link.revive("signed-out");
  assert.deepEqual([state(), isOff("stop")], ["that run goes on; Stop ends it", false]);
});

test("Stop that is refused says so and can be pressed again; that the run is over counts for more than no answer", (t) => {
  const { page, store, state, press, isOff, answer } = panelOnPage(t, RUN);
  press("stop");
  answer({ ok: false, error: { code: "failure", message: "Not now." } });
  assert.deepEqual([state(), isOff("stop")], ["Not now.", false]);
  store.apply({ name: "run.output", data: { run: 7, attempt: 1, stream: "stdout", offset: 0, text: "x" } });
  assert.equal(isOff("stop"), false, "also once something else has come");
  page.socket().close(1006);
  press("stop");
  assert.equal(state(), "stopping is not sent yet: waiting for the connection");
  page.pass(300);
  page.socket().accept({ cursor: at(3) });
  store.apply({ name: "run.finished", data: { ...RUN, version: 2, status: "final", verdict: null } });
  assert.equal(isOff("run"), false);
  assert.doesNotMatch(state(), /stopping/);
  answer({ data: { cancelled: false } });
  assert.doesNotMatch(state(), /stopping/);
});
