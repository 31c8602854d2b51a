/**
 * Opens the site's pages, and reads the state that they contain in a script.
 *
 * @module
 */
import { at, Blocked, type BrowserPage, jsonAfter, SourceChanged, TryAgain } from 'gleaner/plugin'
import { isChallenge, Nothing, refusalIn } from '../refusals.ts'

const MARK = /<script\b[^>]*\bid="?__UNIVERSAL_DATA_FOR_REHYDRATION__"?[^>]*>/
/** How long a script challenge may take to show the page, in seconds. After that, the page is loaded once more. */
const SCRIPT_S = 10
/** Statuses with which a page may still have its state, or show why not. */
const STATUSES = [400, 404, 405, 406, 410, 418, 451]

/** Waits in the page for its state, as long as it loads or shows a script challenge. */
const WAIT = `new Promise((done) => {
  const until = Date.now() + ${SCRIPT_S * 1000}
  const look = () => {
    const state = document.getElementById('__UNIVERSAL_DATA_FOR_REHYDRATION__')
    const isBusy = document.readyState === 'loading' || document.getElementById('wci')
    if (state || Date.now() > until || !isBusy) done(Boolean(state))
    else setTimeout(look, 100)
  }
  look()
})`
/** A script challenge that is solved loads the page again, which may lead to another one. */
const MOST_MOVES = 3

/**
 * Opens a page and reads a part of its state.
 *
 * @param scope the name of the part
 * @returns the part (undefined when the page has none), and the HTML of the page
 * @throws {Nothing} for a page without any content
 * @throws {Blocked} for a captcha, and for a script challenge that does not complete
 * @throws {SourceChanged} for a page without state
 */
export async function openState(
  page: BrowserPage,
  url: string,
  scope: string,
): Promise<{ readonly state: unknown; readonly html: string }> {
  for (let load = 1; ; load++) {
    const { status } = await page.goto(url, { until: 'domcontentloaded', accept: STATUSES })
    const html = await settled(page)
    if (!isChallenge(html)) return { state: scopeOf(html, scope, status), html }
    if (load === 2) throw new Blocked('a script challenge that does not end')
  }
}

/** The HTML of a page after its script challenge, if it shows one. */
async function settled(page: BrowserPage): Promise<string> {
  for (let move = 1; ; move++) {
    try {
      await page.evaluate(WAIT)
      return await page.html()
    } catch (error) {
      if (!(error instanceof TryAgain) || move === MOST_MOVES) throw error
    }
  }
}

/** A part of the state in a page. @throws the errors of {@link openState} */
export function scopeOf(html: string, scope: string, status = 200): unknown {
  const mark = MARK.exec(html)?.[0]
  if (mark !== undefined) return at(jsonAfter(html, mark), '__DEFAULT_SCOPE__', scope)
  if (status < 400 && /<body[^>]*>\s*<\/body>/.test(html)) throw new Nothing()
  throw refusalIn(html) ?? new SourceChanged(`the page has no state, with status ${status}`)
}
