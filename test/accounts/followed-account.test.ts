import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { accounts } from '../../projections/accounts.ts'
import { ledger } from '../../projections/ledger.ts'
import { type At, publish } from '../../rigs/support/read-models.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { FollowedAccount } from '../../src/accounts/followed-account.ts'
import { accountDecider } from '../../src/domain/account.ts'
import { type AccountId, accountStream, type RunId, type StreamName } from '../../src/domain/ids.ts'
import type { EventLog, Position, Recorded } from '../../src/log/event-log.ts'
import type { Model, Row } from '../../src/read/read-models.ts'
import { openSqliteReadModels } from '../../src/read/sqlite/read-models.ts'

const folder = temporaryFolder()
const LOG = 'thislogthislog00'
const id = 'acc_1' as AccountId
const run = 'run_1' as RunId
const at = (position: number, logId = LOG): At => ({ logId, position: position as Position })
const account: Row = {
  account_id: id,
  revision: 3,
  position: 20,
  state: { ...accountDecider.initial, balance: 55 },
}
const entry = (
  revision: number,
  kind: 'charged' | 'refunded',
  amount: number,
  block: number | null,
): Row => ({
  account_id: id,
  revision,
  run_id: run,
  at: '2026-01-01T00:00:00.000Z',
  kind,
  amount,
  balance_after: 50,
  reason: 'forum.search',
  block,
  task_key: 'forum.search',
  actor: 'operator',
})

const opened: { close(): Promise<void> }[] = []
afterAll(async () => {
  for (const each of opened) await each.close()
})

const charged = (revision: number, amount: number, block?: number): Recorded =>
  ({
    stream: accountStream(id),
    revision,
    position: revision,
    meta: { actor: block === undefined ? 'operator' : 'service' },
    event: {
      type: 'CreditsCharged',
      data: { account_id: id, run_id: run, amount, balance_after: 0, reason: 'forum.search', block },
    },
  }) as unknown as Recorded

/** The account with read models at these checkpoints, and how often its stream was read. */
async function world(accountsAt: At, ledgerAt: At | null) {
  const readModels = openSqliteReadModels(join(folder, `${opened.length}.db`))
  opened.push(readModels)
  const put = (model: Model, to: At, rows: [string, Row][]) => publish(readModels, model, to, rows)
  await put(accounts, accountsAt, [[id, account]])
  const rows: [string, Row][] = [
    [`${id}:2`, entry(2, 'charged', 40, null)],
    [`${id}:3`, entry(3, 'charged', 5, 1)],
    [`${id}:9`, entry(9, 'refunded', 45, null)],
  ]
  if (ledgerAt) await put(ledger, ledgerAt, rows)
  let reads = 0
  // Only the charges of the stream's first events are asked for.
  const log = {
    id: LOG,
    readStream: async (_: StreamName, from = 0) => {
      reads++
      return from <= 2 ? [charged(2, 40), charged(3, 5, 1)] : []
    },
  } as unknown as EventLog
  const followed = (of = id) => new FollowedAccount(of, log, readModels)
  return { readModels, followed, reads: () => reads }
}

const CREDITS = {
  charged: 45,
  refunded: 0,
  blocks: 1,
  reason: 'forum.search',
  startedBy: 'operator',
} as const

test('an account that both read models have reached starts from its row, and takes the credits of a run from the ledger', async () => {
  const { followed, reads } = await world(at(30), at(20))
  const account = followed()
  await account.refresh()
  expect(account.known).toMatchObject({ revision: 3, state: { balance: 55 } })
  const before = reads()
  const past = await account.past(new Set([run]))
  expect(account.creditsOf(run, past)).toEqual(CREDITS)
  expect(account.creditsOf('run_2' as RunId, past)).toBeUndefined()
  expect(reads()).toBe(before)
})

test.each([
  ['the ledger is behind it', at(30), at(19)],
  ['the ledger was never filled', at(30), null],
  ['the ledger is of another log', at(30), at(99, 'otherlogotherlog')],
  ['its own read model is of another log', at(30, 'otherlogotherlog'), at(99)],
])('an account is read from its stream when %s', async (_, accountsAt, ledgerAt) => {
  const account = (await world(accountsAt, ledgerAt)).followed()
  await account.refresh()
  expect(account.known.state.balance).not.toBe(55)
})

test('an account that the read models do not have is read from its stream', async () => {
  const account = (await world(at(30), at(30))).followed('acc_2' as AccountId)
  await account.refresh()
  expect(account.known.state.balance).not.toBe(55)
})

test.each<[string, At | null, [string, Row][]]>([
  ['was emptied', null, []],
  ['is being rebuilt', at(19), [[`${id}:2`, entry(2, 'charged', 40, null)]]],
  [
    'has more entries of the run than are read at once',
    at(31),
    Array.from({ length: 5000 }, (_, i) => [`${id}:${i + 10}`, entry(i + 10, 'charged', 5, i + 2)]),
  ],
])('the credits of a run are read from the stream when the ledger %s', async (_, ledgerAt, rows) => {
  const { followed, readModels, reads } = await world(at(30), at(30))
  const account = followed()
  await account.refresh()
  await publish(readModels, ledger, at(0, 'otherlogotherlog'))
  if (ledgerAt) await publish(readModels, ledger, ledgerAt, rows)
  const before = reads()
  expect(account.creditsOf(run, await account.past(new Set([run])))).toEqual(CREDITS)
  expect(reads()).toBeGreaterThan(before)
})
