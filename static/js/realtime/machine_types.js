/** The words of the state machines: streams, the page, their events and effects. Nothing here exists at run time. */

/** @import { Asked, Cause, Clock, CommandSpec, Cursor, EventFrame, Life, OtherFrame, Outcome } from "./types.js" */
/** @import { Queue, SnapshotFrame, Timings, VisibleState } from "./types.js" */

/**
 * @typedef {"waiting" | "opening" | "greeting" | "syncing" | "live" | "parked" | "ended"} Phase
 *   waiting: for its turn to try; opening: handshake; greeting: hello is out, no welcome yet;
 *   syncing: welcome came, replay is coming; parked: without a socket on purpose
 *
 * @typedef {"websocket" | "events"} Carrier
 *
 * @typedef {object} Route which way the page takes; see route.js
 * @property {boolean} available there is another way than WebSockets
 * @property {Carrier} carrier of the next try
 * @property {number} refused WebSockets in a row that never came to `welcome`
 * @property {number} refusedSinceMs when the first of these was begun
 * @property {{ number: number, byMs: number } | null} reach a plain request under way, which asks whether the server is there
 * @property {number} reaches
 * @property {number | null} reachedMs when it was answered, if no WebSocket was refused since
 * @property {boolean} passed one has, some time
 * @property {number} trialAtMs when one is tried again, beside the event stream
 * @property {{ number: number, byMs: number } | null} trial under way
 * @property {number} trials
 * @property {number | null} carriesMs when a connection was first welcomed over the other way, since it was taken last
 * @property {number} vains how often in a row that was in vain
 * @property {number} askFromMs nobody asks for the other way before
 *
 * @typedef {object} Attempt the handshake of the current socket, until `welcome`
 * @property {number} openedMs
 * @property {number} withinMs
 * @property {number} byMs
 * @property {boolean} extended had its deadline renewed once because the check came late
 * @property {boolean} hurried it will be given up for a fresh one: no failure, nobody is accused
 * @property {"due" | "late" | null} doubt
 * @property {boolean} scout
 * @property {boolean} asks whether anything passes: a server that is slow to welcome still answers `ping` at once
 * @property {number} helloMs when hello went out
 * @property {number} helloWallMs
 *
 * @typedef {object} Retry
 * @property {number} failures in a row, reset by ten seconds of proven life only
 * @property {number} misses failures of this stream alone, with the path proven good
 * @property {number} tries attempts since it was last synced
 * @property {number} switches planned changes of node in a row, reset by ten seconds of proven life only
 * @property {number} wantsAtMs when waiting: the moment of the next try
 * @property {boolean} hinted the server named that moment
 * @property {boolean} planned a change of node: no failure
 * @property {number | null} switchUntilMs until then a change of node that was planned is shown as one
 * @property {boolean} tryFailed a try has failed since it was last synced
 * @property {boolean} fresh resume without a cursor
 * @property {Cause} cause for the next hello
 *
 * @typedef {object} Drain
 * @property {number} leaveAtMs
 * @property {number | null} leaveByMs `leave` is out; the answer is due by then
 *
 * @typedef {{ code: string, message: string }} Ending
 * @typedef {{ kind: "event", key: string, topic: string, seq: number }
 *   | { kind: "snapshot", key: string, cursor: Cursor }} Delivery
 * @typedef {{ key: string, count: number }} Fault
 * @typedef {{ frames: number, told: number, bytes: number, dueMs: number | null }} Seen
 * @typedef {{ cause: Cause, code: number | null, atMs: number }} PastCause
 *
 * @typedef {object} Stream
 * @property {string} name
 * @property {string} url
 * @property {string} client
 * @property {number | null} user whose page it is
 * @property {boolean} keepHidden stays open while the page is hidden
 * @property {boolean} preferred scout before others
 * @property {number} mostBytes of a frame that may be sent
 * @property {TimeCommand | null} timeCommand
 * @property {Phase} phase
 * @property {number | null} socket the current one
 * @property {number} sockets how many there have been; the last one's number
 * @property {boolean} answered a frame has arrived on the current socket
 * @property {Carrier} carrier of the current socket, or of the last one
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
 * @property {string} [fault] what could not be taken in
 * @property {boolean} [planned] a change of node
 * @property {boolean} [free] the page's own wish: no failure, no wait
 * @property {"hidden" | "left"} [park]
 * @property {boolean} [late] the deadline was looked at too late to accuse the path
 *
 * @typedef {{ type: "try", scout: boolean, withinMs: number, carrier: Carrier, asks: boolean }
 *   | { type: "opened", socket: number }
 *   | { type: "text", socket: number, text: string }
 *   | { type: "beside", socket: number, text: string }
 *   | { type: "binary", socket: number }
 *   | { type: "closed", socket: number, code: number }
 *   | { type: "error", socket: number }
 *   | { type: "send-error", socket: number }
 *   | { type: "handled", socket: number, ok: boolean }
 *   | { type: "regroup" } | { type: "look" } | { type: "late" } | { type: "turn" }
 *   | { type: "probe", withinMs: number, cause: Cause, evidence: boolean }
 *   | { type: "hurry" }
 *   | { type: "shorten", withinMs: number }
 *   | { type: "follow", atMs: number }
 *   | { type: "inherit", failures: number, atMs: number }
 *   | { type: "blame", cause: Cause }
 *   | { type: "park", why: "hidden" | "left" } | { type: "unpark" }
 *   | { type: "revive", reason: string }
 *   | { type: "command", spec: CommandSpec }
 *   | { type: "context" }
 *   | { type: "stop" }} StreamEvent
 *
 * @typedef {{ type: "open", socket: number, url: string, carrier: Carrier }
 *   | { type: "send", socket: number, text: string }
 *   | { type: "retire", socket: number, parting: boolean }
 *   | { type: "deliver", socket: number, frame: SnapshotFrame | EventFrame }
 *   | { type: "pass", frame: OtherFrame }
 *   | { type: "settle", ref: number, outcome: Outcome }
 *   | { type: "sent", ref: number }
 *   | { type: "unconfirmed", ref: number }
 *   | { type: "renew" }
 *   | { type: "down", cause: Cause, code: number | null }
 *   | { type: "synced", scout: boolean }} OuterEffect effects that the driver carries out
 *
 * @typedef {{ type: "turn" }
 *   | { type: "suspect" }
 *   | { type: "tried-in-vain", scout: boolean, answered: boolean, counts: boolean, late: boolean, openedMs: number }
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
 * @property {number} tryAtMs the moment of the page's next try, as far as it is known; Infinity: one is under way
 * @property {number | null} armedMs what the driver's one timer is set to
 * @property {Stream[]} streams in the order in which they were opened
 * @property {boolean} everSynced
 * @property {number} turns of the event loop that were asked for and have not come yet
 * @property {Clock} clock
 * @property {number} clockAskedMs when a stream was last made to ask for the server's time
 * @property {Record<string, Shown>} shown what was last told of each stream
 * @property {Route} route
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
 * @property {number | null} [user]
 * @property {Cursor | null} cursor
 * @property {boolean} [keepHidden]
 * @property {boolean} [preferred]
 * @property {number} [mostBytes]
 * @property {TimeCommand | null} [timeCommand]
 *
 * @typedef {{ name: string, data: object }} TimeCommand one without effect, whose reply tells the server's time
 *
 * @typedef {{ type: "stream", stream: string, event: StreamEvent }
 *   | { type: "open", options: StreamOptions }
 *   | { type: "page", what: PageEventName }
 *   | { type: "try-now" }
 *   | { type: "tick" } | { type: "turn" }
 *   | { type: "trial", number: number, ok: boolean } | { type: "reached", number: number, ok: boolean }
 *   | { type: "context" }} LinkEvent
 *
 * @typedef {OuterEffect & { stream: string }} NamedEffect
 * @typedef {{ type: "page", stream: string, what: PageNews }} PageEffect
 * @typedef {{ type: "shown", stream: string, shown: Shown }
 *   | { type: "summary" }
 *   | { type: "turn" }
 *   | { type: "trial", number: number, url: string, text: string } | { type: "trial-end", number: number }
 *   | { type: "reach", number: number, withinMs: number }
 *   | { type: "arm", inMs: number }} PlainEffect
 * @typedef {NamedEffect | PageEffect | PlainEffect} Effect
 */

export {};
