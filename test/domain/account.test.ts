import { describe, expect, test } from 'bun:test'
import {
  type AccountCommand,
  type AccountEvent,
  type AccountRefusal,
  type AccountState,
  accountDecider,
  allowsTask,
  evolveRunCredits,
  type RunCredits,
} from '../../src/domain/account.ts'
import type { Decision } from '../../src/domain/decider.ts'
import type { DomainEvent } from '../../src/domain/events.ts'
import type { AccountId, RunId } from '../../src/domain/ids.ts'
import { folded } from './folded.ts'

const account_id = 'acc_00000000000000000000000001' as AccountId
const run_id = 'run_00000000000000000000000001' as RunId
const accountId = account_id
const runId = run_id
const taskKey = 'forum.search'
/** who started the run */
const actor = 'key:key_1'
const operation = { id: 'o', fingerprint: 'f' }

const opened: AccountEvent = { type: 'AccountOpened', data: { account_id, name: 'Team' } }
const granted = (amount: number, balance_after = amount): AccountEvent => ({
  type: 'CreditsGranted',
  data: { account_id, amount, balance_after },
})
/** A grant of 7 by an operation. */
const grantedBy = (id: string): AccountEvent => ({
  type: 'CreditsGranted',
  data: { account_id, amount: 7, balance_after: 7, operation: { id, fingerprint: 'f' } },
})
const charged = (amount: number, balance_after: number, block?: number): AccountEvent => ({
  type: 'CreditsCharged',
  data: {
    ...{ account_id, amount, balance_after, run_id, reason: taskKey },
    ...(block && { block, started_by: actor }),
  },
})
const refunded = (amount: number, balance_after: number): AccountEvent => ({
  type: 'CreditsRefunded',
  data: {
    ...{ account_id, amount, balance_after, run_id, reason: 'failed' },
    ...{ task_key: taskKey, started_by: actor },
  },
})
const levelSet = (level: number | null): AccountEvent => ({
  type: 'CreditsLevelSet',
  data: { account_id, level },
})
const low = (balance: number, level: number): AccountEvent => ({
  type: 'CreditsLow',
  data: { account_id, balance, level },
})
const entitled = (more: object): AccountEvent => ({
  type: 'EntitlementsSet',
  data: { account_id, tasks: ['*'], limits: {}, suspended: false, balance_after: 0, ...more },
})
const isBooking = (event: DomainEvent): event is DomainEvent<'CreditsCharged' | 'CreditsRefunded'> =>
  event.type === 'CreditsCharged' || event.type === 'CreditsRefunded'
const stateAfter = (...events: readonly AccountEvent[]): [AccountState, RunCredits | undefined] => [
  folded(accountDecider, events),
  events
    .filter(isBooking)
    .reduce<RunCredits | undefined>((sum, event) => evolveRunCredits(sum, event, actor), undefined),
]

const open: AccountCommand = { type: 'open', accountId, name: 'Team', credits: 100 }
const grant: AccountCommand = { type: 'grant', accountId, amount: 7 }
const charge = (amount: number, block?: number): AccountCommand => ({
  type: 'charge',
  accountId,
  runId,
  taskKey,
  amount,
  block,
})
const refund = (keep: number): AccountCommand => ({
  type: 'refund',
  accountId,
  runId,
  keep,
  reason: 'failed',
})
const setLevel = (level: number | null): AccountCommand => ({ type: 'set-credits-level', accountId, level })
const poor = (required: number, balance: number) =>
  ({ refused: 'insufficient-credits', required, balance }) as const

