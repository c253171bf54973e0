/** A server that keeps the protocol, for the world of the property tests. */

import { hold, MUST } from "./world_checks.js";

/** Events that a log still holds. */
const RETAINED = 20;

/** All events that there were, in order, make the state: one that was left out or came twice is seen for ever. */
export const stateAfter = (state, seq) => (Math.imul(state, 31) + seq) >>> 0;

export class Server {
  constructor(world, names) {
    this.world = world;
    this.logs = Object.fromEntries(names.map((name) => [name, { epoch: "e1", seq: 5, floor: 5, state: 0 }]));
    this.connections = new Set();
    this.executed = new Map();
    this.heal();
  }

  /** Everything is as it should be. */
  heal() {
    this.answer = null; // what a hello gets instead of a welcome
    this.replies = true;
    this.busy = false; // says so to every command
    this.withholds = 0; // snapshots that it owes and does not send
  }

  head(name) {
    const { epoch, seq } = this.logs[name];
    return { topic: { epoch, seq } };
  }

  state(name) {
    return this.logs[name].state;
  }

  post(name) {
    const log = this.logs[name];
    log.seq += 1;
    log.state = stateAfter(log.state, log.seq);
    log.floor = Math.max(log.floor, log.seq - RETAINED);
    for (const connection of this.connections) if (connection.stream === name && connection.told !== null) this.tell(connection);
  }

  /** The last events once more: a repetition that must have no effect. */
  repeat(name, count) {
    for (const connection of this.connections) {
      if (connection.stream !== name || connection.told === null) continue;
      connection.told = Math.max(this.logs[name].floor, connection.told - count);
      this.tell(connection);
    }
  }

  /** What a server should never say. Three of a kind may end the stream as a fault. */
  garble(name, text) {
    for (const connection of this.connections) {
      if (connection.stream !== name || connection.told === null) continue;
      this.world.page[name].faults += 1;
      this.world.bring(connection, text);
    }
  }

  newEpoch(name) {
    const log = this.logs[name];
    log.epoch += "'";
    log.floor = log.seq;
    for (const connection of this.connections) if (connection.stream === name && connection.told !== null) this.snapshot(connection);
  }

  // --- connections ----------------------------------------------------------------------------

  connect(connection) {
    this.connections.add(connection);
  }

  gone(connection) {
    this.connections.delete(connection);
  }

  close(connection, code) {
    this.gone(connection);
    this.world.bringClose(connection, code);
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
    if (text === "ping") return this.world.bring(connection, "pong");
    if (text === "pong" || text.startsWith('{"type":"seen"')) return;
    const frame = JSON.parse(text);
    if (frame.type === "hello") this.hello(connection, frame);
    else if (frame.type === "command" && connection.told !== null) this.command(connection, frame);
    else if (frame.type === "leave") this.leave(connection);
  }

  hello(connection, { cursor }) {
    if (this.answer !== null) return this.turnAway(connection);
    const { stream } = connection;
    const { epoch, seq, floor } = this.logs[stream];
    const mark = cursor?.topic;
    const resumed = mark !== undefined && mark.epoch === epoch && mark.seq >= floor && mark.seq <= seq;
    this.world.bring(connection, `{"type":"welcome","protocol":1,"node":"n","server_time":${this.world.trueNow / 1000},"resumed":${resumed},"timings":{}}`);
    connection.told = resumed ? mark.seq : seq;
    if (resumed) this.tell(connection);
    else if (this.withholds > 0) this.withholds -= 1;
    else this.snapshot(connection);
    this.world.bring(connection, `{"type":"synced","cursor":${this.cursor(stream)}}`);
    connection.live = true;
  }

  turnAway(connection) {
    const { frame, code } = this.answer;
    if (frame !== null) this.world.bring(connection, frame);
    this.close(connection, code);
  }

  snapshot(connection) {
    const { stream } = connection;
    this.world.bring(connection, `{"type":"snapshot","cursor":${this.cursor(stream)},"data":${this.state(stream)}}`);
    connection.told = this.logs[stream].seq;
  }

  cursor(stream) {
    const { epoch, seq } = this.logs[stream];
    return `{"topic":{"epoch":"${epoch}","seq":${seq}}}`;
  }

  tell(connection) {
    const { seq } = this.logs[connection.stream];
    for (let next = connection.told + 1; next <= seq; next += 1) {
      this.world.bring(connection, `{"type":"event","topic":"topic","after":${next - 1},"seq":${next},"id":"${next}","name":"x","data":${next}}`, connection.live);
    }
    connection.told = seq;
  }

  /** What comes again under its old number is answered again and done once. */
  command(connection, { client_seq: seq, name, data }) {
    if (this.busy) return this.reply(connection, seq, '"ok":false,"error":{"code":"busy","message":"","retry_after_ms":800}');
    const key = `${connection.stream}/${seq}`;
    const before = this.executed.get(key);
    hold(MUST.once, before === undefined || before === data.ref, () => `number ${key} was used for two commands`);
    this.executed.set(key, data.ref);
    this.world.executed(name, data.ref);
    if (this.replies) this.reply(connection, seq, '"ok":true,"data":{}');
  }

  reply(connection, seq, content) {
    this.world.bring(connection, `{"type":"reply","client_seq":${seq},${content},"server_time":${this.world.trueNow / 1000},"held_ms":0}`);
  }

  ping() {
    for (const connection of this.connections) this.world.bring(connection, "ping");
  }

  drain(leaveInMs) {
    for (const connection of this.connections) if (connection.told !== null) this.world.bring(connection, `{"type":"drain","leave_in_ms":${leaveInMs}}`);
  }

  leave(connection) {
    // Without a token the client attaches by its cursor.
    if (connection.socket % 2 === 1) this.world.bring(connection, `{"type":"token","token":"t${connection.socket}","expires_in_ms":30000}`);
    this.close(connection, 4112);
  }
}
