/**
 * Texts of rendered posts and accounts.
 *
 * @module
 */
import { linkOrNull, textOrNull } from 'gleaner/plugin'

const TEXT_NODE = 3
const ELEMENT_NODE = 1

/** The text of an element. Emoji are read from images, and links as the URLs that the site's responses contain. */
export function shownText(element: Element | null | undefined): string | null {
  return element ? textOrNull(textIn(element)) : null
}

function textIn(node: Node): string {
  if (node.nodeType === TEXT_NODE) return node.nodeValue ?? ''
  if (node.nodeType !== ELEMENT_NODE) return ''
  const element = node as Element
  if (/^img$/i.test(element.tagName)) return element.getAttribute('alt') ?? ''
  if (/^br$/i.test(element.tagName)) return '\n'
  if (element.getAttribute('data-testid') === 'tweet-text-show-more-link') return ''
  const link = isShort(element) ? element.getAttribute('href') : addressIn(element)
  return link ?? [...element.childNodes].map(textIn).join('')
}

const isShort = (element: Element): boolean => /^https?:\/\/t\.co\//.test(element.getAttribute('href') ?? '')

/**
 * The URL that a link shows; null for other links. Part of it is hidden by styles only, so the DOM contains all of
 * it.
 */
function addressIn(element: Element): string | null {
  if (!/^a$/i.test(element.tagName)) return null
  return linkOrNull((element.textContent ?? '').replace(/…$/, ''))
}

/** The URLs that the links of a text show. */
export const shownUrls = (element: Element): string[] =>
  [...element.querySelectorAll('a')].flatMap((link) => addressIn(link) ?? [])

/** The texts of links that begin with a mark such as # or @, without the mark. */
export const shownTags = (element: Element, mark: string): string[] =>
  [...element.querySelectorAll('a')]
    .map((link) => (link.textContent ?? '').trim())
    .filter((text) => text.startsWith(mark) && text.length > mark.length)
    .map((text) => text.slice(mark.length))

/** The whole number at the start of a label such as `894 Likes. Like`, with any thousands separator. */
export function countIn(label: string | null | undefined): number | null {
  const digits = /^\d+(?:[.,\u00a0\u202f' ]\d{3})*/.exec(label ?? '')?.[0]
  return digits === undefined ? null : Number(digits.replace(/\D/g, ''))
}
