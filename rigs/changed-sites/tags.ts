/**
 * The tags of a page, one by one. The texts between them stay as they are.
 *
 * @module
 */
import type { Visitor } from './walk.ts'

const TAG = /<(\/?)([a-z][\w-]*)((?:\s+[^\s"'>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*)(\s*\/?)>/gi
const ATTRIBUTE = /([^\s"'>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?/g
const SCRIPT = /(<script\b[^>]*>)(.*?)(<\/script>)/gis

/** Shows a page's opening tags to a visitor. @returns the page with the tags as they are afterwards */
export function tagsVisited(page: string, visitor: Visitor): string {
  const closing = new Map<string, string>()
  const scripts: string[] = []
  const withoutScripts = page.replace(SCRIPT, (_, open: string, content: string, close: string) => {
    scripts.push(content)
    return `${open}\0${close}`
  })
  const after = withoutScripts.replace(TAG, (_, slash: string, name: string, inner: string, end: string) => {
    if (slash) return `</${closing.get(name) ?? name}${inner}${end}>`
    const attributes = [...inner.matchAll(ATTRIBUTE)].map(
      ([, key = '', value]) => [key, value] as [string, string | undefined],
    )
    const tag = { kind: 'tag' as const, name, attributes }
    visitor.tag(tag)
    closing.set(name, tag.name)
    const written = tag.attributes.map(([key, value]) =>
      value === undefined ? ` ${key}` : ` ${key}=${value}`,
    )
    return `<${tag.name}${written.join('')}${end}>`
  })
  return after.replace(/\0/g, () => scripts.shift() ?? '')
}
