/**
 * Converts the site's texts, names, flags and URLs.
 *
 * @module
 */
import { at, field, linkOrNull, Nullable, Type, textOrNull, urlWithin } from 'gleaner/plugin'

/**
 * The fields `id` and `fullname` (the id with its kind). Each is derived from the other if it is missing. Reading them
 * throws SourceChanged when both are missing.
 *
 * @param kind `t1` or `t3`
 */
export function identityOf(kind: 't1' | 't3') {
  const words = 'a post or comment has no id'
  const bare = (value: unknown) => textOrNull(value)?.replace(new RegExp(`^${kind}_`), '') || null
  const withKind = (value: unknown) => {
    const text = textOrNull(value)
    return text === null || /^t\d_/.test(text) ? text : `${kind}_${text}`
  }
  return {
    id: field.required(field.text(['id', 'name'], undefined, bare), words),
    fullname: field.required(
      field.text(['name', 'id'], `The id with its kind, such as ${kind}_abc12.`, withKind),
      words,
    ),
  }
}

/** A flag. JSON omits some flags that are false; parts of pages do not show all flags. */
export const flag = (name: string, description = '') =>
  field.value(
    Nullable(
      Type.Boolean({ description: `${description} Null where the site does not show it.`.trimStart() }),
    ),
    (data) => at(data, name) === true,
  )

/**
 * A text in Markdown or HTML. White space is kept, because leading blanks of a line have a meaning in Markdown. Null
 * for an empty text and for the site's placeholders of removed texts.
 */
export function bodyOf(value: unknown): string | null {
  const text = textOrNull(value)
  return text === null || text === '[deleted]' || text === '[removed]' ? null : String(value).toWellFormed()
}

/** The name of an account; null for the placeholder of a deleted account. */
export function authorOf(value: unknown): string | null {
  const name = textOrNull(value)
  return name === '[deleted]' ? null : name
}

/**
 * An absolute URL. The site writes some URLs as paths, and some without a scheme.
 *
 * @returns null for a value that is not an http(s) URL
 */
export function linkOf(value: unknown, origin: string): string | null {
  const text = textOrNull(value)
  if (text === null || !/^(?:https?:\/\/|\/)/i.test(text) || !URL.canParse(text, origin)) return null
  return linkOrNull(text) ?? new URL(text, origin).href
}

/** The public URL of a page of the site, whichever of the site's hosts it names; null for other sites. */
export function permalinkOf(value: unknown, origin: string): string | null {
  const text = textOrNull(value)
  if (text === null) return null
  if (/^\/(?!\/)/.test(text)) return `${origin}${text}`
  const url = urlWithin(text, ['reddit.com', '*.reddit.com'])
  return url ? `${origin}${url.pathname}` : null
}

/** `r/name`, or `u/name` for a user's community, from the same form or from a bare name; null without a name. */
export function prefixOf(community: unknown): string | null {
  const name = textOrNull(community)
  if (name === null || name.includes('/')) return name
  return name.startsWith('u_') ? `u/${name.slice(2)}` : `r/${name}`
}
