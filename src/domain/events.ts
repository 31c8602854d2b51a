/**
 * Every event type, its version and the schema of its data. These names and shapes are public: subscribers read them
 * and the log keeps them forever. Adding an optional field needs nothing else. Any other change raises `v`, keeps the
 * old example under test/domain/events/ and converts it in known-event.ts.
 *
 * @module
 */
import { type Static, Type } from '@sinclair/typebox'
import { Nullable, Time } from '../schema.ts'
import { Account, Credits, event, Key, Operation, Person, Run, Sha256, State } from './event-type.ts'
import { CATEGORIES, type Category } from './ids.ts'
import { ADDRESS_EVENTS, PERSON_EVENTS, TEAM_EVENTS } from './people-events.ts'
import { SCOPES } from './roles.ts'
import { RUN_EVENTS } from './run-events.ts'
import { SOURCE_EVENTS } from './source-events.ts'
import { WEBHOOK_EVENTS } from './webhook-events.ts'

/** Who did something: a key or a person by its id, the operator, or the service by itself. */
export type Actor = `key:${string}` | `person:${string}` | 'operator' | 'service'

/** The metadata of every event; all values are plain strings. */
export type Metadata = {
  /** request id of the kickoff, the same for all events that follow from it */
  readonly $correlationId: string
  /** id of the event or request that led to this one */
  readonly $causationId: string
  readonly account_id: string
  /** who caused the event */
  readonly actor: Actor
  /** RFC 3339, UTC: when the event was decided */
  readonly at: string
  /** version of the event type, a decimal number */
  readonly v: string
}

/** Limits of one account; a missing limit means the service's default, 0 means no limit. */
export const Limits = Type.Object({
  kickoff_per_minute: Type.Optional(Type.Integer({ minimum: 0 })),
  read_per_minute: Type.Optional(Type.Integer({ minimum: 0 })),
  admin_per_minute: Type.Optional(Type.Integer({ minimum: 0 })),
  concurrent_runs: Type.Optional(Type.Integer({ minimum: 0 })),
})
export type Limits = Static<typeof Limits>

const LOGIN = { account_id: Account, source: Type.String() }

/** The events of a key's stream. */
export const KEY_EVENTS = {
  KeyCreated: event('An API key was created; only its hash is kept.', {
    key_id: Key,
    account_id: Account,
    hash: Sha256,
    prefix: Type.String(),
    name: Nullable(Type.String()),
    scopes: Type.Array(Type.Union(SCOPES.map((scope) => Type.Literal(scope)))),
    expires_at: Nullable(Time('When the key expires.')),
    made_by: Type.Optional({
      ...Person,
      description: 'the person behind the key that created this one; otherwise the actor is the creator',
    }),
    operation: Operation,
  }),
  KeyRevoked: event('The key is refused from now on.', { key_id: Key, account_id: Account }),
}

/** A change of the balance. */
const BOOKED = { account_id: Account, amount: Type.Integer({ minimum: 1 }), balance_after: Credits }

/** The least balance that an owner does not call low. */
const Level = Type.Integer({ minimum: 1, description: 'credits' })

/** The service books further blocks and refunds. This names the key or person for whom they count. */
const StartedBy = Type.Optional(
  Type.Unsafe<Actor>(
    Type.String({ description: "who started the run: the actor of the run's first charge" }),
  ),
)

/** The events of an account's stream, except those about its people. */
const CREDIT_EVENTS = {
  AccountOpened: event('An account was opened: its team can use the service.', {
    account_id: Account,
    name: Type.String(),
    operation: Operation,
  }),
  EntitlementsSet: event('The complete new entitlements of the account. A missing limit means the default.', {
    account_id: Account,
    tasks: Type.Array(Type.String()),
    limits: Limits,
    suspended: Type.Boolean(),
    balance_after: Credits,
    operation: Operation,
  }),
  CreditsGranted: event('Credits were added.', {
    ...BOOKED,
    reason: Type.Optional(Type.String()),
    operation: Operation,
  }),
  CreditsCharged: event('Credits were charged for a run, before its admission or before a further block.', {
    ...BOOKED,
    run_id: Run,
    reason: Type.String({ description: 'the task' }),
    block: Type.Optional(
      Type.Integer({ minimum: 1, description: 'number of the further block; absent for the kickoff' }),
    ),
    started_by: StartedBy,
  }),
  CreditsRefunded: event('Credits of a run were refunded.', {
    ...BOOKED,
    run_id: Run,
    reason: Type.String({ description: "the run's status, or not-admitted" }),
    task_key: Type.Optional(Type.String()),
    started_by: StartedBy,
  }),
  CreditsLevelSet: event('An owner set the level below which the balance is low; null means none.', {
    account_id: Account,
    level: Nullable(Level),
  }),
  CreditsLow: event(
    'A charge took the balance below the level that an owner set. Announced once each time.',
    { account_id: Account, balance: Credits, level: Level },
  ),
}

