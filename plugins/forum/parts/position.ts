/**
 * Positions in feeds. The site writes them as base64 of the fullname after which the next page begins.
 *
 * @module
 */
import { SourceChanged, textOrNull } from 'gleaner/plugin'

/** The site's form of a position. */
export const encode = (fullname: string): string => btoa(fullname)

/** The position of the next page; null at the end. @throws {SourceChanged} for a position of another form */
export function nextIn(document: Document): string | null {
  if (document.querySelector('#end-of-feed-tracker')) return null
  const position =
    parameterOf(document.querySelector('faceplate-partial[slot="load-after"]'), 'after') ??
    lastOf(document, 'shreddit-feed-load-more-observer[cursor]', 'cursor') ??
    lastOf(document, 'shreddit-post[more-posts-cursor]', 'more-posts-cursor')
  return position === null ? null : decode(position)
}

/** A parameter of the address of an element that loads more; null when it has none. */
export function parameterOf(element: Element | null | undefined, name: string): string | null {
  const src = element?.getAttribute('src') ?? ''
  const [, query = ''] = src.split('?')
  // A plus sign in base64 is sometimes not escaped.
  return textOrNull(new URLSearchParams(query.replaceAll('+', '%2B')).get(name))
}

const lastOf = (document: Document, selector: string, name: string): string | null =>
  textOrNull([...document.querySelectorAll(selector)].at(-1)?.getAttribute(name))

function decode(position: string): string {
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(position) && position.replace(/=+$/, '').length % 4 !== 1
  const fullname = isBase64 ? atob(position.replace(/=+$/, '')) : ''
  if (!/^t[13]_[a-z0-9]{1,13}$/.test(fullname)) throw new SourceChanged('a position of another form')
  return fullname
}
