/**
 * Converts the exchanges of a run to a cassette.
 *
 * @module
 */
import type { Cassette } from '../plugin/testing.ts'
import { exchangeOf } from './exchange.ts'
import type { ObservedExchange } from './exchange-log.ts'
import { Redactor } from './redactor.ts'

export type RecordedRun = {
  readonly task: { readonly key: string; readonly source: { readonly origin: string } }
  /** as sent */
  readonly input: Readonly<Record<string, unknown>>
  readonly exchanged: readonly ObservedExchange[]
  /** milliseconds since 1970 */
  readonly at: number
  /** for tasks with an optional login: whether it had one */
  readonly signedIn?: boolean | undefined
  /** values that are replaced wherever they occur; default: only what is recognized as a credential */
  readonly secrets?: readonly string[]
}

export type Recording = {
  readonly cassette: Cassette
  /** differences from the original answers, for the person who recorded them */
  readonly remarks: readonly string[]
}

/** The cassette of a run: each exchange with an answer, in the order of the requests, without credentials. */
export function recordingOf({ task, input, exchanged, at, signedIn, secrets }: RecordedRun): Recording {
  const answered = exchanged.filter(isAnswered)
  const all = (redactor: Redactor) => answered.map((one) => exchangeOf(one, task.source.origin, redactor))
  const redactor = new Redactor(secrets)
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
  const login = signedIn === undefined ? {} : { signedIn }
  return { cassette: { task: task.key, input, note, ...login, exchanges }, remarks }
}

const isAnswered = (one: ObservedExchange): one is ObservedExchange & { readonly status: number } =>
  one.status !== null

const isCut = ({ bytes, body }: ObservedExchange): boolean => body.length < bytes

const cutOf = ({ url, bytes, body }: ObservedExchange): string =>
  `Only the first ${body.length} of ${bytes} bytes of ${new URL(url).pathname} are kept.`
