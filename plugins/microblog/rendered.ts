/**
 * What a page shows of its list. Only what is near the window is in the page, so it is read while it is scrolled.
 *
 * @module
 */
import type { BrowserPage, Context } from 'gleaner/plugin'
import type { Kind } from './answer.ts'

/** So often it is scrolled without anything new before the list counts as read. */
const IDLE = 3

/** Resolves soon after the page has changed, or when it does not. */
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

/** The cells of the list, and not those of suggestions beside it. */
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
 * Yields what the page shows; without a limit what it shows at first.
 *
 * @returns whether it shows any of it
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

/** The element of a piece of HTML. */
export function cellOf({ parse }: Pick<Context, 'parse'>, html: string): Element {
  const [cell] = parse(`<!doctype html><html><body>${html}</body></html>`).body.children
  if (!cell) throw new TypeError('a cell has no element')
  return cell
}
