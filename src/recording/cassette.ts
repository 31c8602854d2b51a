/**
 * A run that was watched, as a cassette.
 *
 * @module
 */
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import { Origins } from '../plugin/reach.ts'
import type { Cassette } from '../plugin/testing.ts'
import type { Exchanged } from '../trial/exchanged.ts'
import { exchangeOf } from './exchange.ts'
import { Secrets } from './secrets.ts'

export type Watched = {
  readonly task: CatalogueTask
  /** as sent */
  readonly input: Readonly<Record<string, unknown>>
  readonly exchanged: readonly Exchanged[]
  /** SOURCE_<FAMILY>_ORIGIN; undefined: the source was read where it is */
  readonly replaced: string | undefined
  /** milliseconds since 1970 */
  readonly at: number
}

export type Recording = {
  readonly cassette: Cassette
  /** what is not as it was, for who recorded it */
  readonly remarks: readonly string[]
}

/** The cassette of a run: each exchange that had an answer, in the order of the requests, without credentials. */
export function recordingOf({ task, input, exchanged, replaced, at }: Watched): Recording {
  const origins = new Origins(replaced)
  const answered = exchanged.filter(isAnswered)
  const all = (secrets: Secrets) =>
    answered.map((one) => exchangeOf(one, task.source.origin, origins, secrets))
  const secrets = new Secrets()
  // What a later exchange shows to be a credential may stand in one before it.
  all(secrets)
  const { found } = secrets
  const exchanges = all(secrets)
  const remarks = [
    ...(found.length > 0 ? [`Replaced by REDACTED or left out: ${found.join(', ')}.`] : []),
    ...answered.filter(isCut).map(cutOf),
    ...(answered.length < exchanged.length
      ? [`${exchanged.length - answered.length} requests had no answer and are left out.`]
      : []),
  ]
  const note = [`Recorded on ${new Date(at).toISOString().slice(0, 10)}.`, ...remarks].join(' ')
  return { cassette: { task: task.key, input, note, exchanges }, remarks }
}

const isAnswered = (one: Exchanged): one is Exchanged & { readonly status: number } => one.status !== null

const isCut = ({ bytes, body }: Exchanged): boolean => body.length < bytes

const cutOf = ({ url, bytes, body }: Exchanged): string =>
  `Of ${new URL(url).pathname} the first ${body.length} of ${bytes} bytes are kept.`
