/**
 * The endpoints of runs: listing an account's runs, reading a run, and cancelling it. Downloads and events of runs are
 * in separate files.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { type RunRow, runs } from '../../../projections/runs.ts'
import { parseRunId } from '../../domain/ids.ts'
import { type AdmittedRun, isAdmitted, RUN_STATUSES } from '../../domain/run.ts'
import type { Json } from '../../runs/result.ts'
import { brokeOff, json, pieces } from '../answers.ts'
import type { Deps } from '../deps.ts'
import { type Call, type Endpoint, pageOf, reply } from '../endpoint.ts'
import { page } from '../lists.ts'
import { OneOf, PAGE, RUN_CANCELLED, RunSchema } from '../openapi/schemas.ts'
import { Problem } from '../problems.ts'
import { downloadArtifact, runItems } from './downloads.ts'
import { runEvents } from './events.ts'
import type { Asker } from './kickoff.ts'
import { findRun, runHeaders, runRoute, waitForEnd } from './one-run.ts'

/** All run endpoints. */
export const runEndpoints = (deps: Deps): Endpoint[] => [
  runRoute('GET', '/v1/runs', {
    id: 'listRuns',
    summary: 'List runs',
    description: 'Newest first. A list reflects all changes that were answered before it, within a second.',
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
    answers: { 200: pageOf('runs', RunSchema) },
    handle: async (call) => {
      const { key, query, time } = call
      const which = listed(key.accountId, statusNamed(query.status), query.task_key)
      const { rows, next } = await page(deps, runs, which, query)
      const failed = brokeOff(deps, call, 'A list of runs broke off. Its client has an incomplete answer.')
      return time.except(pieces(listText(deps, rows, next), 'application/json', failed))
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
      const id = parseRunId(call.params.run_id ?? '')
      const known = id && deps.runs.remembered(id, call.key.accountId)
      if (known !== undefined) return json(known)
      const { state } = await findRun(deps, call)
      const run = await waitForEnd(deps, state, call.query.wait ?? 0, call)
      return json(await call.time.except(deps.runs.render(run)))
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
      return json(await call.time.except(deps.runs.render(run)), 202, runHeaders(deps, run.runId))
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
  const { state } = await deps.commands.execute(runId, command, { actor, causationId, now }, seen)
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

/**
 * Generates the response text, run by run. Small results of neighbouring runs are read concurrently. A large result is
 * read alone, after all earlier text has been consumed, so that at most one is in memory.
 */
async function* listText(deps: Deps, rows: readonly RunRow[], next: string | null): AsyncGenerator<Json> {
  const render = ({ run }: RunRow) => deps.runs.remembered(run.runId, run.accountId) ?? deps.runs.render(run)
  yield '{"runs":['
  let written = 0
  for (const group of groupsOf(rows)) {
    for (const text of await Promise.all(group.map(render))) {
      if (written++ > 0) yield ','
      yield text
    }
  }
  yield `],"next_cursor":${JSON.stringify(next)}}`
}

/**
 * Limits of a group of runs that are rendered concurrently: number of runs and total size of their results. Concurrency
 * hides the latency of a remote store.
 */
const AT_ONCE = 16
const BYTES_AT_ONCE = 1024 * 1024

/** Cuts rows into groups that are rendered together. */
function groupsOf(rows: readonly RunRow[]): RunRow[][] {
  const groups: RunRow[][] = []
  let bytes = 0
  for (const row of rows) {
    const group = groups.at(-1)
    const size = row.run.result?.bytes ?? 0
    bytes += size
    if (group && group.length < AT_ONCE && bytes <= BYTES_AT_ONCE) group.push(row)
    else {
      groups.push([row])
      bytes = size
    }
  }
  return groups
}
