/**
 * What changed between the answers of an old run and a new one, as text: the likeliest cause first.
 *
 * @module
 */
import type { Cassette } from '../../src/plugin/testing.ts'
import { type AnswerChange, compareAnswers } from '../shape/answers.ts'
import type { ShapeChange } from '../shape/compare.ts'
import { wordsOf } from '../shape/words.ts'
import { pairsOf } from './matching.ts'
import { type ParserFile, type Place, placesOf } from './parser-files.ts'

/** A change of an answer's shape, with the lines of the parser that name the part that changed. */
export type Change = { readonly change: ShapeChange; readonly places: readonly Place[] }

/** How the answers of one address changed; the parts that the parser names come first. */
export type Difference = Pick<AnswerChange, 'address' | 'was' | 'now'> & {
  readonly changes: readonly Change[]
}

/**
 * Compares two runs of a task step by step, since their inputs may lead to different addresses. Steps that are the same
 * are left out; those with most parts that the parser names come first.
 *
 * @param origin of the source
 * @param files of the parser
 */
export async function differencesOf(
  old: Cassette,
  fresh: Cassette,
  origin: string,
  files: readonly ParserFile[],
): Promise<Difference[]> {
  const pairs = pairsOf(old, fresh, origin)
  const steps = await compareAnswers(
    pairs.map((pair) => ({ ...pair.old, request: pair.fresh.request })),
    pairs.map((pair) => pair.fresh),
  )
  return steps
    .map(({ changes, ...step }) => ({ ...step, changes: withPlaces(changes, files) }))
    .sort((a, b) => b.changes.filter(isRead).length - a.changes.filter(isRead).length)
}

/** A new part that is named as the successor of one that has vanished is not told twice. */
function withPlaces(changes: readonly ShapeChange[], files: readonly ParserFile[]): Change[] {
  const successors = new Set(changes.map(({ like }) => like))
  const telling = changes.filter(({ change, path }) => change !== 'appeared' || !successors.has(path))
  const all = telling.map((change) => ({ change, places: placesOf(files, nameOf(change.path)) }))
  return [...all.filter(isRead), ...all.filter((one) => !isRead(one))]
}

/** Whether the parser may read the part and finds it changed. */
const isRead = ({ change, places }: Change): boolean => change.change !== 'appeared' && places.length > 0

/** The name by which a parser finds a part: `amount` of `lamps[].price.amount`, `price` of `lamp-card[price]`. */
const nameOf = (path: string): string =>
  /\[(?:[\w-]+=)?([^\]"]+)\]$/.exec(path)?.[1] ??
  /\["([^"]+)"\]$/.exec(path)?.[1] ??
  path.replace(/\[\]/g, '').split(/[.# ]/).at(-1) ??
  path

const MOST_LINES = 200
const MOST_PLACES = 3

/**
 * The differences as lines of text, 200 at most.
 *
 * @param shown writes the path of a file
 */
export function differenceText(differences: readonly Difference[], shown: (path: string) => string): string {
  const lines = differences.flatMap(({ address, was, now, changes }) => [
    '',
    was.join() === now.join() ? address : `${address} answers ${now.join(', ')}, before ${was.join(', ')}`,
    ...changes.map((change) => `  ${changeText(change, shown)}`),
  ])
  const all = [...(lines.length === 0 ? NONE : INTRODUCTION), ...lines]
  const left = all.length - MOST_LINES + 1
  return `${(left > 1 ? [...all.slice(0, MOST_LINES - 1), `… and ${left} more lines`] : all).join('\n')}\n`
}

const INTRODUCTION = [
  'The shape of the answers in capture.json, compared with that in good.json. Parts that the parser names come first.',
]
const NONE = [
  'The answers in capture.json and good.json have the same shape, or no request of one is like a request of the other.',
  'Compare their values.',
]

/** One change in a line. @param shown writes the path of a file */
export function changeText(one: Change, shown: (path: string) => string): string {
  if (!isRead(one)) return wordsOf(one.change)
  const { length } = one.places
  const where = one.places.slice(0, MOST_PLACES).map(({ path, line }) => `${shown(path)}:${line}`)
  const more = length > MOST_PLACES ? [`${length - MOST_PLACES} more lines`] : []
  return `${wordsOf(one.change)}  <- ${[...where, ...more].join(', ')}`
}
