/**
 * The endpoints of runs: listing an account's runs, reading a run, and cancelling it. Downloads and events of runs are
 * in separate files.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import pLimit from 'p-limit'
import { runs } from '../../../projections/runs.ts'
import { type AdmittedRun, isAdmitted, RUN_STATUSES } from '../../domain/run.ts'
import { RunSchema } from '../../runs/run-schema.ts'
import { OneOf } from '../../schema.ts'
import { json } from '../answers.ts'
import type { Deps } from '../deps.ts'
import { type Call, type Endpoint, pageOf, reply } from '../endpoint.ts'
import { page } from '../lists.ts'
import { PAGE, RUN_CANCELLED, RUN_SUCCEEDED } from '../openapi/schemas.ts'
import { Problem } from '../problems.ts'
import { downloadArtifact, runItems } from './downloads.ts'
import { runEvents } from './events.ts'
import type { Asker } from './kickoff.ts'
import { findRun, runAnswer, runHeaders, runIdOf, runRoute, waitForEnd } from './one-run.ts'

/** Reads from the store at once for the runs of a list, which hides the latency of a remote one. */
const reading = pLimit(16)

/** A run in a list. */
const ListedRun = Type.Unsafe<object>({
  allOf: [RunSchema, Type.Object({ result: Type.Null({ description: 'Always null in a list.' }) })],
  examples: [{ ...RUN_SUCCEEDED, result: null }],
})

/** All run endpoints. */
export const runEndpoints = (deps: Deps): Endpoint[] => [
  runRoute('GET', '/v1/runs', {
    id: 'listRuns',
    summary: 'List runs',
    description:
      'Newest first, without results: `result` is null, and `items` says how many items there are. A list reflects all ' +
      'changes that were answered before it, within a second.',
    query: {
      status: OneOf([...RUN_STATUSES, 'canceled'], 'Only runs with this `run_status`.'),
      task_key: Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Only runs of this task.',
        examples: ['encyclopedia.search'],
      }),
      ...PAGE,
    },
    answers: { 200: pageOf('runs', ListedRun) },
    handle: async (call) => {
      const { key, query, time } = call
      const which = listed(key.accountId, statusNamed(query.status), query.task_key)
      const { rows, next } = await page(deps, runs, which, query)
      const titles = await time.except(deps.titles.ofMany(rows.map(({ run }) => run)))
      const texts = await time.except(
        Promise.all(
          rows.map(({ run }) => reading(() => deps.runs.listed(run, titles.get(run.runId) ?? null))),
        ),
      )
      return json(`{"runs":[${texts.join()}],"next_cursor":${JSON.stringify(next)}}`)
    },
  }),
  runRoute('GET', '/v1/runs/:run_id', {
    id: 'getRun',
    summary: 'Get a run',
    description:
      'Poll until `run_status` is terminal: first after 3 seconds, then double the delay each time up to 30 seconds, ' +
      'each with a random factor from 0.9 to 1.1. Alternatively, let `wait` hold the answer until the run has ended.',
    query: {
      wait: Type.Integer({
        minimum: 0,
        maximum: 60,
        description: 'Seconds to wait for the end of the run. The answer is the run as it is then.',
        examples: [30],
      }),
    },
    answers: { 200: reply('The run.', RunSchema) },
    handle: async (call) => {
      const known = deps.runs.remembered(runIdOf(call.params), call.key.accountId)
      if (known !== undefined) return json(known)
      const { state } = await findRun(deps, call)
      const run = await waitForEnd(deps, state, call.query.wait ?? 0, call)
      return runAnswer(deps, call, run)
    },
  }),
  runRoute('POST', '/v1/runs/:run_id/cancel', {
    id: 'cancelRun',
    summary: 'Cancel a run',
    description:
      'A queued run is cancelled at once, a running one within 10 seconds. The items collected by then are kept, ' +
      'and the credits are refunded. Cancelling it again changes nothing.',
    body: Type.Object({}),
    answers: {
      202: { ...reply('The run as it is now.', RunSchema, RUN_CANCELLED), headers: ['Run-Id', 'Location'] },
    },
    problems: ['run-finished'],
    handle: async (call) => {
      const run = await cancelRun(deps, call)
      return runAnswer(deps, call, run, 202, runHeaders(deps, run.runId))
    },
  }),
  runItems(deps),
  runEvents(deps),
  downloadArtifact(deps),
]

/** Cancels the run that a call names. @throws {Problem} 404 @throws {Refused} `ended` */
export async function cancelRun(
  deps: Deps,
  call: Pick<Call, 'params' | 'cause'> & { readonly key: Asker },
): Promise<AdmittedRun> {
  const seen = await findRun(deps, call)
  const { runId } = seen.state
  const { actor, causationId, now } = call.cause
  const command = { type: 'cancel', keyId: call.key.keyId } as const
  const { state } = await deps.commands.handle(runId, command, { actor, causationId, now }, seen)
  if (!isAdmitted(state)) throw new Problem('not-found')
  return state
}

/** The status that a client names, also in American spelling; undefined for any other text. */
export const statusNamed = (text: string | null | undefined) =>
  RUN_STATUSES.find((status) => status === text?.replace(/^canceled$/, 'cancelled'))

/** The index of the runs with a status and of a task, and its leading fields. */
export function listed(account: string, status: string | undefined, taskKey: string | undefined) {
  const filters = [status, taskKey].filter((filter) => filter !== undefined)
  const byStatus = status === undefined ? 'by_account' : 'by_status'
  const byTask = status === undefined ? 'by_task' : 'by_status_and_task'
  return { index: taskKey === undefined ? byStatus : byTask, equals: [account, ...filters] }
}
