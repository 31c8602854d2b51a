/**
 * The list of an account's runs, newest first.
 *
 * @module
 */

import { type TLiteral, Type } from '@sinclair/typebox'
import { type RunRow, runs } from '../../../projections/runs.ts'
import { RUN_STATUSES } from '../../domain/run.ts'
import type { KeyPrincipal } from '../../keys/principal.ts'
import type { Json } from '../../runs/result.ts'
import { pieces } from '../answers.ts'
import { decodeCursor, encodeCursor } from '../cursor.ts'
import type { Deps } from '../deps.ts'
import type { Call, Endpoint } from '../endpoint.ts'
import { caughtUp } from '../lists.ts'
import { RUN_SUCCEEDED } from '../openapi/examples.ts'
import { RunSchema } from '../openapi/schemas.ts'
import { RUNS } from './find-run.ts'

const DEFAULT_LIMIT = 50
/** Runs that are rendered at once, since results may lie in a far store, as long as their results are small together. */
const AT_ONCE = 16
const BYTES_AT_ONCE = 1024 * 1024

const STATUSES = Type.Union(
  [...RUN_STATUSES, 'canceled' as const].map((status): TLiteral => Type.Literal(status)),
)

export function listRuns(deps: Deps): Endpoint {
  return {
    method: 'GET',
    path: '/v1/runs',
    ...RUNS,
    doc: {
      id: 'listRuns',
      tag: 'Runs',
      summary: 'List runs',
      description: 'Newest first. What was answered before shows within a second.',
      query: [
        { name: 'status', description: 'Only runs with this `run_status`.', schema: STATUSES },
        {
          name: 'task_key',
          description: 'Only runs of this task.',
          schema: Type.String({ minLength: 1, maxLength: 200 }),
          example: 'encyclopedia.search',
        },
        {
          name: 'limit',
          description: `Runs in one answer; default ${DEFAULT_LIMIT}.`,
          schema: Type.Integer({ minimum: 1, maximum: 500 }),
        },
        {
          name: 'cursor',
          description: 'The `next_cursor` of the page before, of a query with the same filters.',
          schema: Type.String({ minLength: 1, maxLength: 500 }),
        },
      ],
      answers: {
        200: {
          description: 'A page of runs; `next_cursor` is null on the last one.',
          schema: Type.Object({
            runs: Type.Array(RunSchema),
            next_cursor: Type.Union([Type.String(), Type.Null()]),
          }),
          example: { runs: [RUN_SUCCEEDED], next_cursor: null },
        },
      },
    },
    handle: (call: Call<KeyPrincipal>) => list(deps, call),
  }
}

async function list(deps: Deps, call: Call<KeyPrincipal>): Promise<Response> {
  const { query, principal, requestId } = call
  const asked = query.get('status')
  const status = asked === 'canceled' ? 'cancelled' : asked
  const taskKey = query.get('task_key')
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT)
  const same = ['runs', deps.log.id, principal.accountId, status, taskKey]
  const { index, equals } = filter(principal.accountId, status, taskKey)
  await caughtUp(deps, runs)
  const rows = await deps.readModels.list(runs, index, {
    equals,
    after: decodeCursor(same, query.get('cursor')),
    order: 'descending',
    limit: limit + 1,
  })
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  const next = last ? encodeCursor(same, last.created) : null
  const failed = (err: unknown) =>
    deps.logger.error({ err, request_id: requestId }, 'a list of runs broke off')
  return call.time.except(pieces(listText(deps, page, next), 'application/json', failed))
}

function filter(account: string, status: string | null, taskKey: string | null) {
  if (status !== null && taskKey !== null)
    return { index: 'by_status_and_task', equals: [account, status, taskKey] }
  if (status !== null) return { index: 'by_status', equals: [account, status] }
  if (taskKey !== null) return { index: 'by_task', equals: [account, taskKey] }
  return { index: 'by_account', equals: [account] }
}

/**
 * The answer's text, run by run. Small results of neighbouring runs are read at the same time; a large one is read
 * alone, when all before it has been taken, so that no more than one is in memory.
 */
async function* listText(deps: Deps, rows: readonly RunRow[], next: string | null): AsyncGenerator<Json> {
  yield '{"runs":['
  let written = 0
  for (const group of groupsOf(rows)) {
    const texts = await Promise.all(group.map(({ run }) => render(deps, run)))
    for (const text of texts) {
      if (written++ > 0) yield ','
      yield text
    }
  }
  yield `],"next_cursor":${JSON.stringify(next)}}`
}

/** Cuts rows into groups that are rendered together: up to {@link AT_ONCE}, with {@link BYTES_AT_ONCE} of results in all. */
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

const render = (deps: Deps, run: RunRow['run']): Json | Promise<Json> =>
  deps.runs.remembered(run.runId, run.accountId) ?? deps.runs.render(run)
