/**
 * The events of a run's stream. Part of events.ts, and public in the same way.
 *
 * @module
 */
import { type Static, Type } from '@sinclair/typebox'
import { Nullable, Time } from '../schema.ts'
import { Account, Credits, event, Key, Ref, Run, Sha256 } from './event-type.ts'

const LeaseUntil = Time('When the worker loses the run unless it renews its lease.')
/** The key that made the request; null for a person, whom the metadata names. */
const ByKey = Nullable(Key)

const Hash8 = (description: string) => Type.String({ pattern: '^[0-9a-f]{8}$', description })

/** How the items of a run that succeeded were filled. */
const Fill = Type.Object(
  {
    schema: Hash8("names the version of the item's fields"),
    input: Hash8('the first digits of the fingerprint of the input'),
    items: Type.Integer({ minimum: 0 }),
    shares: Type.Array(Nullable(Type.Integer({ minimum: 0, maximum: 1000 })), {
      description:
        'for each counted field in order, thousandths of the items with a value; null for a field that no item could have; empty without items',
    }),
  },
  { description: 'how the items were filled, if the run succeeded' },
)
export type RunFill = Static<typeof Fill>

/** What a run's requests and pages sent and received. */
const Usage = Type.Object(
  {
    requests: Type.Integer({ minimum: 0 }),
    bytes: Type.Integer({ minimum: 0, description: 'sent and received, as on the wire' }),
  },
  { description: 'what the requests and pages of the run used, over all its attempts' },
)
export type RunUsage = Static<typeof Usage>

const PROGRESS = {
  done: Type.Integer({ minimum: 0 }),
  total: Nullable(Type.Integer({ minimum: 0 })),
  message: Nullable(Type.String({ maxLength: 300 })),
}

const RUN_ENDED = {
  run_id: Run,
  task_key: Type.String(),
  code: Nullable(Type.String()),
  charged: Credits,
  refunded: Credits,
  /** the final progress, if the worker ended the run */
  progress: Type.Optional(Type.Object(PROGRESS)),
  ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'whole milliseconds from the claim of the last attempt to its end, if the worker ended the run',
    }),
  ),
  fill: Type.Optional(Fill),
  usage: Type.Optional(Usage),
}

/** The events of a run's stream. */
export const RUN_EVENTS = {
  RunRequested: event('A run was admitted and waits for a worker.', {
    run_id: Run,
    account_id: Account,
    key_id: ByKey,
    task_key: Type.String(),
    price: Credits,
    input_ref: Ref,
    fingerprint: Sha256,
    queue_until: Time('When the run ends unless a worker has started it.'),
    run_limit_s: Type.Number({ description: 'seconds from the first start to the run limit' }),
    failed_only: Type.Optional(
      Type.Boolean({ description: 'clients of this task know only succeeded and failed' }),
    ),
  }),
  RunStarted: event('A worker holds the run until its lease ends.', {
    run_id: Run,
    attempt: Type.Integer({ minimum: 1 }),
    lease_until: LeaseUntil,
    run_until: Time('When the run ends at the latest.'),
    worker: Type.Optional(Type.String()),
  }),
  RunProgressed: event('The worker renewed its lease and reported its progress.', {
    run_id: Run,
    attempt: Type.Integer({ minimum: 1 }),
    ...PROGRESS,
    lease_until: LeaseUntil,
    charged: Type.Optional(Credits),
    usage: Type.Optional(Usage),
    exit_changes: Type.Optional(
      Type.Integer({ minimum: 1, description: 'how often the run has started over at another exit' }),
    ),
  }),
  ResultStored: event("The run's result was stored in the artifact store.", {
    run_id: Run,
    ref: Ref,
    bytes: Type.Integer({ minimum: 0 }),
    sha256: Sha256,
    item_count: Type.Integer({ minimum: 0 }),
    partial: Type.Boolean(),
  }),
  ArtifactStored: event('A file of the run was stored in the artifact store.', {
    run_id: Run,
    ref: Ref,
    content_type: Type.String(),
    bytes: Type.Integer({ minimum: 0 }),
    sha256: Sha256,
  }),
  RunRequeued: event('The run is queued again: its worker shut down or was lost.', {
    run_id: Run,
    attempt: Type.Integer({ minimum: 1 }),
    reason: Type.Union([Type.Literal('shutdown'), Type.Literal('worker-lost')]),
    usage: Type.Optional(Usage),
  }),
  RunNotAdmitted: event(
    'A charge was found without its run. The run can no longer start, and the charge is refunded.',
    { run_id: Run, account_id: Account },
  ),
  RunCancelRequested: event('A client asked to cancel the run.', { run_id: Run, key_id: ByKey }),
  RunSucceeded: event('The run succeeded: the source was read.', RUN_ENDED),
  RunFailed: event('The run failed because of the source or the input.', RUN_ENDED),
  RunErrored: event('The run failed because of a fault in the service.', RUN_ENDED),
  RunCancelled: event('The run was cancelled by the client.', RUN_ENDED),
  RunExpired: event('The run did not start, or did not finish, in time.', RUN_ENDED),
}
