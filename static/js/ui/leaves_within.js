/** A browser that has not left for another page by then does not leave: it was stopped, or the path is dead. */
export const LEAVES_WITHIN_MS = 10_000;
