/**
 * Every event type, its version and the schema of its data. These names and shapes are public: subscribers read them
 * and the log keeps them for ever. Adding an optional field needs nothing; any other change raises `v`, keeps the old
 * example under test/domain/events/ and adds an upcaster in upcast.ts.
 *
 * @module
 */
import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox'
import type { AccountId, KeyId, RunId } from './ids.ts'
import { PEOPLE_SCHEMAS } from './people-events.ts'
import { WEBHOOK_SCHEMAS } from './webhook-events.ts'

export type { Actor, Metadata } from './metadata.ts'

const Id = <T extends string>() => Type.Unsafe<T>(Type.String())
const Run = Id<RunId>()
const Account = Id<AccountId>()
const Key = Id<KeyId>()
const Time = Type.String({ format: 'date-time', description: 'RFC 3339, UTC' })
const Credits = Type.Integer({ minimum: 0, description: 'credits' })
const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])
/** The key that asked for it; null where a person did, whom the metadata names. */
const ByKey = Nullable(Key)
const Sha256 = Type.String({ description: 'SHA-256, lower-case hex' })
const Ref = Type.String({ description: 'key in the artifact store' })

/** Limits of one account; a missing one is the service's default, 0 is no limit. */
export const Limits = Type.Object({
  kickoff_per_minute: Type.Optional(Type.Integer({ minimum: 0 })),
  read_per_minute: Type.Optional(Type.Integer({ minimum: 0 })),
  admin_per_minute: Type.Optional(Type.Integer({ minimum: 0 })),
  concurrent_runs: Type.Optional(Type.Integer({ minimum: 0 })),
})
export type Limits = Static<typeof Limits>

/** How an operator call is recognised when it is repeated: hashes of its Idempotency-Key and of its body. */
const Operation = Type.Optional(Type.Object({ id: Sha256, fingerprint: Sha256 }))

const PROGRESS = {
  done: Type.Integer({ minimum: 0 }),
  total: Nullable(Type.Integer({ minimum: 0 })),
  message: Nullable(Type.String({ maxLength: 300 })),
}

const RUN_ENDED = {
  run_id: Run,
  task_key: Type.Optional(Type.String({ description: 'its task; the oldest events lack it' })),
  code: Nullable(Type.String()),
  charged: Credits,
  refunded: Credits,
  /** how far it had come, where its worker ended it */
  progress: Type.Optional(Type.Object(PROGRESS)),
}

const State = Type.String({ description: 'key in the vault' })
const LOGIN = { account_id: Account, source: Type.String() }

