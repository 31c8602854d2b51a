/**
 * Mutations of valid data: JSON by its structure, texts and pages by their characters and tags.
 *
 * @module
 */
import type { Random } from './random.ts'
import { nested, oddNumber, oddText, oddValue } from './values.ts'

/** A place in a JSON value: its object or array, and its name in it. */
type Holder = Record<string, unknown>
type Place = { readonly holder: Holder; readonly name: string }

const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null

/** A uniformly random place; undefined if there is none. */
function somePlace(random: Random, root: Holder): Place | undefined {
  let place: Place | undefined
  let count = 0
  const left: Holder[] = [root]
  for (let holder = left.pop(); holder; holder = left.pop()) {
    for (const name of Object.keys(holder)) {
      if (random.below(++count) === 0) place = { holder, name }
      const value = holder[name]
      if (isHolder(value)) left.push(value)
    }
  }
  return place
}

type Change = (random: Random, place: Place) => void

const put = ({ holder, name }: Place, value: unknown): void => {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })
}

const CHANGES: Readonly<Record<string, Change>> = {
  drop: (_, { holder, name }) => {
    if (Array.isArray(holder)) holder.splice(Number(name), 1)
    else delete holder[name]
  },
  null: (_, place) => put(place, null),
  odd: (random, place) => put(place, oddValue(random)),
  retype: (random, place) => put(place, retyped(random, place.holder[place.name])),
  deepen: (random, place) => put(place, nested(random, 1 + random.below(4) ** 5, place.holder[place.name])),
  repeat: (random, { holder, name }) => {
    const times = 1 + random.below(5)
    if (Array.isArray(holder)) holder.push(...Array.from({ length: times }, () => holder[Number(name)]))
    else holder[`${name}_`] = holder[name]
  },
  swap: (random, { holder, name }) => {
    const other = random.pick(Object.keys(holder))
    const value = holder[name]
    put({ holder, name }, holder[other])
    put({ holder, name: other }, value)
  },
  rename: (random, { holder, name }) => {
    if (Array.isArray(holder)) return
    const value = holder[name]
    delete holder[name]
    put({ holder, name: oddText(random) }, value)
  },
  empty: (_, place) => {
    const value = place.holder[place.name]
    put(place, Array.isArray(value) ? [] : isHolder(value) ? {} : '')
  },
  cut: (random, place) => {
    const value = place.holder[place.name]
    if (Array.isArray(value)) value.length = random.below(value.length + 1)
    else if (typeof value === 'string') put(place, textMutated(random, value))
    else put(place, oddNumber(random))
  },
}
const ALL_CHANGES = Object.values(CHANGES)

/** A similar value of another type, as when a source changes its format. */
function retyped(random: Random, value: unknown): unknown {
  if (typeof value === 'number') return random.pick<unknown>([String(value), [value], -value, value + 0.5])
  if (typeof value === 'string') return random.pick<unknown>([Number(value) || 0, [value], { value }, true])
  if (Array.isArray(value)) return random.pick<unknown>([Object.assign({}, value), value[0], value.length])
  if (isHolder(value))
    return random.pick<unknown>([Object.values(value), Object.keys(value), JSON.stringify(value)])
  return random.pick<unknown>([0, 'false', [], {}])
}

/** A copy of a JSON value with one to four changes. */
export function jsonMutated(random: Random, value: unknown): unknown {
  const root: Holder = { root: structuredClone(value) }
  const times = 1 + random.below(4)
  for (let i = 0; i < times; i++) {
    const place = random.chance(0.03) ? { holder: root, name: 'root' } : somePlace(random, root)
    if (place && Object.hasOwn(root, 'root')) random.pick(ALL_CHANGES)(random, place)
  }
  return root.root ?? null
}

const TAG = /<[^<>]*>/g
const ENTITIES = ['&#x110000;', '&#0;', '&nosuch;', '&amp;amp;', '&#', '&#xD800;', '&lt;', '\u00a0']

/** A text with one to three changes of its characters, tags, attributes, digits or embedded JSON. */
export function textMutated(random: Random, text: string): string {
  let changed = text
  const times = 1 + random.below(3)
  for (let i = 0; i < times; i++) changed = once(random, changed)
  return changed
}

function once(random: Random, text: string): string {
  const at = random.below(text.length + 1)
  const to = Math.min(text.length, at + 1 + random.below(random.pick([4, 40, 400])))
  switch (random.below(9)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(0, at) + text.slice(to)
    case 2:
      return text.slice(0, to) + text.slice(at, to).repeat(1 + random.below(3)) + text.slice(to)
    case 3:
      return text.slice(0, at) + oddText(random) + text.slice(at)
    case 4:
      return text.slice(0, at) + random.pick(ENTITIES) + text.slice(to)
    case 5:
      return tagMutated(random, text)
    case 6:
      return scriptMutated(random, text)
    case 7:
      return spotMutated(random, text, /\d+/g, () => String(oddNumber(random)))
    default:
      return spotMutated(random, text, /"[^"<>]*"/g, () => JSON.stringify(oddText(random)))
  }
}

/** Replaces one random match. */
function spotMutated(random: Random, text: string, what: RegExp, by: (match: string) => string): string {
  const matches = [...text.matchAll(what)]
  if (matches.length === 0) return text
  const { index, 0: match } = random.pick(matches)
  return text.slice(0, index) + by(match) + text.slice(index + match.length)
}

const tagMutated = (random: Random, text: string): string =>
  spotMutated(random, text, TAG, (tag) => {
    switch (random.below(5)) {
      case 0:
        return ''
      case 1:
        return tag + tag
      case 2:
        return tag.repeat(500)
      case 3:
        return tag.replace(/=("[^"]*"|'[^']*'|\S+)/, () => `=${oddText(random)}`)
      default:
        return tag.replace(/\w+/, random.pick(['b', 'script', 'template', 'svg', '!--']))
    }
  })

/** Changes the structure of JSON in a page's script. */
const scriptMutated = (random: Random, text: string): string =>
  spotMutated(random, text, /(?<=<script[^>]*>)[^<]+(?=<\/script>)/g, (script) => {
    const begin = script.search(/[[{]/)
    const end = Math.max(script.lastIndexOf('}'), script.lastIndexOf(']')) + 1
    try {
      const json = JSON.parse(script.slice(begin, end))
      return script.slice(0, begin) + JSON.stringify(jsonMutated(random, json)) + script.slice(end)
    } catch {
      // The script is code, or several values.
      return script.slice(0, random.below(script.length))
    }
  })

/** Bytes after one change: truncated, partly overwritten, or partly repeated. */
export function bytesMutated(random: Random, bytes: Uint8Array): Uint8Array {
  const at = random.below(bytes.length + 1)
  if (random.chance(0.4)) return bytes.slice(0, at)
  if (random.chance(0.3))
    return Uint8Array.from([...bytes.slice(0, at), ...bytes.slice(random.below(at + 1))])
  const changed = Uint8Array.from(bytes)
  for (let i = 0; i < 1 + random.below(8) && changed.length > 0; i++)
    changed[random.below(changed.length)] = random.below(256)
  return changed
}
