/**
 * Reads a result page: its results as data or, if these are missing, its cards for screen readers.
 *
 * @module
 */
import { at, Blocked, blockPage, integerOrNull, jsonAfter } from 'gleaner/plugin'
import { type Card, cardsOf } from './cards.ts'
import { PAGES, refusalOf } from './refusals.ts'
import { isResults, isShort, offersOf } from './results.ts'

export type Page =
  /** the page's data contains offers */
  | { readonly kind: 'results'; readonly document: unknown }
  /** the results contain no offer; `saysNone`: the page's text says so too */
  | { readonly kind: 'no-offers'; readonly saysNone: boolean }
  /** the data contains no results, but the page has cards */
  | { readonly kind: 'cards'; readonly cards: readonly Card[] }
  /** data, but neither results nor cards: about one page in sixty. It is complete when it is read again */
  | { readonly kind: 'incomplete' }
  /** no data and no cards */
  | { readonly kind: 'unknown' }

/**
 * Reads a page.
 *
 * @throws {SourceError} for consent and captcha pages, and when the source reports an error instead of results
 */
export function pageOf(html: string): Page {
  const callbacks = callbacksOf(html)
  const results = resultsOf(callbacks)
  if (results && offersOf([results.document]).length > 0) return { kind: 'results', ...results }
  const answer = callbacks.find(({ key }) => key === RESULTS)
  const saysNone = NONE.test(withoutScripts(html))
  const isNothing = answer?.isError || (answer && isShort(jsonAfter(answer.script, 'data:')))
  if (results || (isNothing && saysNone)) return { kind: 'no-offers', saysNone }
  const own = PAGES.find(([sign]) => sign.test(html))
  if (own) throw new Blocked(own[1])
  if (answer?.isError) throw refusalOf(codeOf(callbacks), null)
  const cards = cardsOf(html)
  if (cards.length > 0) return { kind: 'cards', cards }
  const unknown = blockPage(html)
  if (unknown) throw unknown
  return { kind: callbacks.length > 0 ? 'incomplete' : 'unknown' }
}

const RESULTS = 'ds:1'
/** The text of a page without a list. */
const NONE = /No results|No options matching your search/

/** The maximum number of callbacks to read. A page has five. */
const MOST_CALLBACKS = 50

type Callback = { readonly key: string; readonly script: string; readonly isError: boolean }

/**
 * The page's data: scripts that call `AF_initDataCallback({key: 'ds:1', hash: '..', data:[..], sideChannel: {}})`.
 * Their white space varies over the years. Data that was not available has `isError: true`.
 */
function callbacksOf(html: string): Callback[] {
  const callbacks: Callback[] = []
  const marker = 'AF_initDataCallback('
  let start = html.indexOf(marker)
  for (; start >= 0 && callbacks.length < MOST_CALLBACKS; start = html.indexOf(marker, start + 1)) {
    const end = html.indexOf('</script', start)
    const script = html.slice(start, end < 0 ? html.length : end)
    const head = script.slice(0, 200)
    const key = /key:\s*['"]([^'"]*)['"]/.exec(head)?.[1]
    const isError = /isError:\s*true/.test(head) || /errorHasStatus:\s*true/.test(script.slice(-200))
    if (key !== undefined) callbacks.push({ key, script, isError })
  }
  return callbacks
}

/** The results: the data of the known key or, in case that changes, any data of the same form that has offers. */
function resultsOf(callbacks: readonly Callback[]): { document: unknown } | undefined {
  const own = callbacks.find(({ key, isError }) => key === RESULTS && !isError)
  const document = own && jsonAfter(own.script, 'data:')
  if (isResults(document)) return { document }
  for (const { key, script } of callbacks) {
    if (key === RESULTS || !/data:\s*\[/.test(script.slice(0, 200))) continue
    const other = jsonAfter(script, 'data:')
    if (isResults(other) && offersOf([other]).length > 0) return { document: other }
  }
  return undefined
}

/** The code of an error, whose data is `[code, ...]`. */
function codeOf(callbacks: readonly Callback[]): number | null {
  const script = callbacks.find(({ key }) => key === RESULTS)?.script ?? ''
  return integerOrNull(at(jsonAfter(script, 'data:'), 0))
}

/** Removes scripts, because their text is not visible on the page. */
function withoutScripts(html: string): string {
  const parts = html.split('<script')
  return parts.map((part, i) => (i === 0 ? part : part.slice(part.indexOf('</script') + 1))).join('')
}
