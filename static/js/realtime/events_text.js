/** The text of an event stream: `data:` lines and comments, as this site's server writes them. */

/**
 * Reads until the stream ends; throws when it breaks.
 * @param {ReadableStream<Uint8Array>} body
 * @param {(data: string) => void} onData
 * @param {() => void} onComment
 */
export async function readEvents(body, onData, onComment) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = /** @type {string} */ (lines.pop());
    for (const line of lines) {
      if (line.startsWith("data: ")) onData(line.slice(6));
      else if (line.startsWith(":")) onComment();
    }
  }
}
