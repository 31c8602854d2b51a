/**
 * Claim and lease: a queued run; workers that claim it, renew, pay for blocks, freeze, hand it back or are lost; the
 * reconciler; and a client that cancels.
 *
 * @module
 */
import { deadlines } from '../../../projections/deadlines.ts'
import { isLeased, runDecider } from '../../../src/domain/run.ts'
import { many, type Room, searchOf } from '../room.ts'
import { cancellingClient } from './client.ts'
import { runsModel } from './model.ts'
import { reconciler } from './reconciler.ts'
import { type WorkerBounds, worker } from './worker.ts'
import { BLOCK, LEASE_S, PRICE, QUEUE_LIMIT_S, type Rules } from './world.ts'

const LEASE_MS = LEASE_S * 1000
const LIMITS = QUEUE_LIMIT_S * 1000

type Bounds = WorkerBounds & {
  readonly workers: 1 | 2
  readonly crashes: number
  readonly losses: number
  readonly isCancelled: boolean
  readonly instants: readonly number[]
}

function model({ workers, isCancelled, ...bounds }: Bounds, planted?: Partial<Rules>) {
  const names = ['@worker-1', '@worker-2'] as const
  const actors = [
    ...names.slice(0, workers).map((name) => worker(name, bounds)),
    reconciler('@reconciler'),
    ...(isCancelled ? [cancellingClient('@client')] : []),
  ]
  const admitted = { balance: PRICE + 2 * BLOCK, isAdmitted: true, keys: [], tries: 0 }
  return runsModel({ ...bounds, ...admitted }, actors, planted)
}

function said(bounds: Bounds): string {
  const { workers, renewals, blocks, givesUp, handsBack, endsVary, isCancelled, crashes, losses, instants } =
    bounds
  return [
    many(workers, 'worker', 'workers'),
    ...(renewals > 0 ? [`${many(renewals, 'renewal', 'renewals')} an attempt`] : []),
    ...(blocks > 0 ? [`${many(blocks, 'block', 'blocks')} an attempt`] : []),
    ...(givesUp ? ['runs given up'] : []),
    ...(handsBack ? ['runs handed back'] : []),
    ...(endsVary ? ['three ends'] : []),
    ...(isCancelled ? ['1 cancel'] : []),
    many(crashes, 'death', 'deaths'),
    many(losses, 'lost answer', 'lost answers'),
    `clock at 0, ${instants.map((ms) => ms / 1000).join(', ')} s`,
  ].join(', ')
}

const searched = (bounds: Bounds) => searchOf(said(bounds), () => model(bounds))

const PLAIN: Bounds = {
  workers: 2,
  renewals: 0,
  blocks: 0,
  givesUp: true,
  handsBack: false,
  endsVary: false,
  crashes: 0,
  losses: 0,
  isCancelled: false,
  instants: [LEASE_MS, LIMITS],
}
const planted = (bug: string, finds: RegExp, rules: Partial<Rules>, bounds: Partial<Bounds> = {}) => ({
  ...searchOf(bug, () => model({ ...PLAIN, ...bounds }, rules)),
  finds,
})

/** Only worker, lease and limits, at each instant at which a lease may end. */
const ALONE: Bounds = { ...PLAIN, workers: 1, instants: [1, 2, 3].map((n) => n * LEASE_MS) }
/** The end of a lease, to the millisecond. */
const EDGE: Bounds = { ...PLAIN, workers: 1, givesUp: false, crashes: 1, instants: [LEASE_MS - 1, LEASE_MS] }

/** Decides a tick as if the clock were off by some milliseconds. */
const clockOff =
  (ms: number): Rules['decideRun'] =>
  (command, state) =>
    runDecider.decide(command.type === 'tick' ? { ...command, now: command.now + ms } : command, state)

export const claimAndLease: Room = {
  name: 'claim and lease',
  small: [
    searched({ ...PLAIN, handsBack: true, instants: [LEASE_MS] }),
    searched({ ...PLAIN, isCancelled: true, givesUp: false, instants: [LEASE_MS] }),
    searched({ ...PLAIN, renewals: 1 }),
    searched({ ...PLAIN, blocks: 1, givesUp: false, instants: [LEASE_MS] }),
    searched({ ...PLAIN, blocks: 1, workers: 1, isCancelled: true }),
    searched(ALONE),
    searched(EDGE),
  ],
  large: [
    searched({ ...PLAIN, handsBack: true, isCancelled: true, instants: [LEASE_MS] }),
    searched({ ...PLAIN, renewals: 1, handsBack: true, instants: [LEASE_MS] }),
    searched({ ...PLAIN, isCancelled: true, blocks: 1, instants: [LEASE_MS] }),
    searched({ ...PLAIN, blocks: 1, endsVary: true }),
    searched({ ...PLAIN, blocks: 1, losses: 1, givesUp: false, instants: [LEASE_MS] }),
    searched({ ...PLAIN, isCancelled: true }),
    searched({ ...PLAIN, blocks: 1, crashes: 3, givesUp: false }),
  ],
  planted: [
    planted('a claim is appended at any revision', /another worker has/, {
      expected: (actor, stream, revision) =>
        stream === 'run' && actor.startsWith('@worker') ? 'any' : revision,
    }),
    planted(
      'a lease ends a millisecond early',
      /lease had not ended/,
      {
        decideRun: clockOff(1),
        deadline(row, event) {
          const next = deadlines.apply(row, event)
          return next?.kind === 'lease' ? { ...next, due: next.due - 1 } : next
        },
      },
      EDGE,
    ),
    planted('a lease ends a millisecond late', /work is never done/, { decideRun: clockOff(-1) }, EDGE),
    planted('a lost worker writes the end of its run', /wrote|ended a run|comes after/, {
      decideRun: (command, state) =>
        runDecider.decide(
          'attempt' in command && isLeased(state) ? { ...command, attempt: state.attempt } : command,
          state,
        ),
    }),
    planted(
      'an end does not check for charges after its count',
      /has cost 45 credits, not 40/,
      {
        deadline(row, event) {
          const next = deadlines.apply(row, event)
          const { data, type } = event.event
          return type === 'RunSucceeded' && 'refunded' in data && data.refunded === 0 ? null : next
        },
      },
      { blocks: 1 },
    ),
    planted(
      'a run is requeued without limit',
      /too often|attempt 4/,
      {
        decideRun: (command, state) =>
          runDecider.decide(
            command,
            isLeased(state) && command.type === 'tick' ? { ...state, attempt: 1 } : state,
          ),
      },
      ALONE,
    ),
  ],
}
