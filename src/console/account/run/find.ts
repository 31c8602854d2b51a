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

/** @throws {Problem} 404, also for a run of another account */
export const seenIn = (visitor: AccountVisitor): Promise<Seen<AdmittedRun>> =>
  findRun(visitor.deps, { params: visitor.call.params, key: visitor })

/** The input of a run; undefined if the run does not exist or its input has expired. */
export async function inputOf(
  { deps, accountId }: AccountVisitor,
  id: string,
): Promise<Record<string, unknown> | undefined> {
  const runId = parseRunId(id)
  const run = runId && (await deps.runs.find(runId, accountId))
  const body = run && (await deps.artifacts.get(run.state.inputRef))
  return body && JSON.parse(decodeInput(body).input)
}
