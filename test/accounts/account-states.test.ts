import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { alteredLog } from '../../rigs/support/altered-log.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { Accounts } from '../../src/accounts/accounts.ts'
import type { LedgerEntry } from '../../src/accounts/followed-account.ts'
import { accountDecider } from '../../src/domain/account.ts'
import { type AccountId, accountStream, newAccountId, type RunId } from '../../src/domain/ids.ts'
import type { EventLog, Recorded } from '../../src/log/event-log.ts'
import { foldFrom } from '../../src/log/execute.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import { checkBooks } from './books.ts'
import { aRun, cause, charge, refund, worlds } from './processes.ts'
import { type Projected, readModelsOf } from './projected.ts'

const base = temporaryFolder()
const world = worlds()

describe('account states', () => {
  test('that lag, are missing or are being rebuilt do not change charges and refunds', async () => {
    for (const lags of [[0], [3], [100], [2, null], [null, 2], [0, null, 1]]) {
      const {
        id,
        start,
        processes: [process],
      } = await world(1, 100, lags)
      const begin = () => start().accounts
      const run = aRun()
      await process.accounts.handle(charge(id, 40, run), cause(id))
      for (let i = 0; i < 5; i++) {
        // New accounts have an empty memory: they know only the read models and the log.
        const other = begin()
        await other.handle(charge(id, 40, run), cause(id))
        await other.handle(charge(id, 5, run, i < 3 ? 1 : 2), cause(id))
      }
      expect(await begin().credits(id, run)).toMatchObject({ charged: 50, blocks: 2 })
      await begin().handle(refund(id, run), cause(id))
      await begin().handle(refund(id, run), cause(id))
      expect((await begin().state(id)).balance).toBe(100)
      await checkBooks(process, id)
    }
  })
})

describe('a busy account', () => {
  const CHARGES = 3000
  /** An account with many charges, and a counter of the events that were read from its stream. */
  async function busy(projectedOf?: (log: EventLog, id: AccountId) => Following) {
    const file = openSqliteLog(join(base, `${randomBytes(6).toString('hex')}.db`))
    let read = 0
    const log = alteredLog(file, {
      async readStream(...args) {
        const events = await file.readStream(...args)
        read += events.length
        return events
      },
    })
    const id = newAccountId(Date.now(), randomBytes(10))
    const projected = projectedOf?.(file, id)
    const accounts = new Accounts(log, readModelsOf(file, projected))
    await accounts.handle({ type: 'open', accountId: id, name: 'a', credits: 100_000 }, cause(id))
    const runs = Array.from({ length: CHARGES }, aRun)
    for (let i = 0; i < runs.length; i += 500) {
      const charged = runs.slice(i, i + 500).map((run) => accounts.handle(charge(id, 1, run), cause(id)))
      await Promise.all(charged)
      await projected?.follow()
    }
    const reading = async (act: () => Promise<unknown>) => {
      const before = read
      await act()
      return read - before
    }
    return { log, id, accounts, runs, reading }
  }

  test('finds the charge of any run by reading only the events that its account state lacks', async () => {
    const { log, id, accounts, runs, reading } = await busy((of, account) => new Following(of, account))
    const [first] = runs
    for (const run of [first!, runs[CHARGES / 2]!, runs.at(-1)!]) {
      const read = () => accounts.credits(id, run)
      expect(await read()).toMatchObject({ charged: 1, refunded: 0, blocks: 0, reason: 'forum.search' })
      expect(await reading(read)).toBeLessThan(100)
    }
    for (let i = 0; i < 3; i++) await accounts.handle(refund(id, first!), cause(id))
    expect((await accounts.state(id)).balance).toBe(100_000 - CHARGES + 1)
    await log.close()
  })

  test('reads its stream once for 500 concurrent first charges, without account states', async () => {
    const { log, id, accounts, reading } = await busy()
    const uncharged = Array.from({ length: 500 }, aRun)
    const together = () => Promise.all(uncharged.map((run) => accounts.handle(charge(id, 1, run), cause(id))))
    expect(await reading(together)).toBeLessThanOrEqual(CHARGES + 1)
    expect(await reading(together)).toBeLessThanOrEqual(2 * CHARGES)
    expect((await accounts.state(id)).balance).toBe(100_000 - CHARGES - 500)
    await log.close()
  })

  test('refunds its latest charges without reading its stream, also without account states', async () => {
    const { log, id, accounts, runs, reading } = await busy()
    for (const run of runs.slice(-10))
      expect(await reading(() => accounts.handle(refund(id, run), cause(id)))).toBe(0)
    const earlier = runs.at(-400)!
    const read = await reading(() => accounts.handle(refund(id, earlier), cause(id)))
    // Memory holds the latest charges only.
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(1100)
    // The stream is read once for concurrent refunds.
    const together = () =>
      Promise.all(runs.slice(0, 50).map((run) => accounts.handle(refund(id, run), cause(id))))
    expect(await reading(together)).toBeLessThanOrEqual(2 * CHARGES)
    expect((await accounts.state(id)).balance).toBe(100_000 - CHARGES + 61)
    await log.close()
  })
})

/** Read models that follow the log on demand and stay some events behind. */
class Following implements Projected {
  count = 0
  private readonly events: Recorded[] = []
  private readonly byRun = new Map<RunId, LedgerEntry[]>()

  constructor(
    private readonly log: EventLog,
    private readonly id: AccountId,
  ) {}

  async follow(): Promise<void> {
    const read = await this.log.readStream(accountStream(this.id), this.events.length)
    const shown = read.slice(0, -7)
    this.events.push(...shown)
    for (const { event, revision, meta } of shown) {
      if (event?.type !== 'CreditsCharged' && event?.type !== 'CreditsRefunded') continue
      const { run_id } = event.data
      this.byRun.set(run_id, [...(this.byRun.get(run_id) ?? []), { revision, event, actor: meta.actor }])
    }
  }

  async account() {
    this.count++
    const last = this.events.at(-1)
    if (!last) return undefined
    const start = { state: accountDecider.initial, revision: -1 }
    return { ...foldFrom(accountDecider, start, this.events), position: last.position }
  }

  async entries(_: AccountId, run: RunId) {
    return this.byRun.get(run) ?? []
  }
}
