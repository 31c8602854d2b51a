/**
 * Reads the state that the site's pages contain in a script.
 *
 * @module
 */
import {
  at,
  Blocked,
  type BrowserPage,
  blockPage,
  jsonAfter,
  SourceChanged,
  Unavailable,
} from 'gleaner/plugin'
import { captchaIn, isScriptPage, Nothing } from './block-pages.ts'

const MARK = /<script\b[^>]*\bid="?__UNIVERSAL_DATA_FOR_REHYDRATION__"?[^>]*>/
/** How long a script challenge may take to show the page, in seconds. After that, the page is loaded once more. */
const SCRIPT_S = 10

/**
 * Waits in the page for its state, as long as the page shows a script challenge, which normally completes by itself.
 */
const WAIT = `new Promise((done) => {
  const until = Date.now() + ${SCRIPT_S * 1000}
  const look = () => {
    const state = document.getElementById('__UNIVERSAL_DATA_FOR_REHYDRATION__')
    if (state || Date.now() > until || !document.getElementById('wci')) done(Boolean(state))
    else setTimeout(look, 100)
  }
  look()
})`

/**
 * Opens a page and reads a part of its state.
 *
 * @param scope the name of the part
 * @returns the part (undefined when the page has none), and the URL after redirects
 * @throws {Nothing} for a page without any content
 * @throws {Blocked} for a captcha, and for a script challenge that does not complete
 * @throws {SourceChanged} for a page without state
 */
export async function openState(
  page: BrowserPage,
  url: string,
  scope: string,
): Promise<{ readonly state: unknown; readonly url: string }> {
  for (let load = 1; ; load++) {
    const reached = await page.goto(url, { until: 'domcontentloaded' })
    await page.evaluate(WAIT)
    const html = await page.html()
    if (isScriptPage(html)) {
      if (load === 2) throw new Blocked('a page that never stops loading')
      continue
    }
    return { state: scopeOf(html, scope), url: reached.url }
  }
}

/** A part of the state in a page. @throws the errors of {@link openState} */
export function scopeOf(html: string, scope: string): unknown {
  const mark = MARK.exec(html)?.[0]
  if (mark !== undefined) return at(jsonAfter(html, mark), '__DEFAULT_SCOPE__', scope)
  const captcha = captchaIn(html)
  if (captcha) throw captcha
  if (/<body[^>]*>\s*<\/body>/.test(html)) throw new Nothing()
  const block = blockPage(html)
  if (block) throw block
  if (/Access Denied|request blocked/i.test(html)) throw new Blocked('access denied')
  if (/<title>[^<]*(?:502|503|504|maintenance)/i.test(html))
    throw new Unavailable('an error page of the server')
  throw new SourceChanged('the page has no state')
}
