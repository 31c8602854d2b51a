/**
 * Reads the data of a result page.
 *
 * @module
 */
import { at, integerOrNull, jsonAfter } from 'gleaner/plugin'
import { countRows, isResults } from './results.ts'

export type Page =
  /** the page's data contains offers */
  | { readonly kind: 'results'; readonly document: unknown }
  /** the results contain no offer, and the page's text says that there are none */
  | { readonly kind: 'none' }
  /** the results contain no offer, and the page's text does not say why */
  | { readonly kind: 'silent' }
  /** an error of the source's server in place of the results. It passes; `code` is null when it is not named */
  | { readonly kind: 'error'; readonly code: number | null }
  /** data, but no results: about one page in sixty. It is complete when it is read again */
  | { readonly kind: 'incomplete' }
  /** no data */
  | { readonly kind: 'bare' }

/** Reads a page. */
export function pageOf(html: string): Page {
  const callbacks = callbacksOf(html)
  const document = resultsOf(callbacks)
  if (document && countRows(document) > 0) return { kind: 'results', document }
  if (document) return { kind: NONE.test(withoutScripts(html)) ? 'none' : 'silent' }
  const errorCallback = callbacks.find(({ key, isError }) => key === RESULTS && isError)
  if (errorCallback) return { kind: 'error', code: integerOrNull(at(documentOf(errorCallback), 0)) }
  return { kind: callbacks.length > 0 ? 'incomplete' : 'bare' }
}

const RESULTS = 'ds:1'
/** The text of a page without a list. */
const NONE = /No results|No options matching/

/** The maximum number of callbacks to read. A page has five. */
const MOST_CALLBACKS = 50

type Callback = { readonly key: string; readonly script: string; readonly isError: boolean }

/**
 * The page's data: scripts that call `AF_initDataCallback({key: 'ds:1', hash: '..', data:[..], sideChannel: {}})`.
 * Their white space varies over the years. Data that was not available has `isError` or `errorHasStatus`.
 */
function callbacksOf(html: string): Callback[] {
  // Each part of the page belongs to one script at most, so a page of any form is read in one pass.
  const parts = html.split('AF_initDataCallback(', MOST_CALLBACKS + 1).slice(1)
  return parts.flatMap((part) => {
    const [script = ''] = part.split('</script', 1)
    const head = script.slice(0, 200)
    const key = /key:\s*['"]([^'"]*)['"]/.exec(head)?.[1]
    const isError = /isError:\s*true/.test(head) || /errorHasStatus:\s*true/.test(script.slice(-200))
    return key === undefined ? [] : [{ key, script, isError }]
  })
}

/** The data of a callback; undefined when it is missing or broken. */
function documentOf({ script }: Callback): unknown {
  try {
    return jsonAfter(script, 'data:')
  } catch {
    return undefined
  }
}

/**
 * The results: of the documents of the known key that have their form, the one with the most offers. In case the key
 * changes, any document of that form with offers.
 */
function resultsOf(callbacks: readonly Callback[]): unknown[] | undefined {
  const inForm = (group: readonly Callback[]) => group.map(documentOf).filter(isResults) as unknown[][]
  // The sort is stable: the first of equals wins.
  const mostOf = (all: unknown[][]) => all.sort((a, b) => countRows(b) - countRows(a))[0]
  const own = mostOf(inForm(callbacks.filter(({ key }) => key === RESULTS)))
  if (own) return own
  const others = inForm(callbacks.filter(({ key }) => key !== RESULTS))
  return mostOf(others.filter((document) => countRows(document) > 0))
}

/** Removes scripts, because their text is not visible on the page. */
function withoutScripts(html: string): string {
  const parts = html.split('<script')
  return parts.map((part, i) => (i === 0 ? part : part.slice(part.indexOf('</script') + 1))).join('')
}