/** The events of an account's stream. */
export const ACCOUNT_EVENTS = { ...CREDIT_EVENTS, ...TEAM_EVENTS }

/** The events of a login's stream. */
export const LOGIN_EVENTS = {
  LoginRequested: event(
    'A sign-in at a source was requested. Another request within a minute adds no event, unless it has an Idempotency-Key.',
    {
      ...LOGIN,
      reason: Type.String({ description: 'call: a task call needed it; asked: the client requested it' }),
      operation: Operation,
    },
  ),
  LoginCompleted: event(
    'The sign-in succeeded and its state is saved. A repeat for the same state means that the source extended it.',
    {
      ...LOGIN,
      state_ref: State,
      valid_until: Nullable(Time('When the state expires; null if the source does not say.')),
    },
  ),
  LoginRejected: event('A saved state is no longer used: the source rejected it, or it expired.', {
    ...LOGIN,
    reason: Type.String({ description: 'refused, check-failed or expired' }),
    state_ref: State,
    run_id: Type.Optional(Run),
  }),
  LoginDeleted: event('The saved state was destroyed.', LOGIN),
}

/** All event types with version, meaning and the JSON Schema of their data. */
export const EVENT_TYPES = {
  ...RUN_EVENTS,
  ...KEY_EVENTS,
  ...CREDIT_EVENTS,
  ...LOGIN_EVENTS,
  ...TEAM_EVENTS,
  ...PERSON_EVENTS,
  ...ADDRESS_EVENTS,
  ...WEBHOOK_EVENTS,
  ...SOURCE_EVENTS,
}

/** The event types of each kind of stream. */
const TYPES_IN = {
  run: RUN_EVENTS,
  key: KEY_EVENTS,
  account: ACCOUNT_EVENTS,
  login: LOGIN_EVENTS,
  person: PERSON_EVENTS,
  address: ADDRESS_EVENTS,
  webhook: WEBHOOK_EVENTS,
  source: SOURCE_EVENTS,
}
/** The kind of stream that an event type belongs to. */
export const streamOf = (type: EventType): Category => CATEGORIES.find((kind) => type in TYPES_IN[kind])!

/** The name of an event type, as stored in the log. */
export type EventType = keyof typeof EVENT_TYPES
/** The data of one event type. */
export type EventData<T extends EventType> = Static<(typeof EVENT_TYPES)[T]['schema']>
/** One event: its type and data. A union, so that `switch (event.type)` narrows `data`. */
export type DomainEvent<T extends EventType = EventType> = {
  [K in T]: { readonly type: K; readonly data: EventData<K> }
}[T]

/** The names of event types. */
export const namesOf = <T extends EventType>(events: { readonly [Name in T]: unknown }): readonly T[] =>
  Object.keys(events) as T[]
/** The names of all event types. */
export const EVENT_NAMES = namesOf(EVENT_TYPES)
/** Whether `name` is an event type that this version knows. */
export const isEventType = (name: string): name is EventType => Object.hasOwn(EVENT_TYPES, name)

/** The terminal statuses of a run, each with its event. */
export const EVENT_OF = {
  succeeded: 'RunSucceeded',
  failed: 'RunFailed',
  errored: 'RunErrored',
  cancelled: 'RunCancelled',
  expired: 'RunExpired',
} as const
export type TerminalEvent = (typeof EVENT_OF)[keyof typeof EVENT_OF]
/** The events that end a run. */
export const TERMINAL_EVENTS: readonly TerminalEvent[] = Object.values(EVENT_OF)
export const isTerminalEvent = (type: string): type is TerminalEvent =>
  (TERMINAL_EVENTS as readonly string[]).includes(type)
