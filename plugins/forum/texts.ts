/**
 * Texts, names and addresses as the site writes them.
 *
 * @module
 */
import { at, SourceChanged, textOrNull, urlWithin } from 'gleaner/plugin'

/**
 * The id of a thing, and the same with its kind; each can be had from the other.
 *
 * @param kind `t1` or `t3`
 * @throws {SourceChanged} when there is neither
 */
export function identityOf(data: unknown, kind: string): { id: string; fullname: string } {
  const fullname = textOrNull(at(data, 'name'))
  const id = textOrNull(at(data, 'id')) ?? (fullname?.startsWith(`${kind}_`) ? fullname.slice(3) : null)
  if (!id) throw new SourceChanged('a post or comment has no id')
  return { id, fullname: fullname ?? `${kind}_${id}` }
}

/**
 * A text in Markdown or HTML, every blank kept since blanks at the beginning of a line mean something there; null when
 * there is none, or when it was taken away and the site's placeholder stands in its place.
 */
export function bodyOf(value: unknown): string | null {
  const text = textOrNull(value)
  return text === null || text === '[deleted]' || text === '[removed]' ? null : String(value).toWellFormed()
}

/** The name of an account; null for the placeholder of one that is gone. */
export function authorOf(value: unknown): string | null {
  const name = textOrNull(value)
  return name === '[deleted]' ? null : name
}

/**
 * An absolute address: the site writes some as paths, and some without their scheme.
 *
 * @returns null for what is no http(s) address
 */
export function linkOf(value: unknown, origin: string): string | null {
  const text = textOrNull(value)
  if (text === null || !/^(?:https?:\/\/|\/)/i.test(text)) return null
  const url = URL.canParse(text, origin) ? new URL(text, origin) : undefined
  // What is absolute already stays as it is written.
  return url === undefined ? null : /^https?:/.test(text) ? text : url.href
}

/** The public address of a page of the site, whichever of its hosts it is written for; null for other sites. */
export function permalinkOf(value: unknown, origin: string): string | null {
  const text = textOrNull(value)
  if (text === null) return null
  if (/^\/(?!\/)/.test(text)) return `${origin}${text}`
  const url = urlWithin(text, ['reddit.com', '*.reddit.com'])
  return url ? `${origin}${url.pathname}` : null
}

/** `r/name`, and `u/name` for the community of a user. */
export const prefixed = (community: string): string =>
  community.startsWith('u_') ? `u/${community.slice(2)}` : `r/${community}`
