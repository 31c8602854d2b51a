/**
 * JSON that a person wrote: the object, or where it is wrong and what to change. Runtimes word their errors differently,
 * and some name no place, so the place is found here.
 *
 * @module
 */
import { isDeeper, MAX_DEPTH } from '../../../http/input.ts'
import { placeAt } from './places.ts'

/** `fault`: a sentence, such as `Line 3, column 5: a comma or } is missing here.` */
export type Parsed = { readonly value: Readonly<Record<string, unknown>> } | { readonly fault: string }

/** The object that a text contains as JSON. */
export function objectIn(text: string): Parsed {
  if (text.trim() === '') return { fault: 'The JSON is empty. Write an object, such as {"query": "lamp"}.' }
  try {
    const value = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { fault: 'The input is an object: it begins with { and ends with }.' }
    if (isDeeper(value)) return { fault: `An input has at most ${MAX_DEPTH} levels.` }
    return { value }
  } catch {
    return { fault: faultIn(text) }
  }
}

/** Thrown where a text stops being JSON. */
class Wrong extends Error {
  constructor(
    readonly at: number,
    readonly what: string,
  ) {
    super(what)
  }
}

function faultIn(text: string): string {
  try {
    const after = skipped(text, valueAt(text, skipped(text, 0), 0))
    if (after < text.length) throw new Wrong(after, 'nothing may follow the end of the object')
  } catch (error) {
    if (!(error instanceof Wrong)) throw error
    const { line, column } = placeAt(text, error.at)
    return `Line ${line}, column ${column}: ${error.what}.`
  }
  return 'This is not JSON.'
}

const SPACE = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])/y
const WORD = /(?:true|false|null)(?!\w)/y

/** The index after a match at an index; undefined without a match. */
function after(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

function skipped(text: string, at: number): number {
  const next = after(SPACE, text, at) ?? at
  if (text.startsWith('//', next) || text.startsWith('/*', next))
    throw new Wrong(next, 'JSON has no comments')
  return next
}

/** @returns the index after the value @throws {Wrong} */
function valueAt(text: string, at: number, depth: number): number {
  const char = text[at]
  if (char === undefined) throw new Wrong(at, 'a value is missing at the end')
  if (char === '{') return membersAt(text, at, '}', depth)
  if (char === '[') return membersAt(text, at, ']', depth)
  if (char === '"') return textAt(text, at)
  const end = after(WORD, text, at) ?? after(NUMBER, text, at)
  if (end !== undefined) return end
  if (char === "'") throw new Wrong(at, 'a text stands in double quotes')
  if (/[,}\]:]/.test(char)) throw new Wrong(at, 'a value is missing here')
  if (/[-+.\d]/.test(char)) throw new Wrong(at, 'this is not a number in JSON')
  throw new Wrong(at, 'a text stands in double quotes; other values are numbers, true, false and null')
}

/** The members of an object or an array. @param at of its opening bracket */
function membersAt(text: string, start: number, close: '}' | ']', depth: number): number {
  if (depth >= MAX_DEPTH) throw new Wrong(start, `an input has at most ${MAX_DEPTH} levels`)
  let at = skipped(text, start + 1)
  if (text[at] === close) return at + 1
  for (;;) {
    at = skipped(text, valueAt(text, close === '}' ? nameAt(text, at) : at, depth + 1))
    if (text[at] === close) return at + 1
    if (at >= text.length) throw new Wrong(at, `a ${close} is missing at the end`)
    if (text[at] !== ',') throw new Wrong(at, `a comma or ${close} is missing here`)
    const comma = at
    at = skipped(text, at + 1)
    if (text[at] === close) throw new Wrong(comma, `no comma stands before ${close}`)
  }
}

/** The name of a member with its colon. @returns the index of its value */
function nameAt(text: string, at: number): number {
  if (at >= text.length) throw new Wrong(at, 'a } is missing at the end')
  if (text[at] !== '"') throw new Wrong(at, 'the name of a field stands in double quotes')
  const colon = skipped(text, textAt(text, at))
  if (text[colon] !== ':') throw new Wrong(colon, 'a colon is missing here')
  return skipped(text, colon + 1)
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y

function textAt(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at] as string
    if (char === '"') return at + 1
    if (char === '\n') throw new Wrong(start, 'this text has no closing quote in its line')
    if (char < ' ') throw new Wrong(at, 'a text has no control characters: write a tab as \\t')
    if (char !== '\\') continue
    const end = after(ESCAPE, text, at)
    if (end === undefined) throw new Wrong(at, 'this is no escape: write a backslash as \\\\')
    at = end - 1
  }
  throw new Wrong(start, 'this text has no closing quote')
}
