/**
 * What the address of the credits page chooses: the charts, and the entries of the ledger.
 *
 * @module
 */
import { MEASURES, type Measure, PARTS, type Part } from './usage.ts'

export type Kind = 'granted' | 'charged' | 'refunded'
export const KINDS: readonly Kind[] = ['charged', 'refunded', 'granted']

export type Choice = {
  /** days of the charts */
  readonly length: 30 | 90
  /** what the chart of credits is stacked by */
  readonly part: Part
  /** what the chart of usage counts */
  readonly measure: Measure
  /** entries of one kind; undefined for all */
  readonly kind: Kind | undefined
  /** entries of one task; undefined for all */
  readonly task: string | undefined
}

/** The choice in an address. Unknown values choose the default. */
export function chosenIn(query: URLSearchParams): Choice {
  return {
    length: query.get('days') === '90' ? 90 : 30,
    part: PARTS.find((part) => part === query.get('by')) ?? 'task',
    measure: MEASURES.find((measure) => measure === query.get('usage')) ?? 'bytes',
    kind: KINDS.find((kind) => kind === query.get('kind')),
    task: /^[\w.-]{1,200}$/.test(query.get('task') ?? '') ? (query.get('task') ?? undefined) : undefined,
  }
}

/** The fields of an address, without those that have their default. */
export const fieldsOf = ({ length, part, measure, kind, task }: Choice): [string, string][] =>
  Object.entries({
    days: length === 90 && '90',
    by: part !== 'task' && part,
    usage: measure !== 'bytes' && measure,
    kind,
    task,
  }).filter((entry): entry is [string, string] => typeof entry[1] === 'string')

/** The address of a choice that differs from the one of `query` in some fields. */
export function linkTo(
  own: string,
  query: URLSearchParams,
  changes: Partial<Choice>,
  cursor?: string,
): string {
  const fields = fieldsOf({ ...chosenIn(query), ...changes })
  const text = new URLSearchParams(cursor === undefined ? fields : [...fields, ['cursor', cursor]])
  return `${own}/credits${text.size > 0 ? `?${text}` : ''}`
}
