/**
 * Texts of posts, comments and rules as parts show them: HTML that is read as plain text.
 *
 * @module
 */
import { textOf } from 'gleaner/plugin'

const ATTRIBUTES = `(?:"[^"]*"|'[^']*'|[^"'<>])*`
const CODE = new RegExp(`(<pre\\b${ATTRIBUTES}>[^]*?</pre>)`, 'i')
const BLOCK = new RegExp(`</?(?:p|li|ul|ol|h[1-6]|div|blockquote|table|tr|hr)(?=[\\s/>])${ATTRIBUTES}>`, 'gi')

/** Plain text, with an empty line between paragraphs and entries of lists. Only code keeps its line breaks. */
export function plainOf(element: Element | undefined | null): string | null {
  const texts = (element?.innerHTML ?? '')
    .split(CODE)
    .flatMap((html, i) => (i % 2 === 1 ? [textOf(html)] : html.split(BLOCK).map(lineOf)))
    .filter((text) => text !== null)
  return texts.length > 0 ? texts.join('\n\n') : null
}

const lineOf = (html: string): string | null =>
  textOf(html.replace(/\s+/g, ' '))?.replace(/ *\n */g, '\n') ?? null

/** The text of a post or comment inside an element. Outer elements of the class are layout. */
export const markdownIn = (element: Element | undefined | null): string | null =>
  plainOf([...(element?.querySelectorAll('.md') ?? [])].find((each) => !each.querySelector('.md')))

/** The text of a label, on one line; null when it is blank. */
export const labelOf = (element: Element | undefined | null): string | null =>
  element?.textContent?.replace(/\s+/g, ' ').trim() || null
