/**
 * Titles of runs: the summary that a task declares of its input, as one short line.
 *
 * @module
 */
import { type TString, Type } from '@sinclair/typebox'
import type { Task } from '../plugin.ts'

/** The most characters of a summary. */
const MOST_CHARS = 80
/** A summary of a long text is looked at no further, in UTF-16 units. */
const LOOKED_AT = 2000

/** The title that the caller of a task sets. */
export const CallersTitle = (): TString =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    // Other texts may contain these two control characters.
    pattern: '^(?!\\s*$)[^\\t\\n]*$',
    'x-must-be': 'text of 1 to 100 characters in one line, not only spaces',
    description: 'The `title` of the run, instead of a summary of the input.',
  })

/**
 * The summary of an input.
 *
 * @param sent a valid input as sent, without defaults
 * @returns one line of at most 80 characters; null if the task declares no summary, or has none for this input
 * @throws whatever the plugin throws; {TypeError} if the summary is not a text
 */
export function inputSummary(task: Task, sent: Readonly<Record<string, unknown>>): string | null {
  const text: unknown = task.summary?.(sent)
  if (text === undefined) return null
  if (typeof text !== 'string')
    throw new TypeError(`summary of ${task.key} must return a text, not ${typeof text}`)
  return shortened(oneLine(text)) || null
}

/** Without line breaks and control characters, and without the marks that turn the direction of the text after them. */
export const oneLine = (text: string): string =>
  text
    .slice(0, LOOKED_AT)
    .toWellFormed()
    .replaceAll(TURNING, '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()

/** They can make `exe.png` of `gnp.exe`. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Ends after a whole word if one ends near the limit, otherwise between two characters as people see them. */
function shortened(text: string): string {
  if ([...text].length <= MOST_CHARS) return text
  let start = ''
  let length = 1
  for (const { segment } of characters.segment(text)) {
    length += [...segment].length
    if (length > MOST_CHARS) break
    start += segment
  }
  const word = start.lastIndexOf(' ')
  const isNear = word > start.length / 2 && text[start.length] !== ' '
  return `${(isNear ? start.slice(0, word) : start).replace(/[\s·,;:–-]+$/, '')}…`
}
