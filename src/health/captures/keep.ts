/**
 * Keeps the captures of runs. A capture comes from a process of plugins, which nothing is believed: it is checked, searched
 * for secrets once more, and limited in size and number. The run has ended before, and its end does not depend on it.
 *
 * @module
 */
import { captureKey, captures } from '../../../projections/captures.ts'
import { type Artifacts, CAPTURE } from '../../artifacts/artifacts.ts'
import { withTimeout } from '../../async/delay.ts'
import { isCapturedCode } from '../../domain/codes.ts'
import { OPERATORS, sourceStream } from '../../domain/ids.ts'
import type { EndedRun } from '../../domain/run-state.ts'
import { MOST_CAPTURES, sourceDecider } from '../../domain/source-health.ts'
import type { EventLog } from '../../log/event-log.ts'
import { execute } from '../../log/execute.ts'
import type { Logger } from '../../logger.ts'
import { type Cassette, cassetteFault } from '../../plugin/testing/cassette.ts'
import type { ReadModels } from '../../read/read-models.ts'
import { withoutSecrets } from '../../recording/secrets.ts'
import { Turns } from '../../recording/turns.ts'
import { pack } from './pack.ts'
import { valuesIn } from './states.ts'

export type CapturesDeps = {
  readonly log: EventLog
  readonly readModels: Pick<ReadModels, 'getMany'>
  readonly artifacts: Pick<Artifacts, 'put' | 'remove'>
  readonly logger: Logger
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** What a run's process sent, and what it must not contain. */
export type Captured = {
  /** after its end */
  readonly run: EndedRun
  /** name of the source */
  readonly source: string
  /** a cassette in JSON, if our own code in the process made it */
  readonly text: string
  /** its task drifted when it began: it is kept even if it succeeded */
  readonly drifts: boolean
  /** when the run's data expires, milliseconds since 1970 */
  readonly expiresAt: number
  /** the signed-in states that it had, in Playwright's format */
  readonly states: readonly string[]
  /** the operator's credentials that it had */
  readonly credentials?: Readonly<Record<string, string>> | undefined
}

/** How long storing may take, in milliseconds. */
const MOST_MS = 10_000
/** The most captures that are being stored. */
const MOST_AT_ONCE = 2

export class Captures {
  private readonly turns = new Turns()
  private storing = 0

  constructor(private readonly deps: CapturesDeps) {}

  /** Stores a capture, unless its run ended otherwise than captures are kept for. Never rejects. */
  async keep(captured: Captured): Promise<void> {
    const { run } = captured
    if (!isWanted(captured) || this.storing === MOST_AT_ONCE) return
    if (!this.turns.take(`${run.taskKey} ${run.code}`, this.deps.now())) return
    this.storing++
    const late = () => new Error(`it took longer than ${MOST_MS} ms`)
    try {
      await withTimeout(MOST_MS, this.store(captured), late)
    } catch (error) {
      this.deps.logger.warn(
        { err: error, run_id: run.runId, task: run.taskKey },
        'The last answers of a run could not be kept for the operator. The run itself is not affected.',
      )
    } finally {
      this.storing--
    }
  }

  private async store(captured: Captured): Promise<void> {
    const { run, source, expiresAt } = captured
    const { log, readModels, artifacts, now } = this.deps
    const cassette = await checked(captured)
    const body = await pack(cassette)
    const keys = Array.from({ length: MOST_CAPTURES }, (_, slot) => captureKey(run.taskKey, slot))
    const before = await readModels.getMany(captures, keys)
    const { ref, bytes, done } = artifacts.put(
      run.runId,
      CAPTURE.name,
      body,
      Math.min(expiresAt, now() + CAPTURE.keptMs),
    )
    await done
    const capture = {
      task_key: run.taskKey,
      run_id: run.runId,
      account_id: run.accountId,
      code: run.code,
      ref,
      bytes,
      exchanges: cassette.exchanges.length,
    }
    const { correlationId } = run
    const cause = { accountId: OPERATORS, correlationId, causationId: correlationId, now: now() }
    const { events } = await execute(
      log,
      sourceStream(source),
      sourceDecider,
      { type: 'capture', capture },
      cause,
    )
    const [stored] = events
    if (stored?.event.type !== 'CaptureStored') return
    const replaced = before[stored.event.data.slot]
    if (replaced && replaced.ref !== ref) await artifacts.remove(replaced.ref)
  }
}

const isWanted = ({ run: { status, code }, drifts }: Captured): boolean =>
  status === 'succeeded' ? drifts : isCapturedCode(code)

/** @throws {TypeError} when the process sent something else than a capture of this run */
async function checked({ run, text, states, credentials = {} }: Captured): Promise<Cassette> {
  const json: unknown = JSON.parse(text)
  const fault = cassetteFault(json)
  if (fault !== undefined) throw new TypeError(`its process sent no cassette: ${fault}`)
  const cassette = json as Cassette
  if (cassette.task !== run.taskKey) throw new TypeError('its process sent a cassette of another task')
  return withoutSecrets(cassette, [...states.flatMap(valuesIn), ...Object.values(credentials)])
}
