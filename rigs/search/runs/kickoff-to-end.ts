/**
 * Kickoff to end: kickoffs, a worker, the reconciler, and a client that cancels, with crashes and lost answers.
 *
 * @module
 */
import { deadlines } from '../../../projections/deadlines.ts'
import { accountDecider } from '../../../src/domain/account.ts'
import { many, type Room, searchOf } from '../room.ts'
import { cancellingClient } from './client.ts'
import { type RunsBounds, runsModel } from './model.ts'
import { reconciler } from './reconciler.ts'
import { worker } from './worker.ts'
import { LEASE_S, PRICE, QUEUE_LIMIT_S, type Rules } from './world.ts'

const LEASE_END = LEASE_S * 1000
const LIMITS = QUEUE_LIMIT_S * 1000
const ONE_KEY = ['key', 'key']
const TWO_KEYS = ['key of one', 'key of two']

type Bounds = Omit<RunsBounds, 'balance'> & {
  readonly isCancelled: boolean
  /** two for two processes */
  readonly reconcilers: 1 | 2
}

/** The credits suffice for one run only. */
function model({ isCancelled, reconcilers, ...bounds }: Bounds, planted?: Partial<Rules>) {
  const others = [
    worker('@worker', { renewals: 0, blocks: 0, givesUp: true, handsBack: false, endsVary: false }),
    reconciler('@reconciler'),
    ...(reconcilers === 2 ? [reconciler('@reconciler-2')] : []),
    ...(isCancelled ? [cancellingClient('@client')] : []),
  ]
  return runsModel({ ...bounds, balance: PRICE }, others, planted)
}

const said = ({ keys, tries, crashes, losses, isCancelled, instants, reconcilers }: Bounds): string =>
  [
    keys.length === 1 ? '1 kickoff' : `2 kickoffs of ${keys === ONE_KEY ? 'one key' : 'two keys'}`,
    many(tries, 'repeat of each', 'repeats of each'),
    ...(reconcilers === 2 ? ['2 reconcilers'] : []),
    ...(isCancelled ? ['1 cancel'] : []),
    many(crashes, 'death', 'deaths'),
    many(losses, 'lost answer', 'lost answers'),
    `clock at 0, ${instants.map((ms) => ms / 1000).join(', ')} s`,
  ].join(', ')

const searched = (bounds: Bounds) => searchOf(said(bounds), () => model(bounds))

const QUIET: Bounds = {
  keys: ONE_KEY,
  tries: 0,
  crashes: 0,
  losses: 0,
  isCancelled: false,
  instants: [LIMITS],
  reconcilers: 1,
}
const planted = (bug: string, finds: RegExp, rules: Partial<Rules>, bounds: Partial<Bounds> = {}) => ({
  ...searchOf(bug, () => model({ ...QUIET, ...bounds }, rules)),
  finds,
})

export const kickoffToEnd: Room = {
  name: 'kickoff to end',
  small: [
    searched({ ...QUIET, keys: ['key'], reconcilers: 2, crashes: 1, tries: 1 }),
    searched({ ...QUIET, crashes: 1, tries: 1 }),
    searched({ ...QUIET, keys: TWO_KEYS }),
    searched({ ...QUIET, keys: ['key'], tries: 1, crashes: 1, losses: 1, isCancelled: true }),
  ],
  large: [
    searched({ ...QUIET, reconcilers: 2, isCancelled: true }),
    searched({ ...QUIET, isCancelled: true, instants: [LEASE_END, LIMITS], crashes: 1, tries: 1 }),
    searched({ ...QUIET, isCancelled: true, instants: [LEASE_END, LIMITS], losses: 1 }),
    searched({ ...QUIET, isCancelled: true, tries: 1, crashes: 1, losses: 1 }),
    searched({ ...QUIET, keys: TWO_KEYS, isCancelled: true, instants: [LEASE_END, LIMITS] }),
    searched({
      ...QUIET,
      keys: ['key'],
      isCancelled: true,
      instants: [LEASE_END, LIMITS],
      tries: 1,
      crashes: 4,
      losses: 2,
    }),
  ],
  planted: [
    planted('the refund is written before the run is closed', /may still begin/, { closesFirst: false }),
    planted('a run is requested at any revision', /comes after RunNotAdmitted/, {
      expected: (actor, stream, revision) =>
        stream === 'run' && actor.startsWith('@kickoff') ? 'any' : revision,
    }),
    planted(
      'an unanswered append is sent again as a new one',
      /charged twice/,
      { repeated: (stream, sent) => stream.append('any', sent.stream.after(sent.expected)) },
      { losses: 1 },
    ),
    planted(
      'a kickoff forgets that its key was already charged',
      /charged twice/,
      {
        decideAccount: (command, state) =>
          accountDecider.decide(command.type === 'charge' ? { ...command, paid: undefined } : command, state),
      },
      { keys: ['key', 'key'] },
    ),
    planted('a low balance is not announced', /without CreditsLow/, {
      decideAccount: (command, state) => {
        const decision = accountDecider.decide(command, state)
        return 'refused' in decision ? decision : decision.filter(({ type }) => type !== 'CreditsLow')
      },
    }),
    planted(
      'the reconciler ignores closed runs',
      /has cost|work is never done/,
      {
        deadline: (row, event) =>
          event.event.type === 'RunNotAdmitted' ? null : deadlines.apply(row, event),
      },
      { crashes: 1 },
    ),
  ],
}
