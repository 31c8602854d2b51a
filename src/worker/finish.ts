/**
 * The end of a run: what its execution came to, its result stored, and its terminal event written.
 *
 * @module
 */
import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Outcome } from '../domain/run.ts'
import { reasonOf } from '../process/child-side.ts'
import type { Attempt } from './attempt.ts'
import { type ExecutionResult, isFault } from './process/child-process.ts'

/** What became of a run. Only a succeeded one is complete; of any other what it collected is kept. */
export type Conclusion =
  | { readonly status: 'succeeded'; readonly rest: string }
  | { readonly status: 'failed'; readonly code: string | null; readonly detail: string }
  | { readonly status: 'errored' | 'expired'; readonly code: string }

/**
 * What a run's end is by how its execution ended; undefined when that says nothing: the plugin was stopped, or lost with
 * its process.
 *
 * @param errored a fault of ours as an end; its reason is for the log
 */
export function conclusionOf(
  result: ExecutionResult,
  errored: (code: string, reason: string) => Conclusion,
): Conclusion | undefined {
  if (result.kind === 'died') return isFault(result.cause) ? errored(result.cause, result.reason) : undefined
  const { end } = result
  if (end.status === 'stopped') return undefined
  return end.status === 'errored' ? errored(end.code, end.reason) : end
}

/** Results are kept a little longer than they are shown, in milliseconds. */
const SLACK_MS = 60_000

type Expiry = { readonly now: () => number; readonly resultRetentionDays: number }

/** Until when what is stored now is kept, in milliseconds since 1970. */
export const expiryOf = ({ now, resultRetentionDays }: Expiry): number =>
  now() + resultRetentionDays * 86_400_000 + SLACK_MS

export type FinishDeps = Expiry & { readonly artifacts: Artifacts }

/** A run that is about to end: what its attempt has of it. */
type FinishedRun = Pick<Attempt, 'task' | 'lease' | 'login' | 'charges' | 'collected' | 'defect' | 'onFinish'>

/**
 * Ends a run, once. Where the store stays away, the run is left to its lease.
 *
 * @throws when even an end without a result can't be written
 */
export async function finishRun(deps: FinishDeps, it: FinishedRun, conclusion: Conclusion): Promise<void> {
  try {
    await it.lease.persist(async () => write(deps, it, await it.login.judge(conclusion)))
  } catch (error) {
    // What the run brought may be what can't be written: it ends without.
    it.collected.clear()
    const defect = it.defect(reasonOf(error))
    await it.lease.persist(() => write(deps, it, defect))
  }
}

async function write(deps: FinishDeps, it: FinishedRun, judged: Conclusion): Promise<void> {
  const { charges, lease, collected } = it
  const { cost, conclusion } = await charges.costOf(judged, (why) => it.defect(why))
  const { result, stored } = store(deps, it, conclusion)
  // A refused command never gets to wait for it.
  stored?.catch(() => {})
  const code = conclusion.status === 'succeeded' ? null : conclusion.code
  const outcome: Outcome = { status: conclusion.status, code, result, ...cost, progress: collected.progress }
  const command = { type: 'finish', attempt: lease.run.attempt, outcome } as const
  await lease.execute(command, { after: [stored], onSent: it.onFinish })
}

/** Stores what a run collected, when there is anything to keep. A cancelled run brings a part, even when it is all. */
function store(deps: FinishDeps, { collected, lease, task }: FinishedRun, conclusion: Conclusion) {
  const isComplete = conclusion.status === 'succeeded' && lease.state.status !== 'cancelling'
  const detail = (conclusion.status === 'failed' && conclusion.detail) || null
  const body = collected.result(isComplete ? conclusion.rest : undefined, detail, task?.task)
  if (body === undefined) return {}
  const { done, ref, bytes, sha256 } = deps.artifacts.put(lease.run.runId, 'result', body, expiryOf(deps))
  const result = { ref, bytes, sha256, item_count: collected.count, partial: !isComplete }
  return { result, stored: done }
}
