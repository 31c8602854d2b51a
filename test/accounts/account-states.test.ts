import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { accounts } from '../../projections/accounts.ts'
import { ledger } from '../../projections/ledger.ts'
import { type At, publish } from '../../rigs/support/read-models.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { accountStatesOf } from '../../src/accounts/account-states.ts'
import { accountDecider } from '../../src/domain/account.ts'
import type { AccountId, RunId } from '../../src/domain/ids.ts'
import type { Position } from '../../src/log/event-log.ts'
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
})

const opened: { close(): Promise<void> }[] = []
afterAll(async () => {
  for (const each of opened) await each.close()
})

/** AccountStates of read models with these checkpoints. */
async function given(accountsAt: At, ledgerAt: At | null) {
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
  return { readModels, states: accountStatesOf(readModels, { id: LOG }) }
}

test('an account that both read models have reached has a state and the ledger entries of its runs', async () => {
  const { states } = await given(at(30), at(20))
  const state = await states.account(id)
  expect(state).toMatchObject({ revision: 3, position: 20, state: { balance: 55 } })
  const entries = await states.entries(id, run, state!)
  const common = { account_id: id, run_id: run, balance_after: 50, reason: 'forum.search' }
  expect(entries).toEqual([
    { revision: 2, event: { type: 'CreditsCharged', data: { ...common, amount: 40 } } },
    { revision: 3, event: { type: 'CreditsCharged', data: { ...common, amount: 5, block: 1 } } },
    { revision: 9, event: { type: 'CreditsRefunded', data: { ...common, amount: 45 } } },
  ])
  expect(await states.entries(id, 'run_2' as RunId, state!)).toEqual([])
})

test('an unknown account has no state', async () => {
  const { states } = await given(at(30), at(30))
  expect(await states.account('acc_2' as AccountId)).toBeUndefined()
})

test.each([
  ['is behind the account', at(19)],
  ['was never filled', null],
  ['belongs to another log', at(99, 'otherlogotherlog')],
])('an account has no state when the ledger %s', async (_, ledgerAt) => {
  const { states } = await given(at(30), ledgerAt)
  expect(await states.account(id)).toBeUndefined()
})

test('an account of another log has no state', async () => {
  const { states } = await given(at(30, 'otherlogotherlog'), at(99))
  expect(await states.account(id)).toBeUndefined()
})

test('ledger entries are unavailable when the ledger was emptied after the state was read', async () => {
  const { states, readModels } = await given(at(30), at(30))
  const state = await states.account(id)
  await publish(readModels, ledger, at(0, 'otherlogotherlog'))
  expect(await states.entries(id, run, state!)).toBeUndefined()
  await publish(readModels, ledger, at(19), [[`${id}:2`, entry(2, 'charged', 40, null)]])
  expect(await states.entries(id, run, state!)).toBeUndefined()
})

test('ledger entries are unavailable when a run has more of them than are read at once', async () => {
  const { states, readModels } = await given(at(30), at(30))
  const state = await states.account(id)
  const blocks = Array.from({ length: 5000 }, (_, i): [string, Row] => [
    `${id}:${i + 10}`,
    entry(i + 10, 'charged', 5, i + 2),
  ])
  await publish(readModels, ledger, at(31), blocks)
  expect(await states.entries(id, run, state!)).toBeUndefined()
})
