/**
 * The world of runs: one account, its runs, the to-do list of the reconciler, the clock, and the memory of each actor.
 * The events in the log are decided and folded by the real domain; the to-do list is the real projection.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { type DeadlineRow, deadlines } from '../../../projections/deadlines.ts'
import {
  type AccountState,
  accountDecider,
  evolveRunCredits,
  type RunCredits,
} from '../../../src/domain/account.ts'
import type { Fold } from '../../../src/domain/decider.ts'
import type { DomainEvent, Metadata } from '../../../src/domain/events.ts'
import { type AccountId, derivedRunId, type KeyId, type RunId } from '../../../src/domain/ids.ts'
import { type RunState, runDecider } from '../../../src/domain/run.ts'
import type { Step } from '../engine.ts'
import { Stream, type Written } from '../stream.ts'

export const ACCOUNT = 'acc_00000000000000000000000001' as AccountId
export const KEY = 'key_00000000000000000000000001' as KeyId
export const TASK = 'photo.profile-download'
export const PRICE = 40
export const BLOCK = 5
export const LEASE_S = 30
export const RUN_LIMIT_S = 300
export const QUEUE_LIMIT_S = 900

/** The stream of the account: its state, and the charges and refunds of each run. */
export type Books = {
  readonly account: AccountState
  readonly credits: { readonly [run: RunId]: RunCredits }
}
export type Accounts = Stream<Books>
export type Runs = Stream<RunState>

export type ActorName = `@${string}`
/** The memory of an actor: JSON, except for the streams that it read. */
export type Local = { readonly at: string }

export type World = {
  /** milliseconds since 1970 */
  readonly clock: number
  /** how many appends may still stay unanswered */
  readonly losses: number
  /** actors that have died so far */
  readonly crashed: readonly string[]
  readonly account: Accounts
  readonly runs: { readonly [run: RunId]: Runs }
  /** the to-do list of the reconciler */
  readonly rows: { readonly [run: string]: DeadlineRow }
  readonly [actor: ActorName]: Local
}

/** Everything that a planted bug may replace. */
export type Rules = {
  readonly decideRun: typeof runDecider.decide
  readonly decideAccount: typeof accountDecider.decide
  readonly deadline: typeof deadlines.apply
  /** the run id of an Idempotency-Key after a number of closed tries: `locate` in src/runs/admit.ts */
  runIdOf(key: string, closed: number): RunId
  /** the expected revision of an append */
  expected(actor: ActorName, stream: 'account' | 'run', revision: number): number | 'any'
  /** repeats an append that was written but unanswered; undefined after a lost race */
  repeated<S>(stream: Stream<S>, sent: Sent<S>): Stream<S> | undefined
  /** whether the reconciler closes a run before it refunds its charge */
  readonly closesFirst: boolean
}

const derived = new Map<string, RunId>()

export const REAL: Rules = {
  decideRun: runDecider.decide,
  decideAccount: accountDecider.decide,
  deadline: deadlines.apply,
  runIdOf(key, closed) {
    const text = `${ACCOUNT}\n${closed}\n${key}`
    const id = derived.get(text) ?? derivedRunId(hash('sha256', text, 'buffer'))
    derived.set(text, id)
    return id
  },
  expected: (_actor, _stream, revision) => revision,
  repeated: (stream, sent) => (stream.extends(sent.stream) ? stream : undefined),
  closesFirst: true,
}

const booksFold: Fold<Books> = {
  initial: { account: accountDecider.initial, credits: {} },
  evolve({ account, credits }, event, meta) {
    const state = accountDecider.evolve(account, event, meta)
    if (event.type !== 'CreditsCharged' && event.type !== 'CreditsRefunded')
      return { account: state, credits }
    const run = event.data.run_id
    return {
      account: state,
      credits: { ...credits, [run]: evolveRunCredits(credits[run], event, meta.actor) },
    }
  },
}

const NO_ACCOUNT = Stream.empty(booksFold)
export const NO_RUN = Stream.empty(runDecider)

export const iso = (ms: number): string => new Date(ms).toISOString()

export const runOf = (world: World, run: RunId): Runs => world.runs[run] ?? NO_RUN

/** An event with its metadata. */
function written(event: DomainEvent, by: string, at: number): Written {
  const meta: Metadata = {
    $correlationId: 'request',
    $causationId: 'request',
    account_id: ACCOUNT,
    actor: 'service',
    at: iso(at),
    v: '1',
  }
  return { by, event, meta }
}

/** An event whose author and time do not matter. */
export const unsigned = (event: DomainEvent): Written => written(event, '', 0)

/** A world at time 0 in which only the account was opened. Its level is the balance: the first charge is below it. */
export function worldOf(
  balance: number,
  losses: number,
  actors: { readonly [actor: ActorName]: Local },
): World {
  const opened: DomainEvent = { type: 'AccountOpened', data: { account_id: ACCOUNT, name: 'a' } }
  const data = { account_id: ACCOUNT, amount: balance, balance_after: balance }
  const granted: DomainEvent = { type: 'CreditsGranted', data }
  const level: DomainEvent = { type: 'CreditsLevelSet', data: { account_id: ACCOUNT, level: balance } }
  const batch = [opened, granted, level].map(unsigned)
  const account = NO_ACCOUNT.append(-1, batch)!
  return { clock: 0, losses, crashed: [], account, runs: {}, rows: {}, ...actors }
}

