/**
 * Running a run again with its input.
 *
 * @module
 */
import type { CatalogueTask } from '../../../catalogue/catalogue.ts'
import type { AdmittedRun } from '../../../domain/run.ts'
import { html } from '../../../html.ts'
import { Problem } from '../../../http/problems.ts'
import { admitCall, type TaskInput, taskInput } from '../../../http/routes/kickoff.ts'
import { alert } from '../../components/parts.ts'
import { type Form, formOf, submissionOf } from '../../form.ts'
import { seeOther } from '../../redirect.ts'
import { showOnce } from '../../shown-once.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { type StoredInput, seenIn, storedInput } from './find.ts'

/** A run that can be started again. */
export type Repeat = {
  readonly task: CatalogueTask
  readonly input: TaskInput
  /** credits that it charges at the start; a price by blocks may charge more later */
  readonly price: number
}

/**
 * A run as it would be started again; otherwise a phrase that says why it cannot be.
 *
 * @param stored its input; undefined if it has expired
 */
export function repeatOf(
  { deps }: AccountVisitor,
  run: AdmittedRun,
  stored: StoredInput | undefined,
): Repeat | string {
  const task = deps.catalogue.get(run.taskKey)
  if (!task) return 'its task is no longer offered'
  if (!stored) return 'its input is no longer stored'
  try {
    const { valid, ...rest } = taskInput(task, stored.input, {}, deps.now())
    // A title that its caller chose is kept; a summary is the same again.
    const input = { ...rest, valid: { ...valid, title: stored.title ?? undefined } }
    return { task, input, price: task.price(valid.input) }
  } catch (error) {
    if (error instanceof Problem) return 'its input is not valid any more'
    throw error
  }
}

/**
 * Starts a run again. A form that is sent twice starts it once.
 *
 * @param sent the form, with a submission key
 * @throws {Problem} as the kickoff of its task
 */
export async function startAgain(
  visitor: AccountVisitor,
  { runId }: AdmittedRun,
  { task, input }: Repeat,
  sent: Form,
): Promise<AdmittedRun> {
  const { deps, call, accountId, cause } = visitor
  await call.count('kickoff', accountId)
  const { requestId, time } = call
  const idempotencyKey = submissionOf(sent, ['again', runId])
  const returnTo = `/console/${accountId}/runs/${runId}`
  const kickoff = { idempotencyKey, requestId, time, cause, input, returnTo }
  return (await admitCall(deps, task, kickoff, { accountId, keyId: null })).run
}

/** The form of "Run again with this input" leads to the new run, or back with the reason why there is none. */
export async function again(visitor: AccountVisitor): Promise<Response> {
  const { own } = visitor
  const { state: run } = await seenIn(visitor)
  const path = `${own}/runs/${run.runId}`
  const repeat = repeatOf(visitor, run, await storedInput(visitor, run))
  if (typeof repeat === 'string')
    return showOnce(visitor, path, html`${alert(`This run cannot be started again: ${repeat}.`)}`)
  try {
    const { runId } = await startAgain(visitor, run, repeat, formOf(visitor))
    return seeOther(`${own}/runs/${runId}`)
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return showOnce(visitor, path, html`${alert(refusal(visitor, error))}`)
  }
}

/** Why a run was not started, with the way out. */
export function refusal({ own }: AccountVisitor, { code, message, options }: Problem) {
  if (code === 'login-required') {
    const { hosted_url = '' } = options.extras as { hosted_url?: string }
    return html`This task needs a login. <a href="${hosted_url}">Sign in</a>, and run it again afterwards.`
  }
  return code === 'insufficient-credits'
    ? html`${message} See <a href="${own}/credits">Credits</a>.`
    : message
}
