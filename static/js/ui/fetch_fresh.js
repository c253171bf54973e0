/** Asking the site for something as it is now. */

/** What a page of the site takes over a slow line, and then some. */
const WITHIN_MS = 20_000;

/**
 * With a deadline: over a dead path an answer is neither there nor refused, for a quarter of an hour. And past the
 * browser's cache: it makes requests for one address wait for each other, so one on a dead path would hold up whoever
 * goes there next.
 * @param {string} address
 * @param {{ accept?: string, withinMs?: number }} [options]
 * @returns {Promise<Response>} rejects unless the server answers well, and in time
 */
export async function fetchFresh(address, { accept = "application/json", withinMs = WITHIN_MS } = {}) {
  const answer = await fetch(address, {
    cache: "no-store", credentials: "same-origin", headers: { Accept: accept }, signal: AbortSignal.timeout(withinMs),
  });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer;
}
