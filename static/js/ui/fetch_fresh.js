/** Asking the site for something as it is now. */

/** What a page of the site takes over a slow line, and then some. */
const WITHIN_MS = 10_000;

/**
 * With a deadline: over a dead path an answer is neither there nor refused, for a quarter of an hour, and meanwhile the
 * browser's cache lets whoever goes to the same address wait for it.
 * @param {string} address
 * @param {{ accept?: string, withinMs?: number, cache?: RequestCache }} [options]
 * @returns {Promise<Response>} rejects unless the server answers well, and in time
 */
export async function fetchFresh(address, { accept = "application/json", withinMs = WITHIN_MS, cache = "default" } = {}) {
  const answer = await fetch(address, {
    cache, credentials: "same-origin", headers: { Accept: accept }, signal: AbortSignal.timeout(withinMs),
  });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer;
}
