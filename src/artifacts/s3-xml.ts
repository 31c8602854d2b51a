/**
 * What is read of a store's XML answers: texts of elements by their names.
 *
 * @module
 */

/** The text of the first element with that name. */
export function textOf(xml: string, name: string): string | undefined {
  const [content] = elementsOf(xml, name)
  return content?.replaceAll(/&(quot|#34|apos|lt|gt|amp);/g, (all, entity: string) => ENTITIES[entity] ?? all)
}

/** The contents of all elements with that name, as they stand there. Such elements must not lie inside each other. */
export function elementsOf(xml: string, name: string): string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?>([^]*?)</${name}>`, 'g')
  return [...xml.matchAll(pattern)].map(([, content = '']) => content)
}

/** A text as it stands in an element. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const ENTITIES: Readonly<Record<string, string>> = {
  quot: '"',
  '#34': '"',
  apos: "'",
  lt: '<',
  gt: '>',
  amp: '&',
}
