/**
 * Where the values of a JSON text stand.
 *
 * @module
 */

export type Place = { readonly line: number; readonly column: number }

/** A text, a bracket, a comma or a colon, or any other value. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

type Level = { readonly pointer: string; index: number | undefined; name: string }

/**
 * The places of the fields or entries at some JSON pointers; none for a pointer that leads nowhere. Of fields with one
 * name, the last one counts, as in `JSON.parse`.
 *
 * @param text valid JSON
 */
export function placesOf(text: string, pointers: readonly string[]): ReadonlyMap<string, Place> {
  const wanted = new Set(pointers)
  const offsets = new Map<string, number>()
  const levels: Level[] = []
  let isName = false
  for (const { 0: token, index: at } of text.matchAll(TOKEN)) {
    const level = levels.at(-1)
    if (token === '}' || token === ']') {
      levels.pop()
      isName = false
    } else if (token === ',') {
      if (level?.index === undefined) isName = true
      else level.index++
    } else if (token === ':') isName = false
    else if (level && isName) {
      level.name = escaped(JSON.parse(token))
      const pointer = `${level.pointer}/${level.name}`
      if (wanted.has(pointer)) offsets.set(pointer, at)
    } else {
      const pointer = level ? `${level.pointer}/${level.index ?? level.name}` : ''
      if (level?.index !== undefined && wanted.has(pointer)) offsets.set(pointer, at)
      if (token === '{' || token === '[') {
        levels.push({ pointer, index: token === '[' ? 0 : undefined, name: '' })
        isName = token === '{'
      }
    }
  }
  return new Map([...offsets].map(([pointer, at]) => [pointer, placeAt(text, at)]))
}

/** The line and the column, in characters, of an index of a text, both from 1. */
export function placeAt(text: string, at: number): Place {
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: [...(before.at(-1) ?? '')].length + 1 }
}

/** As in a JSON pointer. */
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
