/**
 * The capture of a run, in the child process: the last answers that it got, as a cassette without secrets. The operator
 * sees in it how a source has changed.
 *
 * @module
 */
import { clock } from '../../../async/clock.ts'
import { isCapturedCode } from '../../../domain/codes.ts'
import type { SavedCookie } from '../../../net/cookies.ts'
import { recordingOf } from '../../../recording/cassette.ts'
import type { Ring } from '../../../recording/ring.ts'
import { withoutSecrets } from '../../../recording/secrets.ts'
import { Turns } from '../../../recording/turns.ts'
import type { TaskEnd } from '../from-child.ts'
import { type Job, MOST_CAPTURE_CHARS } from '../protocol.ts'
import type { Loaded } from './execution.ts'

/** While a source is broken, all of its runs end alike. */
const turns = new Turns()

export type CapturedRun = {
  readonly job: Job
  readonly loaded: Loaded
  readonly end: TaskEnd
  readonly ring: Ring
  /** cookies of its login that responses changed */
  readonly cookies?: readonly SavedCookie[] | undefined
}

/**
 * The capture of a run that has ended, as a cassette in JSON. Never rejects: a run does not depend on it.
 *
 * @returns undefined when its end asks for none, a similar run had one lately, or none of its answers was kept
 */
export async function captureOf(run: CapturedRun): Promise<string | undefined> {
  const { job, end, ring } = run
  const code = codeOf(end, job)
  const exchanged = code === undefined ? [] : ring.exchanges()
  if (exchanged.length === 0 || !turns.take(`${job.taskKey} ${code}`, clock.now())) return undefined
  try {
    const text = await cassetteOf(run, exchanged)
    return text.length > MOST_CAPTURE_CHARS ? undefined : text
  } catch {
    return undefined
  }
}

/** Why a run is captured: its error, or null for a run that succeeded while its task drifts. Undefined: it is not. */
function codeOf(end: TaskEnd, job: Job): string | null | undefined {
  if (end.status === 'succeeded') return job.capture ? null : undefined
  if (end.status === 'stopped') return undefined
  return isCapturedCode(end.code) ? end.code : undefined
}

async function cassetteOf(
  { job, loaded: { source, declaration }, ring, cookies = [] }: CapturedRun,
  exchanged: ReturnType<Ring['exchanges']>,
): Promise<string> {
  const { cassette, remarks } = recordingOf({
    task: { key: job.taskKey, source },
    input: JSON.parse(job.input),
    exchanged,
    at: clock.now(),
    signedIn: declaration.needs?.login === undefined ? undefined : job.login !== undefined,
  })
  const which =
    exchanged.length < ring.answers ? `: the last ${exchanged.length} of ${ring.answers} answers` : ''
  const day = new Date(clock.now()).toISOString().slice(0, 10)
  const note = [`Recorded on ${day} by a run of the service${which}.`, ...remarks].join(' ')
  const secrets = [
    ...[...(job.login?.cookies ?? []), ...cookies].map(({ value }) => value),
    ...Object.values(job.credentials ?? {}),
  ]
  return JSON.stringify(await withoutSecrets({ ...cassette, note }, secrets))
}