describe('accountDecider.decide', () => {
  const rich = [opened, granted(100)]
  const cases: readonly [
    string,
    readonly AccountEvent[],
    AccountCommand,
    Decision<AccountEvent, AccountRefusal>,
  ][] = [
    [
      'an account is opened with credits',
      [],
      open,
      [
        opened,
        { type: 'CreditsGranted', data: { account_id, amount: 100, balance_after: 100, reason: 'opening' } },
      ],
    ],
    ['an account is opened without credits', [], { ...open, credits: 0 }, [opened]],
    [
      'the opening names its operation',
      [],
      { ...open, credits: 0, operation },
      [{ type: 'AccountOpened', data: { account_id, name: 'Team', operation } }],
    ],
    ['an account is opened once', [opened], open, []],

    ['a grant to an unknown account is not-found', [], grant, { refused: 'not-found' }],
    ['a grant adds to the balance', rich, grant, [granted(7, 107)]],
    [
      'a grant names its reason and operation',
      rich,
      { ...grant, reason: 'gift', operation },
      [
        {
          type: 'CreditsGranted',
          data: { account_id, amount: 7, balance_after: 107, reason: 'gift', operation },
        },
      ],
    ],
    [
      'a suspended account may be granted credits',
      [opened, entitled({ suspended: true })],
      grant,
      [granted(7)],
    ],

    ['a repeated grant of one operation does nothing', [opened, grantedBy('o')], { ...grant, operation }, []],
    [
      'a repeated grant does nothing even after other grants',
      [opened, grantedBy('o'), ...['1', '2', '3', '4', '5', '6', '7'].map(grantedBy)],
      { ...grant, operation },
      [],
    ],
    [
      'a grant of another operation is applied',
      [opened, grantedBy('other')],
      { ...grant, operation },
      [{ type: 'CreditsGranted', data: { account_id, amount: 7, balance_after: 14, operation } }],
    ],
    [
      'repeated entitlements of one operation do nothing',
      [opened, entitled({ operation })],
      { type: 'entitle', accountId, suspended: true, operation },
      [],
    ],

    [
      'entitlements of an unknown account are not-found',
      [],
      { type: 'entitle', accountId },
      { refused: 'not-found' },
    ],
    [
      'only the named entitlements change',
      [
        opened,
        entitled({ tasks: ['forum.*'], limits: { read_per_minute: 5, concurrent_runs: 2 }, suspended: true }),
      ],
      { type: 'entitle', accountId, limits: { read_per_minute: 0 }, operation },
      [
        {
          type: 'EntitlementsSet',
          data: {
            account_id,
            tasks: ['forum.*'],
            limits: { read_per_minute: 0, concurrent_runs: 2 },
            suspended: true,
            balance_after: 0,
            operation,
          },
        },
      ],
    ],
    [
      'suspension is lifted',
      [opened, entitled({ suspended: true })],
      { type: 'entitle', accountId, suspended: false },
      [entitled({ balance_after: 0 })],
    ],
    [
      'null resets a limit to its default, and the event contains the current balance',
      [...rich, entitled({ limits: { read_per_minute: 5, concurrent_runs: 2 } })],
      { type: 'entitle', accountId, limits: { read_per_minute: null, admin_per_minute: null } },
      [entitled({ limits: { concurrent_runs: 2 }, balance_after: 100 })],
    ],

    ['an unknown account is not charged', [], charge(2), { refused: 'not-found' }],
    ['a kickoff is charged', rich, charge(2), [charged(2, 98)]],
    ['the last credits may be spent', rich, charge(100), [charged(100, 0)]],
    ['a charge above the balance is refused', rich, charge(101), poor(101, 100)],
    ['a kickoff is charged once', [...rich, charged(2, 98)], charge(2), []],
    ['a kickoff is charged once, even at another price', [...rich, charged(2, 98)], charge(99), []],
    [
      'a kickoff is not charged again after its refund',
      [...rich, charged(2, 98), refunded(2, 100)],
      charge(2),
      [],
    ],
    ['a kickoff of price 0 is not charged', [opened], charge(0), []],
    [
      'a suspended account starts no run',
      [...rich, entitled({ suspended: true })],
      charge(2),
      { refused: 'account-suspended' },
    ],
    [
      'a suspended account starts no free run',
      [opened, entitled({ suspended: true })],
      charge(0),
      { refused: 'account-suspended' },
    ],
    [
      'a task that is not allowed is not started',
      [...rich, entitled({ tasks: ['flights.search'] })],
      charge(2),
      { refused: 'task-not-allowed' },
    ],
    [
      'a kickoff charged before a suspension is not refused',
      [...rich, charged(2, 98), entitled({ suspended: true })],
      charge(2),
      [],
    ],

    ['a block is charged', [...rich, charged(40, 60)], charge(5, 1), [charged(5, 55, 1)]],
    ['a block is charged once', [...rich, charged(40, 60), charged(5, 55, 1)], charge(5, 1), []],
    [
      'blocks before the last charged one count as charged',
      [...rich, charged(40, 60), charged(5, 55, 1), charged(5, 50, 2)],
      charge(5, 1),
      [],
    ],
    [
      'the next block is charged',
      [...rich, charged(40, 60), charged(5, 55, 1)],
      charge(5, 2),
      [charged(5, 50, 2)],
    ],
    ['a block needs credits', [opened, granted(44), charged(40, 4)], charge(5, 1), poor(5, 4)],
    [
      'a suspended account is still charged for blocks of a running run',
      [...rich, charged(40, 60), entitled({ suspended: true })],
      charge(5, 1),
      [charged(5, 55, 1)],
    ],
    [
      'a refunded run is charged no more blocks',
      [...rich, charged(40, 60), refunded(40, 100)],
      charge(5, 1),
      { refused: 'run-ended' },
    ],

    ['a refund returns all credits of a run', [...rich, charged(40, 60)], refund(0), [refunded(40, 100)]],
    [
      'a refund includes blocks',
      [...rich, charged(40, 60), charged(5, 55, 1)],
      refund(0),
      [refunded(45, 100)],
    ],
    ['a refund leaves the credits to keep', [...rich, charged(50, 50)], refund(45), [refunded(5, 55)]],
    ['a refund is made once', [...rich, charged(40, 60), refunded(40, 100)], refund(0), []],
    [
      'a larger refund adds to an earlier one',
      [...rich, charged(50, 50), refunded(5, 55)],
      refund(0),
      [refunded(45, 100)],
    ],
    ['a refund that keeps more than was charged does nothing', [...rich, charged(40, 60)], refund(99), []],
    ['a run that was never charged is not refunded', rich, refund(0), []],
    [
      'a suspended account is refunded',
      [...rich, charged(2, 98), entitled({ suspended: true })],
      refund(0),
      [refunded(2, 100)],
    ],
    ['an unknown account is not refunded', [], refund(0), { refused: 'not-found' }],

    ['an unknown account has no level', [], setLevel(5), { refused: 'not-found' }],
    ['a level is set', rich, setLevel(50), [levelSet(50)]],
    ['a level above the balance announces nothing', rich, setLevel(500), [levelSet(500)]],
    ['a level is set once', [...rich, levelSet(50)], setLevel(50), []],
    ['a level is removed', [...rich, levelSet(50)], setLevel(null), [levelSet(null)]],
    ['a missing level is not removed', rich, setLevel(null), []],
    [
      'a charge that takes the balance below the level announces it',
      [...rich, levelSet(50)],
      charge(51),
      [charged(51, 49), low(49, 50)],
    ],
    ['a balance at the level is not low', [...rich, levelSet(50)], charge(50), [charged(50, 50)]],
    [
      'a charge from the level itself takes the balance below it',
      [opened, granted(50), levelSet(50)],
      charge(1),
      [charged(1, 49), low(49, 50)],
    ],
    [
      'a balance that was low before is not announced again',
      [opened, granted(49), levelSet(50)],
      charge(1),
      [charged(1, 48)],
    ],
    [
      'without a level no balance is low',
      [...rich, levelSet(50), levelSet(null)],
      charge(100),
      [charged(100, 0)],
    ],
    [
      'a block may take the balance below the level',
      [opened, granted(100), levelSet(60), charged(40, 60)],
      charge(5, 1),
      [charged(5, 55, 1), low(55, 60)],
    ],
  ]
  test.each(cases)('%s', (_, before, command, then) => {
    const [state, paid] = stateAfter(...before)
    expect(accountDecider.decide({ ...command, paid } as AccountCommand, state)).toEqual(then)
  })
})

