/**
 * The run in the path of a page, and its input.
 *
 * @module
 */
import { parseRunId } from '../../../domain/ids.ts'
import type { AdmittedRun } from '../../../domain/run.ts'
import { findRun } from '../../../http/routes/one-run.ts'
import { decodeInput } from '../../../runs/input.ts'
import type { Seen } from '../../../runs/runs.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { hasExpired } from '../runs/words.ts'

/** @throws {Problem} 404, also for a run of another account */
export const seenIn = (visitor: AccountVisitor): Promise<Seen<AdmittedRun>> =>
  findRun(visitor.deps, { params: visitor.call.params, key: visitor })

/** The input of a run; undefined if the run does not exist or its input has expired. */
export async function inputOf(
  visitor: AccountVisitor,
  id: string,
): Promise<StoredInput['input'] | undefined> {
  const runId = parseRunId(id)
  const run = runId && (await visitor.deps.runs.find(runId, visitor.accountId))
  return run && (await storedInput(visitor, run.state))?.input
}

/** The input of a run with its title. */
export type StoredInput = { readonly input: Readonly<Record<string, unknown>>; readonly title: string | null }

/** The stored input of a run; undefined if it has expired, which follows from the clock, or was deleted. */
export async function storedInput(
  { deps, call }: AccountVisitor,
  run: AdmittedRun,
): Promise<StoredInput | undefined> {
  if (hasExpired(deps, run)) return undefined
  const body = await call.time.except(deps.artifacts.get(run.inputRef))
  if (!body) return undefined
  const { title, input } = decodeInput(body)
  return { title, input: JSON.parse(input) }
}
