/**
 * Reads a list from the rendered page. The page contains only the cells near the window, so it is scrolled and read in
 * turns.
 *
 * @module
 */
import { type BrowserPage, type Context, type PageOf, SourceChanged } from 'gleaner/plugin'
import type { Kind } from '../kinds.ts'

/** After this many scrolls without a new row, the list counts as complete. */
const IDLE = 3

/** Resolves 150 ms after the page has changed, or after 1.5 s without a change. */
const SETTLED = `new Promise((done) => {
  const stop = () => {
    clearTimeout(late)
    observer.disconnect()
    done(true)
  }
  const late = setTimeout(stop, 1500)
  const observer = new MutationObserver(() => setTimeout(stop, 150))
  observer.observe(document.body, { childList: true, subtree: true })
})`

/** An expression for the HTML of the list's cells, without the suggestions beside the list. */
const cells = (selector: string): string =>
  `[...(document.querySelector('[data-testid="primaryColumn"]') ?? document)
    .querySelectorAll(${JSON.stringify(`[data-testid="cellInnerDiv"] ${selector}`)})].map((cell) => cell.outerHTML)`

export type RenderedOptions<Row> = {
  readonly page: Pick<BrowserPage, 'evaluate' | 'scroll'>
  readonly context: Pick<Context, 'parse'>
  readonly kind: Kind<Row>
}

/**
 * Reads the rows that a page shows.
 *
 * @returns a function that returns the rows that were not returned before: those that the page shows at first, then
 *   those that appear as it is scrolled. It throws SourceChanged when the page shows none at first
 */
export function renderedList<Row>({ page, context, kind }: RenderedOptions<Row>): () => Promise<PageOf<Row>> {
  const { selector, read } = kind.rendered ?? { selector: '', read: () => null }
  const returnedIds = new Set<string>()
  const newRows = async (): Promise<Row[]> => {
    const cellTexts = await page.evaluate(cells(selector))
    return (Array.isArray(cellTexts) ? cellTexts : []).flatMap((html) => {
      const row = read(cellOf(context, String(html)))
      if (row === null || returnedIds.has(kind.key(row))) return []
      returnedIds.add(kind.key(row))
      return [row]
    })
  }
  return async () => {
    for (let idle = 0; idle < IDLE; idle++) {
      if (returnedIds.size > 0) await Promise.all([page.evaluate(SETTLED), page.scroll()])
      const rows = await newRows()
      if (rows.length > 0) return { rows, next: `after ${returnedIds.size}` }
      if (returnedIds.size === 0) throw new SourceChanged(`the page shows no ${kind.noun}s`)
    }
    return { rows: [], next: null }
  }
}

/** The first element of an HTML fragment. */
export function cellOf({ parse }: Pick<Context, 'parse'>, html: string): Element {
  const [cell] = parse(`<!doctype html><html><body>${html}</body></html>`).body.children
  if (!cell) throw new TypeError('a cell has no element')
  return cell
}
