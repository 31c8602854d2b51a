/**
 * Maps statuses of a source to errors.
 *
 * @module
 */
import {
  BadInput,
  Blocked,
  type ErrorKind,
  NotFound,
  RateLimited,
  SourceChanged,
  type SourceError,
  Unavailable,
} from '../errors.ts'

/**
 * The error for a status that is not a success: 401 and 403 are `Blocked`, 404 and 410 `NotFound`, 429 `RateLimited`,
 * 400, 413, 414 and 422 `BadInput`, other 4xx `SourceChanged`, and all others `Unavailable`.
 *
 * @param words the message; default "the source responded with" and the status
 * @param kinds statuses that have a different meaning at this source
 * @returns the error, to be thrown by the caller
 * @example
 * statusError(404).code // => 'not-found'
 * statusError(405).code // => 'source-changed'
 * statusError(403, 'members only', { 403: Private }).code // => 'private'
 */
export function statusError(
  status: number,
  words = `the source responded with ${status}`,
  kinds: Readonly<Record<number, ErrorKind>> = {},
): SourceError {
  const isClients = status >= 400 && status < 500
  return new (kinds[status] ?? KINDS[status] ?? (isClients ? SourceChanged : Unavailable))(words)
}

const KINDS: Readonly<Record<number, ErrorKind>> = {
  400: BadInput,
  401: Blocked,
  403: Blocked,
  404: NotFound,
  410: NotFound,
  413: BadInput,
  414: BadInput,
  422: BadInput,
  429: RateLimited,
}

/** Whether a status is a success or one that the plugin accepts. */
export const isWanted = (status: number, accept: readonly number[] = []): boolean =>
  (status >= 200 && status < 300) || accept.includes(status)
