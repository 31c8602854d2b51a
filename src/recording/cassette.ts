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
  /** for tasks that use a login: whether it had one */
  readonly signedIn?: boolean | undefined
}

export type Recording = {
  readonly cassette: Cassette
  /** differences from the original answers, for the person who recorded them */
  readonly remarks: readonly string[]
}

/** The cassette of a run: each exchange with an answer, in the order of the requests, without credentials. */
export function recordingOf({ task, input, exchanged, at, signedIn }: RecordedRun): Recording {
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
  const login = signedIn === undefined ? {} : { signedIn }
  return { cassette: { task: task.key, input, note, ...login, exchanges }, remarks }
}

const isAnswered = (one: ObservedExchange): one is ObservedExchange & { readonly status: number } =>
  one.status !== null

const isCut = ({ bytes, body }: ObservedExchange): boolean => body.length < bytes

const cutOf = ({ url, bytes, body }: ObservedExchange): string =>
  `Only the first ${body.length} of ${bytes} bytes of ${new URL(url).pathname} are kept.`

const RECORDED = /^Recorded on (\d{4}-\d\d-\d\d)\b/

/** When a cassette was recorded, in milliseconds since 1970: noon of that day. Null for sample data. */
export function recordedAt({ note = '' }: Pick<Cassette, 'note'>): number | null {
  const day = RECORDED.exec(note)?.[1]
  return day === undefined ? null : Date.parse(`${day}T12:00:00Z`)
}

/** The age of a cassette in whole days; null for sample data. */
export function ageInDays(cassette: Pick<Cassette, 'note'>, now: number): number | null {
  const at = recordedAt(cassette)
  return at === null ? null : Math.max(0, Math.round((now - at) / 86_400_000))
}
