/**
 * What a refusal of the site means. The addresses are the plugin's own, so no refusal is about the client's input.
 *
 * @module
 */
import { Blocked, blockPage, type ErrorKind, SourceChanged, type SourceError } from 'gleaner/plugin'

/** Statuses that would otherwise blame the input. */
export const OWN_ADDRESS: Readonly<Record<number, ErrorKind>> = Object.fromEntries(
  [400, 404, 410, 413, 414, 422].map((status) => [status, SourceChanged]),
)

/** The statuses of a result page: some are the site's wall against programs. */
export const RESULT_PAGE: Readonly<Record<number, ErrorKind>> = {
  ...OWN_ADDRESS,
  405: Blocked,
  406: Blocked,
  451: Blocked,
}

/** The error for a block or captcha page; an empty body counts as a block. Undefined for any other body. */
export const blockOf = (body: string): SourceError | undefined =>
  body.trim() === '' ? new Blocked('an empty page') : blockPage(body)
