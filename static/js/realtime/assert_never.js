/**
 * At the end of a switch over a union: the type check fails where a case is missing, and so does a run that comes here.
 * @param {never} value
 * @returns {never}
 */
export function assertNever(value) {
  throw new Error(`unexpected ${JSON.stringify(value)}`);
}
