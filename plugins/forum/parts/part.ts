/**
 * Requests the parts from which the site's own pages are built.
 *
 * @module
 */
import { type Context, isPage } from 'gleaner/plugin'
import type { Query } from '../site/ask.ts'
import { partErrorOf } from '../site/failures.ts'

const ROOT = '/svc/shreddit/'
/** The language matters: dates, labels and refusals are read as English text. */
const HEADERS = {
  accept: 'text/vnd.reddit.partial+html, text/html;q=0.9',
  'accept-language': 'en-US,en;q=0.9',
}
/** Statuses whose page may refuse the community or user by words. */
const TELLING = [400, 403, 404, 410]
/** The longest part that is parsed, in characters. The longest known ones have a million. */
const LONGEST = 4_000_000

/**
 * Reads a part.
 *
 * @param path below /svc/shreddit/
 * @param read returns undefined for a page without the part's elements
 * @throws {SourceError} for such a page, by what it says
 */
export async function readPart<T>(
  { parse }: Context,
  fetch: Context['fetch'],
  path: string,
  query: Query,
  read: (document: Document, html: string) => T | undefined,
): Promise<T> {
  const { status, url, text } = await fetch(`${ROOT}${path}`, { query, headers: HEADERS, accept: TELLING })
  const html = await text()
  const document = isPage(html) && html.length <= LONGEST ? parse(html) : undefined
  // A redirect may have led to a whole page, which has other positions.
  const isPart = status === 200 && new URL(url).pathname.startsWith(ROOT)
  const content = document && isPart ? read(document, html) : undefined
  if (content !== undefined) return content
  const title = document?.querySelector('#shreddit-forbidden-title')?.textContent ?? ''
  throw partErrorOf(status, html, title.replace(/\s+/g, ' ').trim() || null)
}

/** The elements that match, without those inside another element of the same kind: a crosspost holds its original. */
export const outermost = (document: Document, selector: string): Element[] =>
  [...document.querySelectorAll(selector)].filter((element) => !element.parentElement?.closest(selector))

/** The elements of a row that match, without those of a row inside it. */
export const ownIn = (row: Element, selector: string): Element | undefined =>
  [...row.querySelectorAll(selector)].find((element) => element.closest(row.localName) === row)