test('the credits of a run sum up its charges, blocks and refunds, with the reason of the kickoff', () => {
  const [, credits] = stateAfter(charged(40, 60), charged(5, 55, 1), charged(5, 50, 2), refunded(3, 53))
  expect(credits).toEqual({ charged: 50, refunded: 3, blocks: 2, reason: taskKey, startedBy: actor })
})

test('a pattern allows all tasks, the tasks below a prefix, or one task', () => {
  const cases: readonly [readonly string[], string, boolean][] = [
    [['*'], 'forum.search', true],
    [[], 'forum.search', false],
    [['forum.*'], 'forum.search', true],
    [['forum.*'], 'forum.community.hot', true],
    [['forum.*'], 'forums.search', false],
    [['forum.*'], 'forum', false],
    [['forum.community.*'], 'forum.search', false],
    [['forum.search'], 'forum.search', true],
    [['marketplace.search'], 'marketplace.search.filtered', false],
    [['flights.search', 'forum.wiki'], 'forum.wiki', true],
  ]
  for (const [patterns, task, allowed] of cases) expect(allowsTask(patterns, task)).toBe(allowed)
})

test('events of other streams do not change an account', () => {
  const [state] = stateAfter(opened, granted(3))
  const foreign: DomainEvent = { type: 'RunNotAdmitted', data: { run_id, account_id } }
  expect(folded(accountDecider, [foreign], state)).toBe(state)
})
