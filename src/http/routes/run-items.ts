/**
 * The items of a run alone, as JSON, as lines of JSON, or as CSV.
 *
 * @module
 */

import { Type } from '@sinclair/typebox'
import type { KeyPrincipal } from '../../keys/principal.ts'
import { csvRow } from '../../plugin/reading/csv.ts'
import { textOf } from '../../runs/result.ts'
import { pieces } from '../answers.ts'
import type { Deps } from '../deps.ts'
import type { Call, Endpoint } from '../endpoint.ts'
import { findRun, RUNS } from './find-run.ts'

type Item = Readonly<Record<string, unknown>>

const CONTENT_TYPES = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
} as const
type Format = keyof typeof CONTENT_TYPES

export function runItems(deps: Deps): Endpoint {
  return {
    method: 'GET',
    path: '/v1/runs/:run_id/items',
    ...RUNS,
    doc: {
      id: 'getRunItems',
      tag: 'Runs',
      summary: 'Get the items of a run',
      description:
        'The items alone: `json` is an array, `ndjson` has one item a line, `csv` has a column for each field of the ' +
        'output schema. In CSV a nested value is JSON text, null an empty cell, and a text that a spreadsheet would ' +
        "take for a formula begins with '. A run without a result has no items.",
      query: [
        {
          name: 'format',
          description: 'json (default), ndjson or csv.',
          schema: Type.Union([Type.Literal('json'), Type.Literal('ndjson'), Type.Literal('csv')]),
        },
      ],
      answers: {
        200: {
          description: 'The items.',
          schema: Type.Array(Type.Unsafe<object>({ type: 'object' })),
          example: [{ title: 'Otter', pageid: 22718 }],
          alternatives: [
            {
              contentType: 'application/x-ndjson',
              schema: Type.String(),
              example: '{"title":"Otter","pageid":22718}\n',
            },
            { contentType: 'text/csv', schema: Type.String(), example: 'title,pageid\r\nOtter,22718\r\n' },
          ],
        },
      },
      problems: ['not-found'],
    },
    handle: (call: Call<KeyPrincipal>) => items(deps, call),
  }
}

async function items(deps: Deps, call: Call<KeyPrincipal>): Promise<Response> {
  const run = await findRun(deps, call)
  const format = (call.query.get('format') ?? 'json') as Format
  const { result } = await call.time.except(deps.runs.result(run))
  const list = (JSON.parse(textOf(result)) as { readonly items?: readonly Item[] } | null)?.items ?? []
  const columns = deps.catalogue.get(run.taskKey)?.columns ?? fieldsOf(list)
  return pieces(TEXTS[format](list, columns), CONTENT_TYPES[format], (err) =>
    deps.logger.error({ err, request_id: call.requestId }, 'the items of a run broke off'),
  )
}

/** The columns where the task is not known any more. */
const fieldsOf = (list: readonly Item[]): string[] => [...new Set(list.flatMap((item) => Object.keys(item)))]

const TEXTS: Record<Format, (list: readonly Item[], columns: readonly string[]) => AsyncGenerator<string>> = {
  async *json(list) {
    yield '['
    for (const [i, item] of list.entries()) yield `${i === 0 ? '' : ','}${JSON.stringify(item)}`
    yield ']'
  },
  async *ndjson(list) {
    for (const item of list) yield `${JSON.stringify(item)}\n`
  },
  async *csv(list, columns) {
    yield csvRow(columns)
    for (const item of list) yield csvRow(columns.map((column) => item[column]))
  },
}
