/**
 * The end of a run: its result stored, and its terminal event written.
 *
 * @module
 */
import type { Artifacts } from '../artifacts/artifacts.ts'
import type { HeldRun, Progress } from '../domain/run.ts'
import type { Task } from '../plugin.ts'
import type { Charges } from './charges.ts'
import { type Collected, endingOf, type Finding } from './ending.ts'
import type { Held } from './held.ts'
import { reasonOf } from './process/child/execution.ts'
import type { RunLogin } from './run-login.ts'

/** Results are kept a little longer than they are shown, in milliseconds. */
const SLACK_MS = 60_000

/** Until when what is stored now is kept, in milliseconds since 1970. */
export const expiryOf = (deps: {
  readonly now: () => number
  readonly resultRetentionDays: number
}): number => deps.now() + deps.resultRetentionDays * 86_400_000 + SLACK_MS

/** A run that is about to end. */
export type FinishedRun = {
  readonly run: HeldRun
  readonly task: Task | undefined
  readonly artifacts: Artifacts
  readonly held: Held
  readonly login: RunLogin
  readonly charges: Charges
  readonly collected: Collected
  /** milliseconds since 1970: how long its result is kept */
  readonly expiresAt: () => number
  readonly progress: () => Progress
  /** a defect as an end; what is behind it goes to the log */
  readonly errored: (why: string) => Finding
  /** told of the append as soon as it is on its way */
  readonly onEnding: (written: Promise<unknown>) => void
}

/**
 * Ends a run, once. Where the store stays away, the run is left to its lease.
 *
 * @throws when even an end without a result can't be written
 */
export async function finishRun(it: FinishedRun, finding: Finding): Promise<void> {
  try {
    await it.held.persist(async () => write(it, await it.login.judge(finding)))
  } catch (error) {
    // What the run brought may be what can't be written: it ends without.
    it.collected.clear()
    const defect = it.errored(reasonOf(error))
    await it.held.persist(() => write(it, defect))
  }
}

async function write(it: FinishedRun, judged: Finding): Promise<void> {
  const { artifacts, charges, collected, held, run, task } = it
  const { cost, told } = await charges.costOf(judged, it.errored)
  const { outcome, stored } = endingOf(told, collected, {
    artifacts,
    runId: run.runId,
    task,
    expiresAt: it.expiresAt(),
    cancelled: held.state.status === 'cancelling',
  })
  // A refused command never gets to wait for it.
  stored?.catch(() => {})
  const ended = { ...outcome, ...cost, progress: it.progress() }
  await held.give(
    { type: 'finish', attempt: run.attempt, outcome: ended },
    { after: [stored], onSent: it.onEnding },
  )
}