const SCHEMAS = {
  RunRequested: {
    v: 1,
    about: 'A run was admitted and waits for a worker.',
    data: {
      run_id: Run,
      account_id: Account,
      key_id: ByKey,
      task_key: Type.String(),
      price: Credits,
      input_ref: Ref,
      fingerprint: Sha256,
      queue_until: Time,
      run_limit_s: Type.Number({ description: 'seconds from the first start to the run limit' }),
      failed_only: Type.Optional(
        Type.Boolean({ description: 'clients of this task know only succeeded and failed' }),
      ),
    },
  },
  RunStarted: {
    v: 1,
    about: 'A worker has the run until the lease ends.',
    data: {
      run_id: Run,
      attempt: Type.Integer({ minimum: 1 }),
      lease_until: Time,
      run_until: Time,
      worker: Type.Optional(Type.String()),
    },
  },
  RunProgressed: {
    v: 1,
    about: 'The worker renewed its lease and says how far it is.',
    data: {
      run_id: Run,
      attempt: Type.Integer({ minimum: 1 }),
      ...PROGRESS,
      lease_until: Time,
      charged: Type.Optional(Credits),
    },
  },
  ResultStored: {
    v: 1,
    about: 'What the run collected lies in the artifact store.',
    data: {
      run_id: Run,
      ref: Ref,
      bytes: Type.Integer({ minimum: 0 }),
      sha256: Sha256,
      item_count: Type.Integer({ minimum: 0 }),
      partial: Type.Boolean(),
    },
  },
  ArtifactStored: {
    v: 1,
    about: 'A file of the run lies in the artifact store.',
    data: {
      run_id: Run,
      ref: Ref,
      content_type: Type.String(),
      bytes: Type.Integer({ minimum: 0 }),
      sha256: Sha256,
    },
  },
  RunRequeued: {
    v: 1,
    about: 'The run waits again: its worker shut down, or was lost.',
    data: {
      run_id: Run,
      attempt: Type.Integer({ minimum: 1 }),
      reason: Type.Union([Type.Literal('shutdown'), Type.Literal('worker-lost')]),
    },
  },
  RunNotAdmitted: {
    v: 1,
    about: 'A charge was found without its run; the run can never begin and the charge is refunded.',
    data: { run_id: Run, account_id: Account },
  },
  RunCancelRequested: {
    v: 1,
    about: 'A client asked to cancel the run.',
    data: { run_id: Run, key_id: ByKey },
  },
  RunSucceeded: { v: 1, about: 'The source was read.', data: RUN_ENDED },
  RunFailed: { v: 1, about: 'The source or the input is the reason.', data: RUN_ENDED },
  RunErrored: { v: 1, about: 'The service is the reason.', data: RUN_ENDED },
  RunCancelled: { v: 1, about: 'The client asked for it.', data: RUN_ENDED },
  RunExpired: { v: 1, about: 'Not started, or not finished, in time.', data: RUN_ENDED },
  KeyCreated: {
    v: 1,
    about: 'An API key was made; only its hash is kept.',
    data: {
      key_id: Key,
      account_id: Account,
      hash: Sha256,
      prefix: Type.String(),
      name: Nullable(Type.String()),
      scopes: Type.Array(Type.Union([Type.Literal('runs'), Type.Literal('admin'), Type.Literal('events')])),
      expires_at: Nullable(Time),
    },
  },
  KeyRevoked: {
    v: 1,
    about: 'The key is refused from now on.',
    data: { key_id: Key, account_id: Account },
  },
  AccountOpened: {
    v: 1,
    about: 'A team can use the service.',
    data: { account_id: Account, name: Type.String(), operation: Operation },
  },
  EntitlementsSet: {
    v: 1,
    about: 'What the account may do: the whole new state. A limit that is left out is the default.',
    data: {
      account_id: Account,
      tasks: Type.Array(Type.String()),
      limits: Limits,
      suspended: Type.Boolean(),
      balance_after: Type.Optional(Credits),
      operation: Operation,
    },
  },
  CreditsGranted: {
    v: 1,
    about: 'Credits were added.',
    data: {
      account_id: Account,
      amount: Type.Integer({ minimum: 1 }),
      balance_after: Credits,
      reason: Type.Optional(Type.String()),
      operation: Operation,
    },
  },
  CreditsCharged: {
    v: 1,
    about: 'Credits were taken for a run, before it was admitted or before a further block.',
    data: {
      account_id: Account,
      amount: Type.Integer({ minimum: 1 }),
      balance_after: Credits,
      run_id: Run,
      reason: Type.Optional(Type.String()),
      block: Type.Optional(
        Type.Integer({ minimum: 1, description: 'which further block of the run; absent: the kickoff' }),
      ),
    },
  },
  CreditsRefunded: {
    v: 1,
    about: 'Credits of a run came back.',
    data: {
      account_id: Account,
      amount: Type.Integer({ minimum: 1 }),
      balance_after: Credits,
      run_id: Run,
      reason: Type.Optional(Type.String()),
    },
  },
  LoginRequested: {
    v: 1,
    about: 'A sign-in at a source was asked for; asking again within a minute is no further event.',
    data: {
      ...LOGIN,
      reason: Type.Optional(
        Type.String({ description: 'call: a task call needed it; asked: the client did' }),
      ),
    },
  },
  LoginCompleted: {
    v: 1,
    about:
      'The sign-in succeeded and its state is saved. Again for the same state: the source lets it last longer.',
    data: {
      ...LOGIN,
      reason: Type.Optional(Type.String()),
      state_ref: Type.Optional(State),
      valid_until: Type.Optional(Nullable(Time)),
    },
  },
  LoginRejected: {
    v: 1,
    about: 'A saved state is used no more: the source does not accept it, or its time is up.',
    data: {
      ...LOGIN,
      reason: Type.Optional(Type.String({ description: 'refused, check-failed or expired' })),
      state_ref: Type.Optional(State),
      run_id: Type.Optional(Run),
    },
  },
  LoginDeleted: {
    v: 1,
    about: 'The saved state was destroyed.',
    data: { ...LOGIN, reason: Type.Optional(Type.String()) },
  },
  ...PEOPLE_SCHEMAS,
  ...WEBHOOK_SCHEMAS,
} as const satisfies Record<string, { v: number; about: string; data: TProperties }>

type Schemas = typeof SCHEMAS
/** The name of an event type, as it stands in the log. */
export type EventType = keyof Schemas
/** The data of one event type. */
export type EventData<T extends EventType> = Static<TObject<Schemas[T]['data']>>
/** One event: its type and data. A union, so that `switch (event.type)` narrows `data`. */
export type DomainEvent<T extends EventType = EventType> = {
  [K in T]: { readonly type: K; readonly data: EventData<K> }
}[T]

/** All event types with version, meaning and the JSON Schema of their data. */
export const EVENT_TYPES: {
  readonly [T in EventType]: { readonly v: number; readonly about: string; readonly schema: TObject }
} = Object.fromEntries(
  Object.entries(SCHEMAS).map(([type, { v, about, data }]) => [
    type,
    { v, about, schema: Type.Object(data) },
  ]),
) as never

/** The names of all event types. */
export const EVENT_NAMES = Object.keys(SCHEMAS) as readonly EventType[]
/** Whether `name` is an event type that this version knows. */
export const isEventType = (name: string): name is EventType => Object.hasOwn(SCHEMAS, name)

/** The events that end a run. */
export const TERMINAL_EVENTS = [
  'RunSucceeded',
  'RunFailed',
  'RunErrored',
  'RunCancelled',
  'RunExpired',
] as const
export type TerminalEvent = (typeof TERMINAL_EVENTS)[number]
export const isTerminalEvent = (type: string): type is TerminalEvent =>
  (TERMINAL_EVENTS as readonly string[]).includes(type)
