/**
 * Every named part of an answer: fields of its JSON, wherever it stands, and tags, attributes and classes of its pages.
 * A visitor may change the parts that it is shown.
 *
 * @module
 */
import type { Exchange } from 'gleaner/plugin/testing'
import { nameOrStar } from '../../tools/shape/names.ts'
import { tagsVisited } from './tags.ts'

export type Values = Record<string, unknown>
/** A field of an object, or a value of a list whose values mean different things. */
export type Field = {
  readonly kind: 'field'
  readonly path: string
  readonly holder: Values
  readonly name: string
  /** whether it is in a list */
  readonly isInList: boolean
}
/** A tag of a page with what it may change. */
export type Tag = {
  readonly kind: 'tag'
  name: string
  /** name and value in their order, the value as the page has it, with its quotes; undefined without one */
  attributes: [name: string, value: string | undefined][]
}
export type Visitor = { field(field: Field): void; tag(tag: Tag): void }

const isHolder = (value: unknown): value is Values => typeof value === 'object' && value !== null

/** A list of alike objects or lists. Values of other arrays have meanings by their place. */
const isList = (value: unknown): value is Values[] =>
  Array.isArray(value) &&
  (value.every((each) => isHolder(each) && !Array.isArray(each)) ||
    (value.length > 1 && value.every((each) => Array.isArray(each) && each.length > 2)))

const isOfTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

/** Visits a JSON value, the parts before what holds them. @returns the value as it is afterwards */
function jsonVisited(value: unknown, path: string, isInList: boolean, visitor: Visitor): unknown {
  if (typeof value === 'string') return embeddedVisited(value, `${path}~`, visitor)
  if (!isHolder(value) || isOfTexts(value)) return value
  const isRows = isList(value)
  for (const name of Object.keys(value)) {
    const below = isRows ? `${path}[]` : `${path}.${nameOrStar(name)}`
    const own = Array.isArray(value) && !isRows ? `${path}.${name}` : below
    value[name] = jsonVisited(value[name], own, isInList || isRows, visitor)
    if (!isRows) visitor.field({ kind: 'field', path: own, holder: value, name, isInList })
  }
  return value
}

/** What is long enough to hold data. */
const SHORTEST = 12

/** Visits the JSON values in a text. */
function embeddedVisited(text: string, path: string, visitor: Visitor): string {
  if (text.length < SHORTEST || !/[[{]/.test(text)) return text
  let after = ''
  let done = 0
  const begin = /[[{]/g
  for (let match = begin.exec(text); match; match = begin.exec(text)) {
    const end = endOfJson(text, match.index)
    const value = end - match.index >= SHORTEST ? parsed(text.slice(match.index, end)) : undefined
    if (value === undefined) continue
    after += text.slice(done, match.index) + JSON.stringify(jsonVisited(value, path, false, visitor))
    done = end
    begin.lastIndex = end
  }
  return after + text.slice(done)
}

/** The end of the brackets that open at a place; the place itself when they do not close. */
function endOfJson(text: string, from: number): number {
  let depth = 0
  const token = /"(?:[^"\\]|\\.)*"|[[\]{}]/gs
  token.lastIndex = from
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[0] === '{' || match[0] === '[') depth++
    else if (match[0] === '}' || match[0] === ']') depth--
    if (depth === 0) return token.lastIndex
  }
  return from
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Visits all parts of an answer. @returns the exchange with its answer as it is afterwards */
export function visited(exchange: Exchange, visitor: Visitor): Exchange {
  const { json, body, ...rest } = exchange
  if (json !== undefined) return { ...rest, json: jsonVisited(structuredClone(json), '', false, visitor) }
  if (typeof body !== 'string') return exchange
  const text = /^\s*</.test(body) ? tagsVisited(body, visitor) : body
  return { ...rest, body: embeddedVisited(text, '', visitor) }
}
