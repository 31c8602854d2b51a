/**
 * JSON that a page contains in one of its scripts.
 *
 * @module
 */
import { SourceChanged } from '../errors.ts'

const QUOTE = 34
const BACKSLASH = 92
const OPEN = [91, 123]
const CLOSE = [93, 125]

/**
 * The JSON object or array after a marker in a page: a value that a script assigns to a name, or the content of a JSON
 * script. The script may continue after the value, and strings in the value may contain braces and tags, so its end is
 * found by counting brackets. This takes one pass over the text: a page of 1 MB takes milliseconds.
 *
 * @param marker the text before the value. The value begins at the first `{` or `[` within 1,000 characters after it
 * @returns undefined when the page does not contain the marker
 * @throws {SourceChanged} when no complete, valid JSON follows the marker
 * @example
 * jsonAfter('<script>window.shop = {"lamps": ["}"]}; start()</script>', 'window.shop =') // => { lamps: ['}'] }
 * jsonAfter('<script id="state" type="application/json">[7]</script>', 'id="state"') // => [7]
 * jsonAfter('<p>Sorry</p>', 'window.shop =') // => undefined
 */
export function jsonAfter(page: string, marker: string): unknown {
  const markerAt = page.indexOf(marker)
  if (markerAt < 0) return undefined
  const from = page.slice(markerAt + marker.length, markerAt + marker.length + 1000).search(/[[{]/)
  const start = markerAt + marker.length + from
  const end = from < 0 ? -1 : endOf(page, start)
  if (end < 0) throw new SourceChanged(`the page has no complete JSON after ${marker}`)
  try {
    return JSON.parse(page.slice(start, end))
  } catch {
    throw new SourceChanged(`the page has invalid JSON after ${marker}`)
  }
}

/** The position after the bracket that closes the one at `start`; -1 when it is not closed. */
function endOf(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) inString = !inString
    // An escaped quote does not end the string.
    else if (inString) i += code === BACKSLASH ? 1 : 0
    else if (OPEN.includes(code)) depth++
    else if (CLOSE.includes(code) && --depth === 0) return i + 1
  }
  return -1
}
