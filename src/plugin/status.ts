/**
 * What a status of the source means for a run.
 *
 * @module
 */
import { BadInput, Blocked, NotFound, RateLimited, type SourceError, Unavailable } from './errors.ts'

/** The error for a status that is no success and that nobody wants to read. */
export function statusError(status: number): SourceError {
  const said = `the source answered ${status}`
  if (status === 404 || status === 410) return new NotFound(said)
  if (status === 401 || status === 403) return new Blocked(said)
  if (status === 429) return new RateLimited(said)
  return status >= 400 && status < 500 ? new BadInput(said) : new Unavailable(said)
}

/** A success, or a status that the plugin reads itself. */
export const isWanted = (status: number, accept: readonly number[] = []): boolean =>
  (status >= 200 && status < 300) || accept.includes(status)