/** The possible outcomes of an append. */
export type Outcomes<S> = {
  ok(world: World, stream: Stream<S>): World
  /** the append lost a race */
  conflict(world: World): World
  /** it was written, and the adapter of the log will repeat it */
  unanswered(world: World, sent: Sent<S>): World
  /** the adapter gave up: it may have been written or not */
  unavailable(world: World): World
}
/** An append to be repeated: the stream after it, and the revision before it. */
export type Sent<S> = { readonly stream: Stream<S>; readonly expected: number }

type Target<S> = {
  readonly kind: 'account' | 'run'
  of(world: World): Stream<S>
  with(world: World, stream: Stream<S>, rules: Rules): World
}

export const theAccount: Target<Books> = {
  kind: 'account',
  of: ({ account }) => account,
  with: (world, account, rules) => ({
    ...world,
    account,
    rows: rowsAfter(world, account.after(world.account.revision), rules),
  }),
}

export const theRun = (run: RunId): Target<RunState> => ({
  kind: 'run',
  of: (world) => runOf(world, run),
  with: (world, stream, rules) => ({
    ...world,
    runs: { ...world.runs, [run]: stream },
    rows: rowsAfter(world, stream.after(runOf(world, run).revision), rules),
  }),
})

type Handled = Parameters<typeof deadlines.apply>[1]
const isHandled = ({ type }: DomainEvent): boolean => (deadlines.types as readonly string[]).includes(type)

function rowsAfter(world: World, events: readonly Written[], rules: Rules): World['rows'] {
  let { rows } = world
  for (const { event, meta } of events) {
    // The projector knows more about an event than this projection needs.
    const handled = { event, meta } as Handled
    if (!isHandled(event)) continue
    const key = deadlines.key(handled)
    const row = rules.deadline(rows[key], handled)
    if (row === rows[key]) continue
    const { [key]: _, ...others } = rows
    rows = row ? { ...others, [key]: row } : others
  }
  return rows
}

/** Events that an actor wants to append to a stream as the actor knows it. */
export type Batch<S> = {
  /** its description, for traces */
  readonly what: string
  readonly target: Target<S>
  readonly known: Stream<S>
  readonly events: readonly DomainEvent[]
  /** milliseconds since 1970, where a decision depends on it */
  readonly at?: number
}

/** The append of an actor, with all its possible outcomes. */
export function append<S>(
  rules: Rules,
  world: World,
  actor: ActorName,
  sending: Batch<S>,
  on: Outcomes<S>,
): Step<World>[] {
  const { what, target, known, events, at = 0 } = sending
  const batch = events.map((event) => written(event, hasAuthor(event) ? actor : '', at))
  const name = `${actor.slice(1)}: ${what}`
  const stream = target.of(world).append(rules.expected(actor, target.kind, known.revision), batch)
  if (!stream) return [{ name: `${name}, but somebody was faster`, state: on.conflict(world) }]
  const after = target.with(world, stream, rules)
  const steps: Step<World>[] = [{ name, state: on.ok(after, stream) }]
  if (world.losses === 0) return steps
  const losses = world.losses - 1
  const sent = { stream, expected: stream.revision - batch.length }
  return [
    ...steps,
    lost(`${name}, and the answer is lost`, on.unanswered({ ...after, losses }, sent)),
    lost(`${name}, written, but the store is away`, on.unavailable({ ...after, losses })),
    lost(`${name}, not written, the store is away`, on.unavailable({ ...world, losses })),
  ]
}

/** Events whose author the invariants check: those that only a worker may write, and its claim. */
const hasAuthor = ({ type }: DomainEvent): boolean =>
  ['RunStarted', 'RunProgressed', 'ResultStored', 'ArtifactStored', 'RunSucceeded'].includes(type)

const lost = (name: string, state: World): Step<World> => ({ name, state, isChance: true })

/** Repeats an unanswered append, which the log recognises by its ids. */
export function repeat<S>(
  rules: Rules,
  world: World,
  actor: ActorName,
  target: Target<S>,
  sent: Sent<S>,
  on: Pick<Outcomes<S>, 'ok' | 'conflict'>,
): Step<World>[] {
  const stream = rules.repeated(target.of(world), sent)
  const name = `${actor.slice(1)}: sends the same append again`
  if (!stream) return [{ name: `${name}, but somebody was faster`, state: on.conflict(world) }]
  return [{ name, state: on.ok(target.with(world, stream, rules), sent.stream) }]
}

/** A step of one actor only. */
export const step = (actor: ActorName, what: string, state: World, isChance = false): Step<World> => ({
  name: `${actor.slice(1)}: ${what}`,
  state,
  ...(isChance ? { isChance } : {}),
})
