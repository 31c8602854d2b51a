/**
 * Task calls that need a login: without a usable one the answer is where to sign in, and nothing has happened.
 *
 * @module
 */
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import { kickoffRefusal } from '../../domain/account.ts'
import type { Admission, RunRequest } from '../../runs/admit.ts'
import type { Deps } from '../deps.ts'
import { Problem } from '../problems.ts'
import { hostedFields } from './logins.ts'

/**
 * Lets a call pass whose account is signed in at the task's source.
 *
 * @returns undefined when it may be admitted; else what the call stands for already: the run of its Idempotency-Key, or
 *   why the account may not start it at all
 * @throws {Problem} 428 with a new link
 */
export async function loginGate(
  deps: Deps,
  { task, source }: CatalogueTask,
  request: RunRequest,
): Promise<Admission | undefined> {
  if (task.needs?.login !== true) return undefined
  const { accountId, taskKey, price, requestId } = request
  if (await deps.logins.usable(accountId, source.name)) return undefined
  const known = await deps.admit.replayed(request)
  if (known) return known
  const refusal = kickoffRefusal(await deps.ledger.state(accountId), taskKey, price)
  if (refusal) return { kind: 'refused', refusal }
  const now = deps.now()
  const cause = { correlationId: requestId, causationId: requestId, now }
  const hosted = await deps.logins.ask(accountId, source.name, 'call', cause)
  throw new Problem('login-required', { extras: { ...hostedFields(hosted), source: source.name } })
}
