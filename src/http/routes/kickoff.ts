/**
 * Calls of task endpoints: from the request to the run and its response.
 *
 * @module
 */
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import type { ValidInput } from '../../catalogue/input.ts'
import { oneLine } from '../../catalogue/summary.ts'
import { kickoffRefusal } from '../../domain/account.ts'
import type { AccountId, KeyId } from '../../domain/ids.ts'
import { isEnded } from '../../domain/run.ts'
import type { Issue } from '../../plugin.ts'
import type { Admission, RunRequest } from '../../runs/admit.ts'
import type { Deps } from '../deps.ts'
import type { Call } from '../endpoint.ts'
import { invalid, Problem, problemOfRefusal } from '../problems.ts'
import { runAnswer, runHeaders, waitForEnd } from './one-run.ts'

/** Seconds after which a client may poll if the run did not end during its sync call: the API's first polling delay. */
const POLL_AFTER_S = 3
/** A time before any date in an input, in milliseconds since 1970. */
const LONG_AGO = 0
/** Retry-After if another request with the same Idempotency-Key is in progress, in seconds. */
const IN_PROGRESS_RETRY_S = 1

/** The input of a call. `issues`: it was once valid, but a date in it has passed, so only a repeat may have it. */
export type TaskInput = { readonly valid: ValidInput; readonly issues?: readonly Issue[] }
/** A call that requests a run. */
type RunCall = Pick<Call, 'idempotencyKey' | 'requestId' | 'cause' | 'time'> & {
  readonly input: TaskInput
  /** the page of the console to which a sign-in leads back, if the call needs one first; see `SignInLink` */
  readonly returnTo?: string
}
/** The requester of a run: a key of the account. `keyId` is null if a person requests the run. */
export type Asker = { readonly accountId: AccountId; readonly keyId: KeyId | null }

/** The run of a call, new or replayed. */
type Admitted = Admission & { readonly kind: 'admitted'; readonly sync: boolean }

/**
 * Starts a run, or finds the run of the Idempotency-Key.
 *
 * @returns 202 with the run; 200 if the run ended during a sync call
 * @throws {Problem} if no run is admitted
 */
export async function kickoff(
  deps: Deps,
  task: CatalogueTask,
  call: Omit<Call, 'input'> & RunCall,
): Promise<Response> {
  const { sync, replayed, run: admitted } = await admitCall(deps, task, call, call.key)
  const run = sync ? await waitForEnd(deps, admitted, deps.config.syncWaitS, call) : admitted
  const isSeenEnded = sync && isEnded(run)
  return runAnswer(deps, call, run, isSeenEnded ? 200 : 202, {
    ...runHeaders(deps, run.runId),
    ...(replayed ? { 'idempotency-replayed': 'true' } : {}),
    ...(sync && !isSeenEnded ? { 'retry-after': String(POLL_AFTER_S) } : {}),
  })
}

/** Admits the run that a call requests, or finds the run admitted earlier. @throws {Problem} as {@link kickoff} */
export async function admitCall(
  deps: Deps,
  task: CatalogueTask,
  call: RunCall,
  { accountId, keyId }: Asker,
): Promise<Admitted> {
  const { idempotencyKey } = call
  const { valid, issues } = call.input
  const request: RunRequest = {
    accountId,
    keyId,
    actor: call.cause.actor ?? 'service',
    taskKey: task.key,
    price: task.price(valid.input),
    input: valid.canonical,
    title: (valid.title && oneLine(valid.title)) || summaryOf(deps, task, valid),
    runLimitS: task.runLimitS,
    failedOnly: task.declaration.failedOnly ?? false,
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

/** The summary of an input. One that fails must not fail the call. Its error may contain words of the input. */
function summaryOf({ logger }: Deps, task: CatalogueTask, { sent }: ValidInput): string | null {
  try {
    return task.summary(sent)
  } catch (error) {
    const name = error instanceof Error ? error.name : typeof error
    logger.warn({ task: task.key, error: name }, 'The summary of an input failed, so its run has no title.')
    return null
  }
}

/** Reads the input of a call from its body and its path. @throws {Problem} 400, 413, 415, 422 */
export async function readInput(
  task: CatalogueTask,
  call: Pick<Call, 'body' | 'params'>,
  now: number,
): Promise<TaskInput> {
  const body = await call.body()
  if (body === undefined && needsBody(task)) {
    throw new Problem('malformed-json', { detail: 'The body is missing. Send a JSON object in UTF-8.' })
  }
  return taskInput(task, body ?? {}, call.params, now)
}

/** Validates the input of a call. @param path the fields that are in the path @throws {Problem} 422 */
export function taskInput(
  task: CatalogueTask,
  body: Readonly<Record<string, unknown>>,
  path: Call['params'],
  now: number,
): TaskInput {
  const valid = task.validate(body, path, now)
  if ('canonical' in valid) return { valid }
  const once = task.validate(body, path, LONG_AGO)
  if ('canonical' in once) return { valid: once, issues: valid }
  throw invalid(valid)
}

/** Whether a call must have a body, because a required field is not in the path. */
function needsBody(task: CatalogueTask): boolean {
  const { required = [] } = task.declaration.input as { readonly required?: readonly string[] }
  return required.some((name) => !task.paths.some((path) => path.split('/').includes(`:${name}`)))
}

/**
 * Checks that the account is signed in at the source, if the task needs a login.
 *
 * @returns undefined if the run may be admitted; otherwise the existing run of the Idempotency-Key, or the reason why
 *   the account may not start a run
 * @throws {Problem} 428 with a new link
 */
async function checkLogin(
  deps: Deps,
  { declaration: task, source }: CatalogueTask,
  request: RunRequest,
  { cause, returnTo }: Pick<RunCall, 'cause' | 'returnTo'>,
): Promise<Admission | undefined> {
  if (task.needs?.login !== true) return undefined
  const { accountId, taskKey, price } = request
  if (await deps.logins.usable(accountId, source.name)) return undefined
  const known = await deps.admit.replayed(request)
  if (known) return known
  const refusal = kickoffRefusal(await deps.accounts.state(accountId), taskKey, price)
  if (refusal) return { kind: 'refused', refusal }
  const hosted = await deps.logins.ask(accountId, source.name, 'call', cause, { returnTo })
  throw new Problem('login-required', { extras: { ...hosted, source: source.name } })
}

function refused(admission: Exclude<Admission, { readonly kind: 'admitted' }>, hasKey: boolean): Problem {
  if (admission.kind === 'key-reused') return new Problem('idempotency-key-reused')
  const refusal = admission.kind === 'refused' && problemOfRefusal(admission.refusal)
  if (refusal) return refusal
  // Without a key no other request can be in progress: the account was too busy to be charged in time.
  return new Problem(hasKey ? 'idempotency-in-progress' : 'store-unavailable', {
    extras: { retry_after_s: IN_PROGRESS_RETRY_S },
  })
}
