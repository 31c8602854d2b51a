/**
 * The pages that other sites embed. They answer plain requests, and hold their content as JSON in a script.
 *
 * @module
 */
import { at, integerOrNull, jsonAfter, SourceChanged, Unavailable } from 'gleaner/plugin'
import { GONE, Nothing, refusalIn } from '../refusals.ts'
import { type Asking, HEADERS, unlessRefused } from './requests.ts'

const MARK = /<script\b[^>]*\bid="?__FRONTITY_CONNECT_STATE__"?[^>]*>/
/** How long these pages are left alone when they are overloaded, in milliseconds. Half of all requests may be. */
const OVERLOAD_MS = 7000

/**
 * The content of an embed page.
 *
 * @param tries how often to ask while the site limits the rate of requests
 * @throws {Unavailable} while these pages are overloaded
 */
export const embedAt = (context: Asking, path: string, tries = 2): Promise<unknown> =>
  unlessRefused(context, path.replace(/[^/]*$/, ''), async () => {
    const ask = () =>
      context.fetch(path, { as: 'document', headers: HEADERS, accept: [503], errors: GONE, tries })
    let reply = await ask()
    if (reply.status === 503 && (await context.pause(OVERLOAD_MS))) reply = await ask()
    if (reply.status === 503) throw new Unavailable('the embed pages are overloaded')
    return embedIn(await reply.text())
  })

/** The content in the HTML of an embed page. @throws {SourceError} for any other page */
export function embedIn(html: string): unknown {
  if (html.trim() === '') throw new Nothing()
  const mark = MARK.exec(html)?.[0]
  if (mark === undefined) throw refusalIn(html) ?? new SourceChanged('the embed page has no state')
  const data = at(jsonAfter(html, mark), 'source', 'data')
  // The key is the path of the page, with or without a slash at its end.
  const [, content] = Object.entries(data ?? {}).find(([path]) => path.startsWith('/embed')) ?? []
  if (typeof content !== 'object' || content === null)
    throw new SourceChanged('the embed page has no content')
  return content
}

/** The path of a post's embed page. */
export const postEmbed = (id: string): string => `/embed/v2/${id}`

/** The number with which an embed page says that it cannot show its content; null when it shows it. */
export const embedError = (content: unknown): number | null =>
  at(content, 'isError') === true ? (integerOrNull(at(content, 'errorCode')) ?? 0) : null
