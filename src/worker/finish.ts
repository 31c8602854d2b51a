/**
 * The end of a run: stores its result and writes its terminal event.
 *
 * @module
 */
import type { Artifacts } from '../artifacts/artifacts.ts'
import { clock } from '../async/clock.ts'
import type { Outcome } from '../domain/run.ts'
import { reasonOf } from '../process/reason.ts'
import type { Attempt } from './attempt.ts'

/** The conclusion of a run. Only a succeeded run has a complete result; other runs keep what they collected. */
export type Conclusion =
  | { readonly status: 'succeeded'; readonly rest: string }
  | { readonly status: 'failed'; readonly code: string | null; readonly detail: string }
  | { readonly status: 'errored' | 'expired'; readonly code: string }

/** Results are kept a little longer than they are shown, in milliseconds. */
const SLACK_MS = 60_000

/** How long a run that is being cancelled tries to store its result, in milliseconds. Then it ends without. */
const CANCELLED_MS = 3000

type Expiry = { readonly now: () => number; readonly resultRetentionDays: number }

/** The expiry of data of a run, in milliseconds since 1970. @param end when the run ends at the latest; default: now */
export const expiryOf = ({ now, resultRetentionDays }: Expiry, end: number = now()): number =>
  end + resultRetentionDays * 86_400_000 + SLACK_MS

export type FinishDeps = Expiry & { readonly artifacts: Artifacts }

/** A run that is about to end: the parts of its attempt. */
type FinishedRun = Pick<Attempt, 'task' | 'lease' | 'login' | 'charges' | 'collected' | 'defect' | 'onFinish'>

/**
 * Ends a run, once. If the store stays unavailable, the run is left until its lease expires.
 *
 * @throws when even an end without a result can't be written
 */
export async function finishRun(deps: FinishDeps, it: FinishedRun, conclusion: Conclusion): Promise<void> {
  let cancellingSince: number | undefined
  try {
    await it.lease.persist(async () => {
      if (it.lease.state.status === 'cancelling') cancellingSince ??= clock.monotonic()
      if (clock.monotonic() - (cancellingSince ?? Infinity) >= CANCELLED_MS) it.collected.clear()
      await write(deps, it, await it.login.judge(conclusion))
    })
  } catch (error) {
    // The collected result may be the reason for the failure, so the run ends without it.
    it.collected.clear()
    const defect = it.defect(reasonOf(error))
    await it.lease.persist(() => write(deps, it, defect))
  }
}

async function write(deps: FinishDeps, it: FinishedRun, judged: Conclusion): Promise<void> {
  const { charges, lease, collected } = it
  const { cost, conclusion } = await charges.costOf(judged, (why) => it.defect(why))
  const { result, stored } = store(deps, it, conclusion)
  // A refused command never awaits it.
  stored?.catch(() => {})
  const code = conclusion.status === 'succeeded' ? null : conclusion.code
  const outcome: Outcome = { status: conclusion.status, code, result, ...cost, progress: collected.progress }
  const command = { type: 'finish', attempt: lease.run.attempt, outcome } as const
  await lease.execute(command, { after: [stored], onSent: it.onFinish })
}

/** Stores the items and files of a run, if any. A cancelled run's result counts as partial, even if it is complete. */
function store(deps: FinishDeps, { collected, lease, task }: FinishedRun, conclusion: Conclusion) {
  const isComplete = conclusion.status === 'succeeded' && lease.state.status !== 'cancelling'
  const detail = (conclusion.status === 'failed' && conclusion.detail) || null
  const body = collected.result(isComplete ? conclusion.rest : undefined, detail, task?.task)
  if (body === undefined) return {}
  const { done, ref, bytes, sha256 } = deps.artifacts.put(lease.run.runId, 'result', body, expiryOf(deps))
  const result = { ref, bytes, sha256, item_count: collected.count, partial: !isComplete }
  return { result, stored: done }
}
