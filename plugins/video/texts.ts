/**
 * Reads the source's wrapped texts, and the numbers in its texts. All requests ask for English.
 *
 * @module
 */
import { at, entriesAt, integerOrNull, textOrNull } from 'gleaner/plugin'

/**
 * A text that is wrapped as `{simpleText}`, `{runs: [{text}]}` or `{content}`, or not wrapped. Null when it is empty.
 */
export function wrappedText(value: unknown): string | null {
  const runs = at(value, 'runs')
  if (Array.isArray(runs)) return textOrNull(runs.map((run) => at(run, 'text') ?? '').join(''))
  return textOrNull(at(value, 'simpleText') ?? at(value, 'content') ?? value)
}

/** All texts in rows of metadata, a form that headers and lists use since 2024. */
export function metadataTexts(metadata: unknown): string[] {
  const parts = entriesAt(metadata, 'metadataRows').flatMap((row) => at(row, 'metadataParts') ?? [])
  return parts.map((part) => wrappedText(at(part, 'text')) ?? '')
}

const FACTORS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, b: 1e9 }

/** The number in `609K views`, `1.6m views`, `1,234 views`, `No views`; null for any other text. */
export function viewsOf(text: string | null): number | null {
  if (text === null) return null
  if (/^no views$/i.test(text)) return 0
  const [, number, unit] = /^([\d,]+(?:\.\d+)?)\s?([kmb]?) views?$/i.exec(text) ?? []
  const factor = FACTORS[unit?.toLowerCase() ?? '']
  if (number === undefined || factor === undefined) return null
  return integerOrNull(Math.round(Number(number.replaceAll(',', '')) * factor))
}

/** The seconds in `1:02:03`; null for any other text. */
export function clockSeconds(clock: unknown): number | null {
  const text = wrappedText(clock)
  if (text === null || !/^\d+(?::\d\d){1,2}$/.test(text)) return null
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
}
