/**
 * Pages that stand for a refusal: block and captcha pages, with whatever status they come.
 *
 * @module
 */
import { Blocked, textOf } from 'gleaner/plugin'

const TITLE = /denied|captcha|just a moment|attention required|are you (?:a )?human|robot|security check/i
/** Ordinary pages load the vendor's script too; only a captcha page has one of these. */
const CAPTCHA = /content="px-captcha"|id="px-captcha"/i

/** The error that a body stands for; undefined when it is no known refusal. Its title is the source's own words. */
export function refusalOf(body: string): Blocked | undefined {
  if (body.trim() === '') return new Blocked('an empty page')
  const title = textOf(/<title[^>]*>([^<]*)/i.exec(body)?.[1])
  if (title !== null && TITLE.test(title)) return new Blocked(title)
  return CAPTCHA.test(body) ? new Blocked('a captcha page') : undefined
}
