/**
 * What all endpoints of runs share: who may call them, and the run that a path names.
 *
 * @module
 */
import { parseRunId } from '../../domain/ids.ts'
import type { AdmittedRun } from '../../domain/run.ts'
import type { KeyPrincipal } from '../../keys/principal.ts'
import type { Seen } from '../../runs/runs.ts'
import type { Deps } from '../deps.ts'
import type { Call } from '../endpoint.ts'
import { Problem } from '../problems.ts'

/** How every endpoint of runs may be called. Cancelling counts as reading: it must not wait for a kickoff's turn. */
export const RUNS = { access: { kind: 'key', scope: 'runs', operator: false }, rate: 'read' } as const

/**
 * The run that a call's path names, as it is right now.
 *
 * @throws {Problem} 404 for an unknown one and for another account's: the same for both
 */
export const findRun = async (deps: Deps, call: Call<KeyPrincipal>): Promise<AdmittedRun> =>
  (await findSeen(deps, call)).state

/** The same, with where its stream stands. */
export async function findSeen(
  deps: Deps,
  { params, principal }: Call<KeyPrincipal>,
): Promise<Seen<AdmittedRun>> {
  const id = parseRunId(params.run_id ?? '')
  const seen = id && (await deps.runs.find(id, principal.accountId))
  if (!seen) throw new Problem('not-found')
  return seen
}
