/**
 * Tools that start, show and cancel runs. They show the number of items and how to get them, not the items.
 *
 * @module
 */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { Type } from '@sinclair/typebox'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import { didYouMean } from '../catalogue/names.ts'
import { whatToDo } from '../domain/codes.ts'
import { type AdmittedRun, isEnded, refundOf } from '../domain/run.ts'
import { idempotencyKeyIssue } from '../http/idempotency.ts'
import { checked } from '../http/input.ts'
import { invalid, invalidAt, Problem } from '../http/problems.ts'
import { admitCall, taskInput } from '../http/routes/kickoff.ts'
import { findRun, waitForEnd } from '../http/routes/one-run.ts'
import { cancelRun as cancel } from '../http/routes/runs.ts'
import type { Issue } from '../plugin.ts'
import { errorOf, filesOf, keptUntil } from '../runs/run-object.ts'
import { asData } from './data.ts'
import { asRepeat } from './repeats.ts'
import { hasNoItems, linesOf, result, shownCall, type Tool, type ToolCall } from './tool.ts'

/** How long a call waits for its run, in seconds: clients give up on a tool after 60. */
export const WAIT_S = 45
/** Suggested delay before polling a run that has not ended, in seconds. */
const ASK_AGAIN_S = 10
const MOST_FILES = 20

const OneRun = Type.Object({ run_id: Type.String({ maxLength: 100 }) })
const RunTask = Type.Object({
  task_key: Type.String({ maxLength: 200 }),
  input: Type.Object({}, { additionalProperties: true, description: 'As describe_task shows.' }),
  idempotency_key: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'Calls with the same key and the same input share one run, charged once.',
    }),
  ),
})

export const runTask: Tool = {
  name: 'run_task',
  description: `Runs a task, which costs credits, and waits up to ${WAIT_S} s for its end. Returns the number of items; get_items returns them.`,
  inputSchema: RunTask,
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  startsRun: true,
  async call(call) {
    const { task_key, input, idempotency_key } = checked(RunTask, call.args)
    return start(call, taskOf(call, task_key), input, '/input', idempotency_key)
  },
}

export const getRun: Tool = {
  name: 'get_run',
  description: 'Shows how a run is doing, or how it ended.',
  inputSchema: OneRun,
  annotations: { readOnlyHint: true },
  call: async (call) => shown(call, await runOf(call, checked(OneRun, call.args).run_id)),
}

export const cancelRun: Tool = {
  name: 'cancel_run',
  description: 'Cancels a run. Items collected so far are kept, and the credits are refunded.',
  inputSchema: OneRun,
  annotations: { readOnlyHint: false, destructiveHint: true },
  call: async (call) => shown(call, await cancel(call.deps, { ...call, params: checked(OneRun, call.args) })),
}

/** A run of the account. @throws {Problem} 404 */
export const runOf = async ({ deps, key }: ToolCall, run_id: string): Promise<AdmittedRun> =>
  (await findRun(deps, { key, params: { run_id } })).state

/** The task with a key. @throws {Problem} 422 with a similar known key */
export function taskOf({ deps: { catalogue } }: Pick<ToolCall, 'deps'>, key: string): CatalogueTask {
  const task = catalogue.get(key)
  if (task) return task
  const keys = catalogue.tasks.map((each) => each.key)
  const detail = `is not a known task${didYouMean(key, keys) || ';'} find_tasks lists all`
  throw invalidAt('/task_key', 'unknown-value', detail)
}

/**
 * Starts a run, or finds the run that the same call started earlier, and waits for its end.
 *
 * @param at JSON pointer to the input within the arguments
 */
export async function start(
  call: ToolCall,
  task: CatalogueTask,
  input: Readonly<Record<string, unknown>>,
  at: string,
  ownKey?: string,
): Promise<CallToolResult> {
  // `_run` controls HTTP responses and does not apply to tools.
  if (Object.hasOwn(input, '_run')) throw invalidAt(`${at}/_run`, 'unknown-field', 'is not a known field')
  const { deps, key, requestId, cause, time, waitS } = call
  const admit = async (idempotencyKey: string) => {
    try {
      const valid = taskInput(task, { ...input }, {}, deps.now())
      return await admitCall(deps, task, { idempotencyKey, requestId, cause, time, input: valid }, key)
    } catch (error) {
      throw pointedAt(error, at)
    }
  }
  const { run } = await (ownKey === undefined ? asRepeat(call, admit) : admit(checkedKey(ownKey)))
  return shown(call, await waitForEnd(deps, run, waitS, call))
}

/** @throws {Problem} 422 for an invalid Idempotency-Key */
function checkedKey(key: string): string {
  const issue = idempotencyKeyIssue(key)
  if (issue === undefined) return key
  throw invalidAt('/idempotency_key', 'bad-format', issue)
}

/** Converts pointers into the input to pointers into the arguments. */
function pointedAt(error: unknown, at: string): unknown {
  if (!(error instanceof Problem) || error.code !== 'validation-failed') return error
  const issues = (error.options.extras?.errors ?? []) as readonly Issue[]
  return invalid(issues.map((issue) => ({ ...issue, pointer: at + issue.pointer })))
}

/** A run, without its items. */
async function shown(call: ToolCall, run: AdmittedRun): Promise<CallToolResult> {
  const { deps, time } = call
  const { runId: run_id, taskKey: task_key, status: run_status } = run
  const until = keptUntil(run, deps.config.resultRetentionDays)
  const expired = until !== null && deps.now() >= until
  const items = expired ? 0 : (run.result?.item_count ?? 0)
  const ended = isEnded(run)
  const tool = ended ? 'get_items' : 'get_run'
  // The call to make next.
  const hasResult = items > 0 || (hasNoItems(deps.catalogue.get(task_key)) && run.result !== null && !expired)
  const next = !ended || hasResult ? { tool, arguments: { run_id } } : null
  const credits = { charged: run.charged, refunded: refundOf(run) }
  const head = ended ? await time.except(deps.runs.head(run)) : null
  const error = errorOf(run, head?.detail ?? null)
  const files = (head ? filesOf(run, head) : []).map(({ name, content_type, bytes }) => {
    const path = `${deps.config.publicUrl}/v1/runs/${run_id}/artifacts/${encodeURIComponent(name)}`
    return `${path} (${content_type}, ${bytes} bytes)`
  })
  const of = run.progress.total === null ? '' : ` of ${run.progress.total}`
  const hasFiles = files.length > 0
  const text = linesOf(
    `Run ${run_id} of ${task_key}: ${run_status}.`,
    ended
      ? `Items: ${items}${run.status === 'succeeded' || items === 0 ? '' : ', collected before its end'}.`
      : `Done so far: ${run.progress.done}${of}.`,
    expired && 'Its result was deleted, since it is older than results are kept. Run the task again.',
    `Credits: ${credits.charged} charged, ${credits.refunded} refunded.`,
    error && `Error ${error.code}: ${error.title}`,
    error && `What to do: ${whatToDo(error.code)}`,
    next && `Next: ${shownCall(next.tool, next.arguments)}`,
    !ended && `The run continues. Ask again after ${ASK_AGAIN_S} s.`,
    error && error.detail !== error.title && asData(error.detail),
    hasFiles && `Files: ${files.length}. Download them with the API key as Bearer.`,
    hasFiles && asData(files.slice(0, MOST_FILES).join('\n')),
  )
  return result(text, {
    run_id,
    run_status,
    task_key,
    items,
    credits,
    error: error && { code: error.code, title: error.title },
    next,
  })
}
