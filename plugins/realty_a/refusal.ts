/**
 * Pages that stand for a refusal: block and captcha pages, with whatever status they come.
 *
 * @module
 */
import { Blocked, blockPage } from 'gleaner/plugin'

/** The error that a body stands for; undefined when it is no known refusal. */
export const refusalOf = (body: string): Blocked | undefined =>
  body.trim() === '' ? new Blocked('an empty page') : blockPage(body)
