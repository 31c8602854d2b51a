/**
 * Converts the exchanges of a dry run to a cassette.
 *
 * @module
 */
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import type { Cassette } from '../../src/plugin/testing.ts'
import type { ObservedExchange } from '../dry-run/exchanges.ts'
import { exchangeOf } from './exchange.ts'
import { Redactor } from './redactor.ts'

export type RecordedRun = {
  readonly task: CatalogueTask
  /** as sent */
  readonly input: Readonly<Record<string, unknown>>
  readonly exchanged: readonly ObservedExchange[]
  /** milliseconds since 1970 */
  readonly at: number
}

export type Recording = {
  readonly cassette: Cassette
  /** differences from the original answers, for the person who recorded them */
  readonly remarks: readonly string[]
}

/** The cassette of a run: each exchange with an answer, in the order of the requests, without credentials. */
export function recordingOf({ task, input, exchanged, at }: RecordedRun): Recording {
  const answered = exchanged.filter(isAnswered)
  const all = (redactor: Redactor) => answered.map((one) => exchangeOf(one, task.source.origin, redactor))
  const redactor = new Redactor()
  // A value that a later exchange identifies as a credential may occur in an earlier one.
  all(redactor)
  const { credentials } = redactor
  const exchanges = all(redactor)
  const remarks = [
    ...(credentials.length > 0 ? [`Replaced by REDACTED or left out: ${credentials.join(', ')}.`] : []),
    ...answered.filter(isCut).map(cutOf),
    ...(answered.length < exchanged.length
      ? [`${exchanged.length - answered.length} requests had no answer and are left out.`]
      : []),
  ]
  const note = [`Recorded on ${new Date(at).toISOString().slice(0, 10)}.`, ...remarks].join(' ')
  return { cassette: { task: task.key, input, note, exchanges }, remarks }
}

const isAnswered = (one: ObservedExchange): one is ObservedExchange & { readonly status: number } =>
  one.status !== null

const isCut = ({ bytes, body }: ObservedExchange): boolean => body.length < bytes

const cutOf = ({ url, bytes, body }: ObservedExchange): string =>
  `Only the first ${body.length} of ${bytes} bytes of ${new URL(url).pathname} are kept.`
