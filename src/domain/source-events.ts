/**
 * The events of a source's stream: the health of its tasks. Part of events.ts, and public in the same way.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { Nullable } from '../schema.ts'
import { Account, event, Ref, Run } from './event-type.ts'
import type { Drift } from './health/drift.ts'
import { HEALTHS, type Health } from './health/standing.ts'

const HealthName = Type.Unsafe<Health>(Type.Union(Object.keys(HEALTHS).map((name) => Type.Literal(name))))
const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })

/** A field whose values got lost. */
const DriftOf = Type.Unsafe<Drift>(
  Type.Object({
    field: Type.String({ description: 'a nested field with a dot: `about.icon_url`' }),
    was: Share('the usual share of items with a value'),
    now: Share('this share in the latest runs'),
  }),
)

/** The events of a source's stream. */
export const SOURCE_EVENTS = {
  TaskHealthChanged: event('The health of a task changed, judged by the runs of all accounts.', {
    task_key: Type.String(),
    from: HealthName,
    to: HealthName,
    drift: Type.Array(DriftOf),
  }),
  CaptureStored: event('The last answers that a run got from the source were stored for the operator.', {
    task_key: Type.String(),
    run_id: Run,
    account_id: Account,
    code: Nullable(Type.String(), {
      description: "the run's error; null if it succeeded while its task drifted",
    }),
    ref: Ref,
    bytes: Type.Integer({ minimum: 0 }),
    exchanges: Type.Integer({ minimum: 0, description: 'number of stored answers' }),
    slot: Type.Integer({
      minimum: 0,
      maximum: 9,
      description: 'a later capture of the task takes its place',
    }),
  }),
}
