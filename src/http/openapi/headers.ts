/**
 * The headers that answers may have.
 *
 * @module
 */

const header = (description: string, type = 'string') => ({ description, schema: { type } })
/** The headers of answers, as OpenAPI documents them. */
export const HEADERS = {
  'X-Request-Id': header('The id of this request. Quote it when you ask for help.'),
  'RateLimit-Policy': header('The limit that the call counts against: `"read";q=1200;w=60`.'),
  RateLimit: header(
    'The calls that remain, and the seconds until the limit is full again: `"read";r=1199;t=1`.',
  ),
  'Retry-After': header('Seconds to wait before you try again.', 'integer'),
  'WWW-Authenticate': header('`Bearer`'),
  'Run-Id': header('The id of the run.'),
  Location: header('The path of the run, or of the page.'),
  ETag: header('Names this version: send it as If-None-Match, or as If-Range with a Range.'),
  'Content-Range': header(
    'The part that this is, and the length of the whole: `bytes 0-99/5000`, `bytes */5000`.',
  ),
  'Items-Final': header(
    '`false` while the run works: these are its items so far, and it may start over. `true` after its end.',
  ),
  'Idempotency-Replayed': header('`true` for the run of an earlier request with the same Idempotency-Key.'),
} as const
export type HeaderName = keyof typeof HEADERS
