/** Sending a form without leaving the page. Whatever comes of it is one of a few outcomes; nothing here throws. */

/** Of a slow line: 64 kbit/s. */
const BYTES_A_MS = 8;

/**
 * @typedef {{ kind: "done", location: string }
 *   | { kind: "refused", words: string, fields: Record<string, string[]> }
 *   | { kind: "away", words: string, retryMs: number | null }
 *   | { kind: "signed-out" | "out-of-date" }
 *   | { kind: "other-user", words: string }} Answer
 *   away: nobody knows whether it has arrived
 */

/**
 * How long an answer is waited for: as long as a probe, and what a slow line needs to carry it.
 * @param {number} probeMs
 * @param {number} bytes
 */
export function deadlineMs(probeMs, bytes) {
  return Math.ceil(probeMs + bytes / BYTES_A_MS);
}

/**
 * @param {string} address
 * @param {FormData} body
 * @param {number} withinMs
 * @returns {Promise<Answer>}
 */
export async function post(address, body, withinMs) {
  try {
    const response = await fetch(address, {
      method: "POST", body, credentials: "same-origin", cache: "no-store", redirect: "error",
      headers: { Accept: "application/json" }, signal: AbortSignal.timeout(withinMs),
    });
    return answerOf(response.status, await response.json().catch(() => null));
  } catch (error) {
    const silent = error instanceof DOMException && error.name === "TimeoutError";
    return { kind: "away", words: silent ? "the site has not answered" : "the site cannot be reached", retryMs: null };
  }
}

/**
 * What is not the site's own JSON says nothing about the form: a proxy in trouble, or the page of a hotel's network.
 * @param {number} status
 * @param {any} said
 * @returns {Answer}
 */
export function answerOf(status, said) {
  const { code, message: words = "", retry_after_ms: retryMs = null, fields = {} } = said?.error ?? {};
  if (status < 300 && typeof said?.location === "string") return { kind: "done", location: said.location };
  if (code === "signed-out" || code === "out-of-date") return { kind: code };
  if (code === "other-user") return { kind: "other-user", words };
  if (status === 413) return { kind: "refused", words: words || "It is too large.", fields };
  if (code === undefined || status >= 500) return { kind: "away", words: words || `something else answered (${status})`, retryMs };
  return { kind: "refused", words, fields };
}
