/**
 * The cost of busy accounts for the serving process: memory for each account after many entries, and commands a second
 * for many accounts and for one. It runs without read models, like during their first build: only the log has the
 * entries. Everything is written to a temporary folder.
 *
 *   npm run bench -- accounts [--accounts 1000] [--entries 200]
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Accounts } from '../src/accounts/accounts.ts'
import { type AccountId, newAccountId, newRunId } from '../src/domain/ids.ts'
import { openSqliteLog } from '../src/log/sqlite/log.ts'
import { readModelsOf } from '../test/accounts/projected.ts'

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '1000' },
    entries: { type: 'string', default: '200' },
  },
})
const ACCOUNTS = Number(values.accounts)
const ENTRIES = Number(values.entries)
/** Concurrent commands. */
const AT_ONCE = 256
const SECONDS = 5

const cause = (accountId: AccountId) =>
  ({ accountId, correlationId: 'bench', causationId: 'bench', now: Date.now() }) as const
const newRun = () => newRunId(Date.now(), randomBytes(10))

async function open(accounts: Accounts, count: number): Promise<AccountId[]> {
  const ids = Array.from({ length: count }, () => newAccountId(Date.now(), randomBytes(10)))
  const one = (accountId: AccountId) =>
    accounts.handle({ type: 'open', accountId, name: 'a', credits: 1e9 }, cause(accountId))
  for (let i = 0; i < ids.length; i += AT_ONCE) await Promise.all(ids.slice(i, i + AT_ONCE).map(one))
  return ids
}

const charge = (accounts: Accounts, accountId: AccountId, runId = newRun()) =>
  accounts.handle({ type: 'charge', accountId, runId, taskKey: 'forum.search', amount: 1 }, cause(accountId))

function heap(): number {
  for (let i = 0; i < 3; i++) globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

/** Charges accounts in turn from several concurrent loops. @returns commands a second */
async function speed(accounts: Accounts, ids: readonly AccountId[]): Promise<number> {
  const until = performance.now() + SECONDS * 1000
  let done = 0
  const side = async (n: number) => {
    while (performance.now() < until) {
      await charge(accounts, ids[n % ids.length] as AccountId)
      done++
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => side(n)))
  return Math.round(done / SECONDS)
}

/** The heap of an account, and the duration of a refund. The log is in memory, so no disk is involved. */
async function memory(): Promise<void> {
  const log = openSqliteLog(':memory:')
  const accounts = new Accounts(log, readModelsOf(log))
  const ids = await open(accounts, ACCOUNTS)
  const before = heap()
  for (let round = 0; round < ENTRIES; round++) {
    for (let i = 0; i < ids.length; i += AT_ONCE)
      await Promise.all(ids.slice(i, i + AT_ONCE).map((id) => charge(accounts, id)))
  }
  const bytes = (heap() - before) / ACCOUNTS
  console.log(`memory after ${ENTRIES} entries: ${(bytes / 1024).toFixed(1)} KiB an account`)
  const [old] = ids
  if (old) {
    const runs = Array.from({ length: 20 }, newRun)
    await Promise.all(runs.map((run) => charge(accounts, old, run)))
    const began = performance.now()
    for (const runId of runs)
      await accounts.handle({ type: 'refund', accountId: old, runId, keep: 0, reason: 'failed' }, cause(old))
    const ms = (performance.now() - began) / runs.length
    console.log(`a refund of a run charged lately: ${ms.toFixed(2)} ms`)
  }
  await log.close()
}

await memory()
const folder = mkdtempSync(join(tmpdir(), 'gleaner-bench-'))
const log = openSqliteLog(join(folder, 'log.db'))
try {
  const accounts = new Accounts(log, readModelsOf(log))
  const ids = await open(accounts, 64)
  console.log(`commands a second over 64 accounts: ${await speed(accounts, ids)}`)
  console.log(`commands a second on one account: ${await speed(accounts, ids.slice(0, 1))}`)
} finally {
  await log.close()
  rmSync(folder, { recursive: true, force: true })
}
