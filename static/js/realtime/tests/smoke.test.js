import assert from "node:assert/strict";
import test from "node:test";

import { Link } from "../index.js";
import { at, event, FakeEnvironment } from "./fake_environment.js";

test("a stream becomes live, applies events in order and says so", async () => {
  const environment = new FakeEnvironment();
  const link = new Link({ environment });
  const events = [];
  const states = [];
  const stream = link.open({
    name: "news", url: "/ws/news", cursor: at(3), onEvent: (each) => events.push(each.seq), onState: ({ state }) => states.push(state),
  });
  environment.pass(0);
  environment.last().accept({ cursor: at(5), events: [event(4), event(5)] });
  assert.deepEqual(events, [4, 5]);
  assert.deepEqual(states, ["connecting", "live"]);
  assert.equal(link.summary().state, "live");
  const reply = stream.command("ack", { id: 5 });
  const [sent] = environment.last().frames("command");
  assert.equal(sent.client_seq, 1);
  environment.last().receive({ type: "reply", client_seq: 1, ok: true, data: {}, server_time: 1_790_000_001, held_ms: 1 });
  assert.equal((await reply).ok, true);
  assert.equal(environment.connections()[0].state, "live");
});

test("a lost socket is replaced from where it was left", () => {
  const environment = new FakeEnvironment();
  const link = new Link({ environment });
  link.open({ name: "news", url: "/ws/news", cursor: at(3) });
  environment.pass(0);
  environment.last().accept({ cursor: at(3) });
  environment.last().receive(event(4));
  environment.last().close(1006);
  assert.equal(link.summary().state, "reconnecting");
  assert.equal(link.summary().nextTryMs, 300);
  environment.pass(300);
  assert.equal(environment.sockets.length, 2);
  environment.last().open();
  const [hello] = environment.last().frames("hello");
  assert.deepEqual([hello.cause, hello.cursor], ["close", at(4)]);
});
