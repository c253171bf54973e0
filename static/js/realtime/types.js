/** The words of the wire and of time. Nothing here exists at run time. */

/**
 * @typedef {"connecting" | "live" | "checking" | "reconnecting"
 *   | "switching" | "offline" | "paused" | "ended"} VisibleState
 *
 * @typedef {"first" | "close" | "error" | "handshake-timeout" | "probe-timeout" | "report-timeout" | "send-error"
 *   | "gap" | "slow" | "page" | "slept" | "offline" | "drain" | "superseded" | "fault"} Cause
 *
 * @typedef {Record<string, { epoch: string, seq: number }>} Cursor where each topic was left
 *
 * @typedef {object} Reading both clocks and a source of chance, read once for a step
 * @property {number} monoMs
 * @property {number} wallMs
 * @property {() => number} random in [0, 1)
 *
 * @typedef {object} Moment
 * @property {number} ms time that never goes back
 * @property {number} wallMs
 * @property {boolean} back the monotonic clock has stepped back since the last step
 * @property {boolean} slept the wall clock ran on while the monotonic one stood still
 * @property {number} lateAfterMs a check that is further over due than this came late
 * @property {() => number} random
 *
 * @typedef {object} Timings
 * @property {number} heartbeatMs
 * @property {number} silenceMs
 * @property {number} probeMs
 * @property {number} handshakeMs
 * @property {number} reportMs
 * @property {number} leaseMs
 * @property {number} hiddenMs
 * @property {number} confirmMs
 * @property {number} trialMs
 *
 * @typedef {object} Probe
 * @property {number} sentMs
 * @property {number} byMs
 * @property {Cause} cause of the failure, should nothing arrive by then
 * @property {boolean} quiet nobody doubts the connection: the probe only rides along with a report
 *
 * @typedef {object} Life
 * @property {number} heardMs when the last frame arrived
 * @property {number} sinceMs start of the silence window: `heardMs`, or later if a clock went back
 * @property {number} sinceWallMs the same on the wall clock
 * @property {Probe | null} probe
 * @property {"due" | "late" | null} doubt waiting for one turn of the event loop
 *
 * @typedef {{ exchanges: Exchange[] }} Clock
 * @typedef {{ sentMs: number, sentWallMs: number, serverTime: number, heldMs: number }} Asked
 *   server time in seconds, as on the wire
 * @typedef {{ atMs: number, wallMs: number, tripMs: number, offsetMs: number }} Exchange
 *
 * @typedef {{ code: string, message?: string, retry_after_ms?: number }} ReplyError
 * @typedef {{ type: "reply", client_seq: number, ok: boolean, data?: any, error?: ReplyError,
 *   server_time?: number, held_ms?: number }} ReplyFrame
 * @typedef {{ type: "welcome", protocol: number, node?: string, server_time: number, resumed: boolean,
 *   timings: object }} WelcomeFrame
 * @typedef {{ type: "snapshot", cursor: Cursor, data: any }} SnapshotFrame
 * @typedef {{ type: "event", topic: string, after: number, seq: number, id?: string, name: string,
 *   data: any }} EventFrame
 * @typedef {{ type: "synced", cursor: Cursor }} SyncedFrame
 * @typedef {{ type: "retry", code: string, message?: string, retry_after_ms: number }} RetryFrame
 * @typedef {{ type: "end", code: string, message?: string }} EndFrame
 * @typedef {{ type: "drain", leave_in_ms: number }} DrainFrame
 * @typedef {{ type: "token", token: string, expires_in_ms: number }} TokenFrame
 * @typedef {WelcomeFrame | SnapshotFrame | EventFrame | SyncedFrame | ReplyFrame
 *   | RetryFrame | EndFrame | DrainFrame | TokenFrame} Frame
 * @typedef {{ type: string } & Record<string, any>} OtherFrame a frame that the library passes on unread
 *
 * @typedef {object} CommandSpec
 * @property {number} ref the caller's own number for it
 * @property {string} name
 * @property {object} data
 * @property {string | null} kind of waiting commands of one kind only the newest is kept
 * @property {number} expiresMs ms from now
 * @property {boolean} again sent again after a reconnect, under its old number, until it is answered
 * @property {boolean} patient `busy` with a hint is not its answer: it waits and asks again
 * @property {boolean} provesPath followed by a ping: any frame must arrive within the reply deadline
 * @property {boolean} standing every `welcome` makes it anew, so one that waited for it is outdated
 *
 * @typedef {object} CommandTimes
 * @property {number} askedMs
 * @property {number} expiresMs
 * @property {number | null} sentMs on the current socket; null: waiting
 * @property {number} sentWallMs
 * @property {number} notBeforeMs
 * @property {boolean} tried it went out once, on whichever socket: it may have had its effect
 * @property {number} clientSeq
 * @property {string} text the frame, the same every time
 * @property {boolean} unconfirmed
 *
 * @typedef {Omit<CommandSpec, "expiresMs"> & CommandTimes} Command
 *
 * @typedef {{ items: Command[], nextSeq: number }} Queue
 *
 * @typedef {"full" | "too-large" | "replaced" | "expired" | "lost" | "ended" | "leaving" | "context"} FailureCode
 * @typedef {{ kind: "reply", reply: ReplyFrame } | { kind: "failed", code: FailureCode }} Outcome
 * @typedef {{ ref: number, outcome: Outcome }} Settled
 * @typedef {{ queue: Queue, settled: Settled[] }} QueueChange
 */

export {};
