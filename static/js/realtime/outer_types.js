/** What the library asks of its surroundings and offers to pages. Nothing here exists at run time. */

/** @import { Cause, EventFrame, OtherFrame, Reading, ReplyFrame, VisibleState } from "./types.js" */
/** @import { Ending, PageEventName, PageNews } from "./machine_types.js" */

/**
 * @typedef {object} Connection one socket of a transport
 * @property {(text: string) => void} send throws if it cannot
 * @property {(parting?: boolean) => void} retire detaches all handlers, then closes, best effort, without waiting;
 *   parting: the page is left or put aside, and what it has said is still to arrive. Else its connection is given up
 * @property {() => number} readyState as of WebSocket
 *
 * @typedef {object} ConnectionHandlers
 * @property {() => void} onOpen
 * @property {(text: string) => void} onText
 * @property {(text: string) => void} onBeside the answer to a request that went up beside the connection
 * @property {() => void} onBinary
 * @property {(code: number) => void} onClose
 * @property {() => void} onError
 *
 * @typedef {object} Transport the seam between the machine and what carries its frames
 * @property {string} name
 * @property {(url: string, handlers: ConnectionHandlers) => Connection} open may throw
 *
 * @typedef {Transport & { reach: (withinMs: number, tell: (ok: boolean) => void) => void }} Fallback
 *   reach: does the server answer a plain request within this time? Tells once, from the event loop
 *
 * @typedef {object} EventsOptions the second way: one event stream and requests
 * @property {string} eventsUrl
 * @property {string} commandsUrl
 * @property {(url: string) => string} nameOf what a stream's address is called there
 * @property {() => string} csrfToken as it is at this moment
 * @property {(url: string, init: RequestInit, withinMs?: number) => Promise<Response>} request
 *   gives up, answer included, when that much time has passed (`TimeoutError`) or the signal in `init` says so
 * @property {(run: () => void) => void} turn as of the environment
 *
 * @typedef {object} Environment everything that the driver needs from the outside
 * @property {() => Reading} read
 * @property {(run: () => void, ms: number) => unknown} setTimer
 * @property {(timer: any) => void} clearTimer
 * @property {(run: () => void) => void} turn runs after one turn of the event loop, unthrottled
 * @property {Transport} transport
 * @property {Fallback} [fallback] carries the same frames where the other one does not pass
 * @property {() => string} newClientId 16 random bytes as text
 * @property {() => { visible: boolean, offline: boolean }} page how the page stands now
 * @property {(tell: (what: PageEventName) => void) => () => void} listen page events; answers how to stop
 * @property {(error: unknown) => void} report an error of the page's own code
 * @property {(inside: { connections: () => object[], page: () => object }) => void} expose for whoever looks inside
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
