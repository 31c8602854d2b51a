/**
 * The list of an account's runs, newest first.
 *
 * @module
 */

import { type TLiteral, Type } from '@sinclair/typebox'
import { type RunRow, runs } from '../../projections/runs.ts'
import { RUN_STATUSES } from '../domain/run.ts'
import type { KeyPrincipal } from '../keys/principal.ts'
import { type Json, textOf } from '../runs/result.ts'
import { pieces } from './answers.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import type { Deps } from './deps.ts'
import type { Call, Endpoint } from './endpoint.ts'
import { RUN_SUCCEEDED } from './examples.ts'
import { RUNS } from './find-run.ts'
import { caughtUp } from './lists.ts'
import { RunSchema } from './schemas.ts'

const DEFAULT_LIMIT = 50
/** Runs that are rendered at once: results may lie in a far store, and each may be large. */
const AT_ONCE = 16

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

async function list(deps: Deps, { query, principal, requestId }: Call<KeyPrincipal>): Promise<Response> {
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
  return pieces(listText(deps, page, next), 'application/json', (err) =>
    deps.logger.error({ err, request_id: requestId }, 'a list of runs broke off'),
  )
}

function filter(account: string, status: string | null, taskKey: string | null) {
  if (status !== null && taskKey !== null)
    return { index: 'by_status_and_task', equals: [account, status, taskKey] }
  if (status !== null) return { index: 'by_status', equals: [account, status] }
  if (taskKey !== null) return { index: 'by_task', equals: [account, taskKey] }
  return { index: 'by_account', equals: [account] }
}

async function* listText(deps: Deps, rows: readonly RunRow[], next: string | null): AsyncGenerator<string> {
  yield '{"runs":['
  for (let i = 0; i < rows.length; i += AT_ONCE) {
    const texts = await Promise.all(rows.slice(i, i + AT_ONCE).map(({ run }) => render(deps, run)))
    yield `${i === 0 ? '' : ','}${texts.map(textOf).join(',')}`
  }
  yield `],"next_cursor":${JSON.stringify(next)}}`
}

const render = (deps: Deps, run: RunRow['run']): Json | Promise<Json> =>
  deps.runs.remembered(run.runId, run.accountId) ?? deps.runs.render(run)
