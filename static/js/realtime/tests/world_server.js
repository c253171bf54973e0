/** A server that keeps the protocol, for the world of the property tests. */

import assert from "node:assert/strict";

const RETAINED = 20;

export class Server {
  constructor(world) {
    this.world = world;
    this.logs = new Map();
    this.connections = new Set();
    this.executed = new Map();
    this.up = true;
    this.answer = null; // what a hello gets instead of a welcome
    this.replies = true;
    this.busy = false; // says so to every command
  }

  log(name) {
    if (!this.logs.has(name)) this.logs.set(name, { epoch: "e1", seq: 5, floor: 5 });
    return this.logs.get(name);
  }

  head(name) {
    const { epoch, seq } = this.log(name);
    return { topic: { epoch, seq } };
  }

  state(name) {
    return this.log(name).state ?? 0;
  }

  post(name) {
    const log = this.log(name);
    log.seq += 1;
    log.state = log.seq;
    log.floor = Math.max(log.floor, log.seq - RETAINED);
    for (const connection of this.connections) if (connection.stream === name && connection.told !== undefined) this.tell(connection);
  }

  newEpoch(name) {
    const log = this.log(name);
    Object.assign(log, { epoch: `${log.epoch}'`, floor: log.seq });
    for (const connection of this.connections) if (connection.stream === name) this.snapshot(connection);
  }

  // --- connections ----------------------------------------------------------------------------

  connect(connection) {
    if (this.up) this.connections.add(connection);
  }

  gone(connection) {
    this.connections.delete(connection);
  }

  send(connection, frame) {
    this.world.bring(connection, { type: "text", text: typeof frame === "string" ? frame : JSON.stringify(frame) });
  }

  close(connection, code) {
    this.gone(connection);
    this.world.bring(connection, { type: "closed", code });
  }

  /** All sockets end: with an event, or (a host that vanished) without any. */
  restart(silently) {
    for (const connection of [...this.connections]) {
      if (silently) connection.healthy = false;
      else this.close(connection, 1006);
      this.gone(connection);
    }
  }

  take(connection, text) {
    if (!this.connections.has(connection)) return;
    if (text === "ping") return this.send(connection, "pong");
    if (text === "pong") return;
    const frame = JSON.parse(text);
    if (frame.type === "hello") this.hello(connection, frame);
    if (frame.type === "command" && connection.told !== undefined) this.command(connection, frame);
    if (frame.type === "leave") this.leave(connection);
  }

  hello(connection, { cursor }) {
    if (this.answer !== null) return this.turnAway(connection);
    const { epoch, seq, floor } = this.log(connection.stream);
    const mark = cursor?.topic;
    const resumed = mark !== undefined && mark.epoch === epoch && mark.seq >= floor && mark.seq <= seq;
    this.send(connection, { type: "welcome", protocol: 1, node: "n", server_time: this.world.trueNow / 1000, resumed, timings: {} });
    connection.told = resumed ? mark.seq : seq;
    if (resumed) this.tell(connection);
    else this.snapshot(connection);
    this.send(connection, { type: "synced", cursor: this.head(connection.stream) });
    connection.told = this.log(connection.stream).seq;
    connection.live = true;
  }

  turnAway(connection) {
    const { frame, code } = this.answer;
    if (frame !== null) this.send(connection, frame);
    if (frame?.type === "end") this.world.page[connection.stream].mayEnd = true;
    this.close(connection, code);
  }

  snapshot(connection) {
    const { stream } = connection;
    this.send(connection, { type: "snapshot", cursor: this.head(stream), data: this.state(stream) });
    connection.told = this.log(stream).seq;
  }

  tell(connection) {
    const { seq } = this.log(connection.stream);
    for (let next = connection.told + 1; next <= seq; next += 1) {
      this.send(connection, { type: "event", topic: "topic", after: next - 1, seq: next, id: `${next}`, name: "x", data: next });
    }
    connection.told = seq;
  }

  command(connection, { client_seq: seq, name }) {
    if (this.busy) {
      this.send(connection, { type: "reply", client_seq: seq, ok: false, error: { code: "busy", message: "", retry_after_ms: 800 }, server_time: this.world.trueNow / 1000, held_ms: 0 });
      return;
    }
    const key = `${connection.stream}/${seq}`;
    const before = this.executed.get(key);
    assert.ok(before === undefined || before === name, "one number was used for two commands");
    this.executed.set(key, name);
    if (!this.replies) return;
    this.send(connection, { type: "reply", client_seq: seq, ok: true, data: {}, server_time: this.world.trueNow / 1000, held_ms: 0 });
  }

  ping() {
    for (const connection of this.connections) this.send(connection, "ping");
  }

  drain(leaveInMs) {
    for (const connection of this.connections) if (connection.told !== undefined) this.send(connection, { type: "drain", leave_in_ms: leaveInMs });
  }

  leave(connection) {
    this.send(connection, { type: "token", token: `t${connection.socket}`, expires_in_ms: 30_000 });
    this.close(connection, 4112);
  }

  heal() {
    this.up = true;
    this.answer = null;
    this.replies = true;
    this.busy = false;
  }
}
