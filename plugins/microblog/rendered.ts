/**
 * Reads a list from the rendered page. The page contains only the cells near the window, so it is scrolled and read in
 * turns.
 *
 * @module
 */
import type { BrowserPage, Context } from 'gleaner/plugin'
import type { Kind } from './answer.ts'

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
  readonly context: Pick<Context, 'parse' | 'progress'>
  readonly kind: Kind<Row>
  readonly limit: number | undefined
}

/**
 * Yields the rows that the page shows; without a limit only the rows that it shows at first.
 *
 * @returns whether the page shows any rows
 */
export async function* rendered<Row>(options: RenderedOptions<Row>): AsyncGenerator<Row, boolean, void> {
  const { page, context, kind, limit = 0 } = options
  if (!kind.rendered) return false
  const { selector, read } = kind.rendered
  const given = new Set<string>()
  for (let idle = 0; idle < IDLE; idle++) {
    const shown = await page.evaluate(cells(selector))
    for (const html of Array.isArray(shown) ? shown : []) {
      const row = read(cellOf(context, String(html)))
      if (row === null || given.has(kind.key(row))) continue
      given.add(kind.key(row))
      idle = -1
      yield row
      context.progress(given.size, options.limit ?? null, kind.noun)
      if (given.size === limit) return true
    }
    if (given.size === 0 || limit === 0) break
    await Promise.all([page.evaluate(SETTLED), page.scroll()])
  }
  return given.size > 0
}

/** The first element of an HTML fragment. */
export function cellOf({ parse }: Pick<Context, 'parse'>, html: string): Element {
  const [cell] = parse(`<!doctype html><html><body>${html}</body></html>`).body.children
  if (!cell) throw new TypeError('a cell has no element')
  return cell
}
