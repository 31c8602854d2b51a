/**
 * What a form shows only once: a new key, a secret, a link, the result of a test. The form redirects to a page, which
 * takes the text out of a slot of the session. So a reload repeats nothing, and every address can be opened again.
 *
 * @module
 */
import { Html } from '../html.ts'
import { cookieIn } from './cookie.ts'
import { seeOther } from './redirect.ts'
import type { Visitor } from './visitor.ts'

const secretOf = ({ call, deps }: Visitor): string => cookieIn(call.request, deps.config.publicUrl) ?? ''

/** Redirects to a page, which shows a text once. @param path as the browser sees it @param query of the page */
export async function showOnce(
  visitor: Visitor,
  path: string,
  text: Html,
  query?: URLSearchParams,
): Promise<Response> {
  await visitor.deps.slots.put(secretOf(visitor), path, text.text)
  return seeOther(query?.size ? `${path}?${query}` : path)
}

/** The text that this page shows once; undefined if there is none. The answer to a form takes none. */
export async function shownOnce(visitor: Visitor): Promise<Html | undefined> {
  const { call, base, url, deps } = visitor
  if (call.request.method !== 'GET') return undefined
  const text = await deps.slots.take(secretOf(visitor), base + url.pathname)
  return text === undefined ? undefined : new Html(text)
}
