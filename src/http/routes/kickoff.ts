/**
 * Calls of task endpoints: from a request to a run, and to the answer that shows it.
 *
 * @module
 */
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import type { ValidInput } from '../../catalogue/input.ts'
import { kickoffRefusal } from '../../domain/account.ts'
import type { AccountId, KeyId } from '../../domain/ids.ts'
import { isEnded } from '../../domain/run.ts'
import type { Issue } from '../../plugin.ts'
import type { Admission, RunRequest } from '../../runs/admit.ts'
import { json } from '../answers.ts'
import type { Deps } from '../deps.ts'
import type { Call } from '../endpoint.ts'
import { invalid, Problem } from '../problems.ts'
import { waitForEnd } from './find-run.ts'
import { hostedFields } from './logins.ts'

/** Seconds after which a client may poll a run that its sync call did not see end: the first delay of the spec. */
const POLL_AFTER_S = 3
/** A time before the days in any input, in milliseconds since 1970. */
const LONG_AGO = 0
/** Seconds after which a request may be repeated whose Idempotency-Key is in use right now. */
const IN_PROGRESS_RETRY_S = 1

/** A call that asks for a run. */
type RunCall = Pick<Call, 'params' | 'idempotencyKey' | 'requestId' | 'cause' | 'time' | 'body'>
/** Who asks for it: a key of the account, or null where a person does. */
type Asker = { readonly accountId: AccountId; readonly keyId: KeyId | null }

/** A run that a call stands for. */
type Admitted = Admission & { readonly kind: 'admitted'; readonly sync: boolean }

/**
 * Starts a run, or finds the one that the Idempotency-Key stands for.
 *
 * @returns 202 with the run; 200 when a sync call saw its end
 * @throws {Problem} whatever the contract has for requests that admit nothing
 */
export async function kickoff(deps: Deps, task: CatalogueTask, call: Call): Promise<Response> {
  const { sync, replayed, run: admitted } = await admitCall(deps, task, call, call.key)
  const run = sync ? await waitForEnd(deps, admitted, deps.config.syncWaitS, call) : admitted
  const isSeenEnded = sync && isEnded(run)
  return json(await call.time.except(deps.runs.render(run)), isSeenEnded ? 200 : 202, {
    'run-id': run.runId,
    location: `/v1/runs/${run.runId}`,
    ...(replayed ? { 'idempotency-replayed': 'true' } : {}),
    ...(sync && !isSeenEnded ? { 'retry-after': String(POLL_AFTER_S) } : {}),
  })
}

/** Admits the run that a call asks for, or finds the one that was. @throws {Problem} as {@link kickoff} */
export async function admitCall(
  deps: Deps,
  task: CatalogueTask,
  call: RunCall,
  { accountId, keyId }: Asker,
): Promise<Admitted> {
  const { idempotencyKey } = call
  const { valid, issues } = await inputOf(task, call, deps.now())
  const request: RunRequest = {
    accountId,
    keyId,
    actor: call.cause.actor ?? 'service',
    taskKey: task.key,
    price: task.price(valid.input),
    input: valid.canonical,
    runLimitS: task.runLimitS,
    failedOnly: task.task.failedOnly ?? false,
    idempotencyKey,
    requestId: call.requestId,
  }
  const admission = await deps.admit.inTurn(accountId, idempotencyKey, async () => {
    call.time.check()
    const known = await (issues ? deps.admit.replayed(request) : checkLogin(deps, task, request, call))
    if (issues && known?.kind !== 'admitted') throw invalid(issues)
    call.time.check()
    return known ?? (await deps.admit.admit(request))
  })
  if (admission.kind !== 'admitted') throw refused(admission, idempotencyKey !== undefined)
  return { ...admission, sync: valid.sync }
}

/**
 * The input of a call.
 *
 * @returns with `issues` if the input was valid once, but a day in it has passed: it may be the repeat of an earlier
 *   call, and is refused otherwise
 */
async function inputOf(
  task: CatalogueTask,
  call: Pick<RunCall, 'body' | 'params'>,
  now: number,
): Promise<{ readonly valid: ValidInput; readonly issues?: readonly Issue[] }> {
  const body = await call.body()
  if (body === undefined && needsBody(task)) {
    throw new Problem('malformed-json', { detail: 'The body is missing. Send a JSON object in UTF-8.' })
  }
  const valid = task.validate(body ?? {}, call.params, now)
  if ('canonical' in valid) return { valid }
  const once = task.validate(body ?? {}, call.params, LONG_AGO)
  if ('canonical' in once) return { valid: once, issues: valid }
  throw invalid(valid)
}

/** Whether a call must have a body: a required field is not in the path. */
function needsBody(task: CatalogueTask): boolean {
  const { required = [] } = task.task.input as { readonly required?: readonly string[] }
  return required.some((name) => !task.paths.some((path) => path.split('/').includes(`:${name}`)))
}

/**
 * Checks that the account is signed in at the source of a task that needs it.
 *
 * @returns undefined when the run may be admitted; else the run that the Idempotency-Key already stands
 *   for, or why the account may not start one
 * @throws {Problem} 428 with a new link
 */
async function checkLogin(
  deps: Deps,
  { task, source }: CatalogueTask,
  request: RunRequest,
  { cause }: Pick<RunCall, 'cause'>,
): Promise<Admission | undefined> {
  if (task.needs?.login !== true) return undefined
  const { accountId, taskKey, price } = request
  if (await deps.logins.usable(accountId, source.name)) return undefined
  const known = await deps.admit.replayed(request)
  if (known) return known
  const refusal = kickoffRefusal(await deps.ledger.state(accountId), taskKey, price)
  if (refusal) return { kind: 'refused', refusal }
  const hosted = await deps.logins.ask(accountId, source.name, 'call', cause)
  throw new Problem('login-required', { extras: { ...hostedFields(hosted), source: source.name } })
}

function refused(admission: Exclude<Admission, { readonly kind: 'admitted' }>, hasKey: boolean): Problem {
  if (admission.kind === 'key-reused') return new Problem('idempotency-key-reused')
  if (admission.kind === 'refused') {
    const { code, ...extras } = admission.refusal
    return new Problem(code, { extras })
  }
  // Without a key there is no other request: the account was too busy to be charged in time.
  return new Problem(hasKey ? 'idempotency-in-progress' : 'store-unavailable', {
    extras: { retry_after_s: IN_PROGRESS_RETRY_S },
  })
}
