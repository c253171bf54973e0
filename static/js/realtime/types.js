/**
 * The words of this library. Nothing here exists at run time.
 *
 * @typedef {"connecting" | "live" | "checking" | "reconnecting" | "switching" | "offline" | "paused" | "ended"} VisibleState
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
 * @typedef {{ sentMs: number, sentWallMs: number, serverTime: number, heldMs: number }} Asked server time in seconds, as on the wire
 * @typedef {{ atMs: number, wallMs: number, tripMs: number, offsetMs: number }} Exchange
 *
 * @typedef {{ code: string, message?: string, retry_after_ms?: number }} ReplyError
 * @typedef {{ type: "reply", client_seq: number, ok: boolean, data?: any, error?: ReplyError, server_time?: number, held_ms?: number }} ReplyFrame
 * @typedef {{ type: "welcome", protocol: number, node?: string, server_time: number, resumed: boolean, timings: object }} WelcomeFrame
 * @typedef {{ type: "snapshot", cursor: Cursor, data: any }} SnapshotFrame
 * @typedef {{ type: "event", topic: string, after: number, seq: number, id?: string, name: string, data: any }} EventFrame
 * @typedef {{ type: "synced", cursor: Cursor }} SyncedFrame
 * @typedef {{ type: "retry", code: string, message?: string, retry_after_ms: number }} RetryFrame
 * @typedef {{ type: "end", code: string, message?: string }} EndFrame
 * @typedef {{ type: "drain", leave_in_ms: number }} DrainFrame
 * @typedef {{ type: "token", token: string, expires_in_ms: number }} TokenFrame
 * @typedef {WelcomeFrame | SnapshotFrame | EventFrame | SyncedFrame | ReplyFrame | RetryFrame | EndFrame | DrainFrame | TokenFrame} Frame
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
 *
 * @typedef {object} CommandTimes
 * @property {number} askedMs
 * @property {number} expiresMs
 * @property {number | null} sentMs on the current socket; null: waiting
 * @property {number} sentWallMs
 * @property {number} notBeforeMs
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
 *
 * @typedef {"waiting" | "opening" | "greeting" | "syncing" | "live" | "parked" | "ended"} Phase
 *   waiting: for its turn to try; opening: handshake; greeting: hello is out, no welcome yet;
 *   syncing: welcome came, replay is coming; parked: without a socket on purpose
 *
 * @typedef {object} Attempt the handshake of the current socket, until `welcome`
 * @property {number} openedMs
 * @property {number} withinMs
 * @property {number} byMs
 * @property {boolean} extended had its deadline renewed once because the check came late
 * @property {"due" | "late" | null} doubt
 * @property {boolean} scout
 * @property {number} helloMs when hello went out
 * @property {number} helloWallMs
 *
 * @typedef {object} Retry
 * @property {number} failures in a row, reset by ten seconds of proven life only
 * @property {number} misses failures of this stream alone, with the path proven good
 * @property {number} tries attempts since it was last synced
 * @property {number} wantsAtMs when waiting: the moment of the next try
 * @property {boolean} hinted the server named that moment
 * @property {boolean} planned a change of node: no failure
 * @property {boolean} tryFailed a try has failed since it was last synced
 * @property {boolean} fresh resume without a cursor
 * @property {Cause} cause for the next hello
 *
 * @typedef {object} Drain
 * @property {number} leaveAtMs
 * @property {number | null} leaveByMs `leave` is out; the answer is due by then
 *
 * @typedef {{ code: string, message: string }} Ending
 * @typedef {{ kind: "event", key: string, topic: string, seq: number } | { kind: "snapshot", key: string, cursor: Cursor }} Delivery
 * @typedef {{ key: string, count: number }} Fault
 * @typedef {{ frames: number, told: number, units: number, dueMs: number | null }} Seen
 * @typedef {{ cause: Cause, code: number | null, atMs: number }} PastCause
 *
 * @typedef {object} Stream
 * @property {string} name
 * @property {string} url
 * @property {string} client
 * @property {boolean} keepHidden stays open while the page is hidden
 * @property {boolean} preferred scout before others
 * @property {number} mostBytes of a frame that may be sent
 * @property {Phase} phase
 * @property {number | null} socket the current one
 * @property {number} sockets how many there have been; the last one's number
 * @property {boolean} answered a frame has arrived on the current socket
 * @property {Attempt | null} attempt
 * @property {Life | null} life from `welcome` on
 * @property {number | null} syncedMs
 * @property {boolean} everSynced
 * @property {number | null} lostMs last proof of life of the previous socket
 * @property {Retry} retry
 * @property {Cursor | null} cursor
 * @property {Delivery | null} delivery being handled by the page
 * @property {Fault | null} fault
 * @property {Seen} seen
 * @property {Queue} queue
 * @property {Drain | null} drain
 * @property {{ token: string, untilMs: number } | null} token
 * @property {{ gaps: number, duplicates: number, rttMs: number | null }} stats
 * @property {PastCause[]} causes
 * @property {Ending | null} ending
 * @property {Timings} timings
 *
 * @typedef {object} Why what fail() is told
 * @property {Cause} cause
 * @property {number} [code] of the close, if there was one
 * @property {number | null} [hintMs]
 * @property {Ending} [ending] the stream is over
 * @property {boolean} [planned] a change of node
 * @property {boolean} [free] the page's own wish: no failure, no wait
 * @property {"hidden" | "left"} [park]
 * @property {boolean} [late] the deadline was looked at too late to accuse the path
 *
 * @typedef {{ type: "try", scout: boolean, withinMs: number }
 *   | { type: "opened", socket: number }
 *   | { type: "text", socket: number, text: string }
 *   | { type: "binary", socket: number }
 *   | { type: "closed", socket: number, code: number }
 *   | { type: "error", socket: number }
 *   | { type: "send-error", socket: number }
 *   | { type: "handled", socket: number, ok: boolean }
 *   | { type: "look" } | { type: "late" } | { type: "turn" }
 *   | { type: "probe", withinMs: number, cause: Cause, evidence: boolean }
 *   | { type: "hurry" }
 *   | { type: "follow", atMs: number }
 *   | { type: "inherit", failures: number, atMs: number }
 *   | { type: "blame", cause: Cause }
 *   | { type: "park", why: "hidden" | "left" } | { type: "unpark" }
 *   | { type: "command", spec: CommandSpec }
 *   | { type: "context" }
 *   | { type: "stop" }} StreamEvent
 *
 * @typedef {{ type: "open", socket: number, url: string }
 *   | { type: "send", socket: number, text: string }
 *   | { type: "retire", socket: number }
 *   | { type: "deliver", socket: number, frame: SnapshotFrame | EventFrame }
 *   | { type: "pass", frame: OtherFrame }
 *   | { type: "settle", ref: number, outcome: Outcome }
 *   | { type: "unconfirmed", ref: number }
 *   | { type: "renew" }
 *   | { type: "down", cause: Cause, code: number | null }
 *   | { type: "synced" }} OuterEffect effects that the driver carries out
 *
 * @typedef {{ type: "turn" }
 *   | { type: "suspect" }
 *   | { type: "tried-in-vain", scout: boolean, answered: boolean, counts: boolean }
 *   | { type: "failed", cause: Cause }
 *   | { type: "exchange", asked: Asked }} LinkEffect effects that the link takes in
 *
 * @typedef {{ type: "fail", why: Why } | { type: "flush" }} InnerEffect effects that the stream itself works off
 *
 * @typedef {OuterEffect | LinkEffect} StreamEffect
 * @typedef {[Stream, (StreamEffect | InnerEffect)[]]} Step
 *
 * @typedef {"hidden" | "visible" | "offline" | "online" | "blur" | "focus" | "freeze" | "resume"
 *   | "leaving" | "left" | "pageshow" | "interaction"} PageEventName
 *   leaving: the page goes, say last words; left: it has gone; interaction: a person is still here
 *
 * @typedef {PageEventName | "slept"} PageNews what streams are told, so that they can report it
 *
 * @typedef {object} Page
 * @property {boolean} visible
 * @property {number | null} hiddenSinceMs
 * @property {boolean} offline the browser says so; never believed, only shown
 * @property {boolean} left
 * @property {number | null} blurredMs
 *
 * @typedef {{ state: VisibleState, nextTryAtMs: number | null, reason: Ending | null }} Shown
 *
 * @typedef {object} LinkState
 * @property {Timings} timings
 * @property {{ ms: number, monoMs: number, wallMs: number }} timeline
 * @property {Page} page
 * @property {Breaker} breaker
 * @property {number[]} attempts moments of the tries of the last second
 * @property {number} checkAtMs
 * @property {number | null} armedMs what the driver's one timer is set to
 * @property {Stream[]} streams in the order in which they were opened
 * @property {boolean} everSynced
 * @property {Clock} clock
 * @property {Record<string, string>} shown what was last told of each stream, and of the page as ""
 *
 * @typedef {object} Breaker
 * @property {"closed" | "open" | "half-open"} mode
 * @property {{ ms: number, ok: boolean }[]} outcomes of the sliding window
 * @property {number} untilMs when open: the moment from which the scout may try
 * @property {number} openMs how long it was opened last time, before jitter; 0: not since it closed
 * @property {boolean} permit one try may pass in any mode (a person or a page event asked for it)
 *
 * @typedef {object} StreamOptions
 * @property {string} name
 * @property {string} url
 * @property {string} client
 * @property {Cursor | null} cursor
 * @property {boolean} [keepHidden]
 * @property {boolean} [preferred]
 * @property {number} [mostBytes]
 *
 * @typedef {{ type: "stream", stream: string, event: StreamEvent }
 *   | { type: "open", options: StreamOptions }
 *   | { type: "page", what: PageEventName }
 *   | { type: "try-now" }
 *   | { type: "tick" } | { type: "turn" }
 *   | { type: "context" }} LinkEvent
 *
 * @typedef {OuterEffect & { stream: string }} NamedEffect
 * @typedef {{ type: "page", stream: string, what: PageNews }} PageEffect
 * @typedef {{ type: "shown", stream: string, shown: Shown }
 *   | { type: "summary", shown: Shown }
 *   | { type: "clock", synchronised: boolean }
 *   | { type: "turn" }
 *   | { type: "arm", inMs: number }} PlainEffect
 * @typedef {NamedEffect | PageEffect | PlainEffect} Effect
 *
 * @typedef {object} Connection one socket of a transport
 * @property {(text: string) => void} send throws if it cannot
 * @property {() => void} retire detaches all handlers, then closes, best effort, without waiting
 * @property {() => number} readyState as of WebSocket
 *
 * @typedef {object} ConnectionHandlers
 * @property {() => void} onOpen
 * @property {(text: string) => void} onText
 * @property {() => void} onBinary
 * @property {(code: number) => void} onClose
 * @property {() => void} onError
 *
 * @typedef {object} Transport the seam between the machine and what carries its frames
 * @property {string} name
 * @property {(url: string, handlers: ConnectionHandlers) => Connection} open may throw
 *
 * @typedef {object} Environment everything that the driver needs from the outside
 * @property {() => Reading} read
 * @property {(run: () => void, ms: number) => unknown} setTimer
 * @property {(timer: any) => void} clearTimer
 * @property {(run: () => void) => void} turn runs after one turn of the event loop, unthrottled
 * @property {Transport} transport
 * @property {() => string} newClientId 16 random bytes as text
 * @property {() => { visible: boolean, offline: boolean }} page how the page stands now
 * @property {(tell: (what: PageEventName) => void) => () => void} listen page events; answers how to stop
 * @property {(error: unknown) => void} report an error of the page's own code
 * @property {(connections: () => object[]) => void} expose for whoever looks inside
 *
 * @typedef {object} Handlers what a page gives with a stream; all optional
 * @property {(data: any) => void} [onSnapshot] the stream's whole state
 * @property {(event: EventFrame) => void} [onEvent] one event, in order, once
 * @property {(frame: OtherFrame) => void} [onMessage] a frame that is neither
 * @property {(shown: ShownNow) => void} [onState]
 * @property {(reply: ReplyFrame, command: { name: string, data: object }) => void} [onReply]
 * @property {() => void} [onSynced]
 * @property {(down: { cause: Cause, code: number | null }) => void} [onDown]
 * @property {(what: PageNews) => void} [onPage]
 *
 * @typedef {{ state: VisibleState, nextTryMs: number | null, reason: Ending | null }} ShownNow
 */

export {};
