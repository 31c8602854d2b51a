/**
 * The ways in which a site changes one part of its answers, everywhere at once.
 *
 * @module
 */
import type { Exchange } from 'gleaner/plugin/testing'
import { withoutGenerated } from '../../tools/shape/names.ts'
import { type Field, type Tag, visited } from './walk.ts'

export type Way = 'dropped' | 'dropped in every second' | 'renamed' | 'emptied'
/** @property part a path of JSON, or a tag with an attribute or class of a page */
export type Change = { readonly part: string; readonly way: Way }

const NEW = 'v2'

/** The changes that a site could make to the parts of some answers. */
export function changesOf(exchanges: readonly Exchange[]): Change[] {
  const parts = new Map<string, Set<Way>>()
  const add = (part: string, ...ways: readonly Way[]) => {
    const own = parts.get(part) ?? new Set()
    parts.set(part, own)
    for (const way of ways) own.add(way)
  }
  const seen = new Map<string, number>()
  const isRepeated = (part: string) => {
    seen.set(part, (seen.get(part) ?? 0) + 1)
    return seen.get(part) === 2
  }
  for (const exchange of exchanges) {
    seen.clear()
    visited(exchange, {
      field({ path, holder, name, isInList }) {
        add(path, 'dropped')
        if (isInList) add(path, 'dropped in every second')
        if (!Array.isArray(holder)) add(path, 'renamed')
        if (Array.isArray(holder[name]) && (holder[name] as unknown[]).length > 0) add(path, 'emptied')
      },
      tag(tag) {
        if (tag.name.includes('-')) add(tag.name, 'renamed')
        for (const part of partsOf(tag)) {
          add(part, 'dropped', 'renamed')
          if (isRepeated(part)) add(part, 'dropped in every second')
        }
      },
    })
  }
  return [...parts].flatMap(([part, ways]) => [...ways].map((way) => ({ part, way })))
}

/** The answers after a change. */
export function changed(exchanges: readonly Exchange[], change: Change): Exchange[] {
  let times = 0
  const { part, way } = change
  const isSpared = () => times++ % 2 === 1 && way === 'dropped in every second'
  return exchanges.map((exchange) =>
    visited(exchange, {
      field(field) {
        if (field.path === part && !isSpared()) changeField(field, way)
      },
      tag(tag) {
        if (tag.name === part) tag.name = `${tag.name}-${NEW}`
        else if (partsOf(tag).includes(part) && !isSpared()) changeTag(tag, change)
      },
    }),
  )
}

function changeField({ holder, name }: Field, way: Way): void {
  const value = holder[name]
  if (way === 'emptied') {
    if (Array.isArray(value)) holder[name] = []
    return
  }
  if (Array.isArray(holder)) holder[Number(name)] = null
  else delete holder[name]
  if (way === 'renamed') holder[`${name}_${NEW}`] = value
}

function changeTag(tag: Tag, { part, way }: Change): void {
  tag.attributes = tag.attributes.flatMap(([name, value]): Tag['attributes'] => {
    const isClass = name === 'class'
    if (isClass) return [[name, changedClasses(tag, value ?? '""', part, way)]]
    if (attributePart(tag, name) !== part) return [[name, value]]
    return way === 'renamed' ? [[`${name}-${NEW}`, value]] : []
  })
}

function changedClasses(tag: Tag, value: string, part: string, way: Way): string {
  const quote = /^["']/.exec(value)?.[0] ?? ''
  const classes = classesIn(value).flatMap((each) => {
    if (classPart(tag, each) !== part) return [each]
    return way === 'renamed' ? [`${each}-${NEW}`] : []
  })
  return `${quote || '"'}${classes.join(' ')}${quote || '"'}`
}

const classesIn = (value: string): string[] =>
  value
    .replace(/^["']|["']$/g, '')
    .split(/\s+/)
    .filter(Boolean)
const attributePart = (tag: Tag, name: string): string => `${tag.name}[${name}]`
const classPart = (tag: Tag, name: string): string => `${tag.name}.${withoutGenerated(name)}`

const partsOf = (tag: Tag): string[] =>
  tag.attributes.flatMap(([name, value]) =>
    name === 'class'
      ? [...new Set(classesIn(value ?? '').map((each) => classPart(tag, each)))]
      : [attributePart(tag, name)],
  )
