/**
 * State that a page carries as JSON in one of its scripts.
 *
 * @module
 */
import { SourceChanged } from '../errors.ts'

const QUOTE = 34
const BACKSLASH = 92
const OPEN = [91, 123]
const CLOSE = [93, 125]

/**
 * The JSON object or array behind a marker in a page: what a script assigns to a name, or the content of a JSON
 * script. Scripts go on behind it, and its strings may hold braces and tags, so its end is found by counting.
 * One walk over the text: a page of 1 MB takes milliseconds.
 *
 * @param marker what stands before it; the value begins at the first `{` or `[` behind
 * @returns undefined when the page has no such marker
 * @throws {SourceChanged} when what follows is not JSON
 * @example
 * jsonAfter('<script>window.shop = {"lamps": ["}"]}; start()</script>', 'window.shop =') // => { lamps: ['}'] }
 * jsonAfter('<script id="state" type="application/json">[7]</script>', 'id="state"') // => [7]
 * jsonAfter('<p>Sorry</p>', 'window.shop =') // => undefined
 */
export function jsonAfter(page: string, marker: string): unknown {
  const marked = page.indexOf(marker)
  if (marked < 0) return undefined
  const from = page.slice(marked + marker.length, marked + marker.length + 1000).search(/[[{]/)
  const start = marked + marker.length + from
  const end = from < 0 ? -1 : endOf(page, start)
  if (end < 0) throw new SourceChanged(`the page has no complete JSON after ${marker}`)
  try {
    return JSON.parse(page.slice(start, end))
  } catch {
    throw new SourceChanged(`the page has invalid JSON after ${marker}`)
  }
}

/** Behind the bracket that closes the one at `start`; -1 when none does. */
function endOf(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) inString = !inString
    // An escaped quote ends no string.
    else if (inString) i += code === BACKSLASH ? 1 : 0
    else if (OPEN.includes(code)) depth++
    else if (CLOSE.includes(code) && --depth === 0) return i + 1
  }
  return -1
}
