/**
 * The health of tasks: its fields in `/v1/tasks`, and the endpoint that shows it day by day.
 *
 * @module
 */
import { type Static, Type } from '@sinclair/typebox'
import { HEALTHS } from '../../domain/health/standing.ts'
import { type Day, daysOf } from '../../health/days.ts'
import { type Standing, standingsOf } from '../../health/standings.ts'
import { Count, Nullable, OneOf, Time } from '../../schema.ts'
import { answer } from '../answers.ts'
import type { Deps } from '../deps.ts'
import { type Endpoint, group, reply } from '../endpoint.ts'
import { existing } from '../problems.ts'

const HEALTH_WORDS = Object.entries(HEALTHS)
  .map(([health, words]) => `${health}: ${words}`)
  .join('; ')
const DEFAULT_DAYS = 14
const MOST_DAYS = 90

const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })

/** The fields of a task that say how it stands. */
export const HEALTH_FIELDS = {
  health: OneOf(
    Object.keys(HEALTHS),
    `How the latest runs ended, at most 20, over all accounts. ${HEALTH_WORDS}.`,
  ),
  health_since: Nullable(Time('Since when the health is so, to the minute; null before the first run.')),
  drift: Type.Array(
    Type.Object(
      {
        field: Type.String({ description: 'A field of an item; a nested one with a dot.' }),
        was: Share('The usual share of items with a value.'),
        now: Share('This share in the latest runs.'),
      },
      { $id: 'Drift' },
    ),
    { description: 'The fields that lost their values; empty if none did.' },
  ),
}

export type Stood = Pick<Standing, 'health' | 'since' | 'drift'>

/** The values of {@link HEALTH_FIELDS}. */
export const healthView = ({ health, since, drift }: Stood) => ({
  health,
  health_since: since,
  drift: drift.map(({ field, was, now }) => ({ field, was: rounded(was), now: rounded(now) })),
})

const DaySchema = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'The day, in UTC.' }),
    success: Nullable(
      Share('The share of runs that were answered, among those that count; null if none does.'),
    ),
    blocked: Share('The share of runs that the source blocked.'),
    p50_ms: Nullable(Count('Median duration of a run, in milliseconds; null if unknown.')),
    items: Nullable(Type.Number({ description: 'Median number of items of a run; null if none succeeded.' })),
    fill: Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: Share('The share of items with a value.'),
      description: 'By field of an item; empty without items.',
    }),
    runs: Type.Optional(Count("Number of ended runs; only in answers to the operator's key.")),
  },
  { $id: 'HealthDay' },
)
const TaskHealthSchema = Type.Object(
  { task_key: Type.String(), ...HEALTH_FIELDS, days: Type.Array(DaySchema) },
  { $id: 'TaskHealth', description: 'How a task stands, and how its runs went day by day.' },
)

const EXAMPLE: Static<typeof TaskHealthSchema> = {
  task_key: 'encyclopedia.search',
  health: 'drifting',
  health_since: '2026-11-21T10:00:00.000Z',
  drift: [{ field: 'description', was: 0.98, now: 0.12 }],
  days: [
    {
      day: '2026-11-21',
      success: 1,
      blocked: 0,
      p50_ms: 640,
      items: 10,
      fill: { title: 1, description: 0.31 },
    },
  ],
}

/** Declares an endpoint about tasks: any valid key may call it. */
export const taskRoute = group({
  access: { kind: 'key', scope: 'any-key', operator: true },
  rate: 'read',
  tag: 'Tasks',
})

/** The endpoint that shows a task's days. */
export const taskHealthEndpoint = (deps: Deps): Endpoint =>
  taskRoute('GET', '/v1/tasks/:task_key/health', {
    id: 'getTaskHealth',
    summary: 'Get the health of a task, day by day',
    description:
      'Over the runs of all accounts, so with shares and medians instead of numbers of runs. Days without runs are left out.',
    query: {
      days: Type.Integer({
        minimum: 1,
        maximum: MOST_DAYS,
        description: `How many days, today included. Default: ${DEFAULT_DAYS}.`,
      }),
    },
    answers: { 200: reply('The health, and the days from the oldest on.', TaskHealthSchema, EXAMPLE) },
    handle: async ({ params, query, principal }) => {
      const task = existing(deps.catalogue.get(params.task_key ?? ''))
      const [[standing], days] = await Promise.all([
        standingsOf(deps, [task]),
        daysOf(deps, task, query.days ?? DEFAULT_DAYS),
      ])
      const isOperator = principal.kind === 'operator'
      return answer({
        task_key: task.key,
        ...healthView(standing!),
        days: days.map((day) => dayView(day, isOperator)),
      })
    },
  })

const dayView = (
  { day, runs, success, blocked, p50_ms, items, fill }: Day,
  isOperator: boolean,
): Static<typeof DaySchema> => ({
  day,
  success: success && rounded(success),
  blocked: rounded(blocked),
  p50_ms,
  items,
  fill: Object.fromEntries(Object.entries(fill).map(([field, share]) => [field, rounded(share)])),
  ...(isOperator && { runs }),
})

/** A share in whole hundredths. */
const rounded = (share: number): number => Math.round(share * 100) / 100
