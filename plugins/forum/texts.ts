/**
 * Texts, names and addresses as the site writes them.
 *
 * @module
 */
import { from, linkOrNull, textOrNull, urlWithin } from 'gleaner/plugin'

/**
 * The fields with the id of a thing, and with the same and its kind; each can be had from the other.
 *
 * @param kind `t1` or `t3`. Reading them throws SourceChanged when there is neither
 */
export function identityOf(kind: 't1' | 't3') {
  const words = 'a post or comment has no id'
  const bare = (value: unknown) => textOrNull(value)?.replace(new RegExp(`^${kind}_`), '') || null
  const marked = (value: unknown) => {
    const text = textOrNull(value)
    return text === null || /^t\d_/.test(text) ? text : `${kind}_${text}`
  }
  return {
    id: from.required(from.text(['id', 'name'], undefined, bare), words),
    fullname: from.required(
      from.text(['name', 'id'], `The id with its kind, such as ${kind}_abc12.`, marked),
      words,
    ),
  }
}

/**
 * A text in Markdown or HTML, every blank kept since blanks at the beginning of a line mean something there; null when
 * there is no text, or only the site's placeholder for a removed one.
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
  if (text === null || !/^(?:https?:\/\/|\/)/i.test(text) || !URL.canParse(text, origin)) return null
  return linkOrNull(text) ?? new URL(text, origin).href
}

/** The public address of a page of the site, whichever of its hosts it is written for; null for other sites. */
export function permalinkOf(value: unknown, origin: string): string | null {
  const text = textOrNull(value)
  if (text === null) return null
  if (/^\/(?!\/)/.test(text)) return `${origin}${text}`
  const url = urlWithin(text, ['reddit.com', '*.reddit.com'])
  return url ? `${origin}${url.pathname}` : null
}

/** `r/name`, and `u/name` for the community of a user, from these or from a bare name; null without a name. */
export function prefixOf(community: unknown): string | null {
  const name = textOrNull(community)
  if (name === null || name.includes('/')) return name
  return name.startsWith('u_') ? `u/${name.slice(2)}` : `r/${name}`
}
