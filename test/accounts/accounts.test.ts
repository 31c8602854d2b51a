import { afterAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { anEvent, aStream } from '../../rigs/contract/events.ts'
import { alteredLog } from '../../rigs/support/altered-log.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { Accounts } from '../../src/accounts/accounts.ts'
import type { LedgerEntry } from '../../src/accounts/followed-account.ts'
import { type AccountCommand, accountDecider } from '../../src/domain/account.ts'
import { type AccountId, accountStream, newAccountId, newRunId, type RunId } from '../../src/domain/ids.ts'
import {
  type EventLog,
  type Recorded,
  StoreUnavailable,
  WrongExpectedRevision,
} from '../../src/log/event-log.ts'
import { foldFrom } from '../../src/log/execute.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import { checkBooks } from './books.ts'
import { cause, type Process, startProcess } from './processes.ts'
import { type Projected, readModelsOf } from './projected.ts'

const base = temporaryFolder()
const processes: Process[] = []
afterAll(async () => {
  for (const process of processes) await process.close()
})

/** `n` processes on one new log, with an account that has `credits`. */
async function world(n: number, credits = 100, lags: readonly (number | null)[] = [null]) {
  const folder = join(base, randomBytes(6).toString('hex'))
  mkdirSync(folder)
  const started = Array.from({ length: n }, () => startProcess(folder, { lags }))
  processes.push(...started)
  const id = newAccountId(Date.now(), randomBytes(10))
  await started[0]!.accounts.handle({ type: 'open', accountId: id, name: 'a', credits }, cause(id))
  return {
    id,
    folder,
    processes: started as [Process, ...Process[]],
    instances: started.map((p) => p.accounts),
  }
}
const aRun = (): RunId => newRunId(Date.now(), randomBytes(10))
const charge = (accountId: AccountId, amount: number, runId = aRun(), block?: number): AccountCommand => ({
  type: 'charge',
  accountId,
  runId,
  taskKey: 'forum.search',
  amount,
  block,
})
const refund = (accountId: AccountId, runId: RunId, keep = 0): AccountCommand => ({
  type: 'refund',
  accountId,
  runId,
  keep,
  reason: 'failed',
})
const grant = (accountId: AccountId, amount: number): AccountCommand => ({ type: 'grant', accountId, amount })

describe('charges', () => {
  test('of 200 concurrent charges with credits for 100, exactly 100 succeed and 100 get insufficient-credits', async () => {
    const {
      id,
      processes: [process],
    } = await world(1, 1000)
    const entries = await Promise.all(
      Array.from({ length: 200 }, () => process.accounts.submit(charge(id, 10), cause(id), { fresh: true })),
    )
    await Promise.all(entries.map((entry) => !entry.refused && entry.written))
    const refused = entries.flatMap((entry) => (entry.refused ? [entry] : []))
    expect(refused).toEqual(Array(100).fill({ refused: 'insufficient-credits', required: 10, balance: 0 }))
    expect((await process.accounts.state(id)).balance).toBe(0)
    await checkBooks(process, id)
  })

  test('of 200 concurrent charges from two processes with credits for 50, exactly 50 succeed', async () => {
    const {
      id,
      instances,
      processes: [process],
    } = await world(2, 500)
    const entries = await Promise.all(
      Array.from({ length: 200 }, (_, i) => instances[i % 2]!.handle(charge(id, 10), cause(id))),
    )
    expect(entries.filter((entry) => entry.refused)).toHaveLength(150)
    expect((await process.accounts.state(id)).balance).toBe(0)
    await checkBooks(process, id)
  })

  test('50 charges submitted at once are written in one commit', async () => {
    let commits = 0
    const log = openSqliteLog(join(base, 'commits.db'), { onCommit: () => commits++ })
    const accounts = new Accounts(log, readModelsOf(log))
    const id = newAccountId(Date.now(), randomBytes(10))
    await accounts.handle({ type: 'open', accountId: id, name: 'a', credits: 100 }, cause(id))
    const before = commits
    const entries = await Promise.all(
      Array.from({ length: 50 }, () => accounts.submit(charge(id, 1), cause(id), { fresh: true })),
    )
    await Promise.all(entries.map((entry) => (entry.refused ? undefined : entry.written)))
    expect(commits - before).toBe(1)
    const charges = (await log.readStream(accountStream(id), 2)).map(({ event }) => event)
    expect(charges).toEqual(entries.flatMap((entry) => (entry.refused ? [] : entry.events)))
    expect(charges).toHaveLength(50)
    await log.close()
  })

  test('a charge that lost a race fails together with all charges decided on it', async () => {
    const {
      id,
      instances: [mine, theirs],
    } = await world(2)
    await mine!.handle(charge(id, 1), cause(id))
    await theirs!.handle(grant(id, 5), cause(id))
    const entries = await Promise.all([1, 2, 3].map((n) => mine!.submit(charge(id, n), cause(id))))
    for (const entry of entries) {
      if (entry.refused) throw new Error('refused')
      await expect(entry.written).rejects.toBeInstanceOf(WrongExpectedRevision)
    }
    expect((await mine!.state(id)).balance).toBe(104)
    await mine!.handle(charge(id, 4), cause(id))
    expect((await theirs!.state(id)).balance).toBe(100)
  })
})

describe('events of another process', () => {
  test('are included in the account state', async () => {
    const {
      id,
      instances: [mine, theirs],
    } = await world(2)
    expect((await mine!.state(id)).balance).toBe(100)
    await theirs!.handle(grant(id, 11), cause(id))
    expect((await mine!.state(id)).balance).toBe(111)
  })

  test('a grant by another process lets a charge through that the account could not pay before', async () => {
    const {
      id,
      instances: [mine, theirs],
    } = await world(2)
    await mine!.handle(charge(id, 100), cause(id))
    await theirs!.handle(grant(id, 50), cause(id))
    expect((await mine!.handle(charge(id, 50), cause(id))).refused).toBeUndefined()
  })

  test('suspension and entitlements apply at once, also to charges of 0 credits', async () => {
    for (const amount of [0, 1]) {
      const {
        id,
        instances: [mine, theirs],
      } = await world(2)
      await mine!.handle(charge(id, 1), cause(id))
      await theirs!.handle({ type: 'entitle', accountId: id, suspended: true }, cause(id))
      expect((await mine!.handle(charge(id, amount), cause(id))).refused).toBe('account-suspended')
      await theirs!.handle(
        { type: 'entitle', accountId: id, suspended: false, tasks: ['flights.*'] },
        cause(id),
      )
      expect((await mine!.handle(charge(id, amount), cause(id))).refused).toBe('task-not-allowed')
    }
  })

  test('a charge by another process that this process has not seen can be refunded', async () => {
    const {
      id,
      instances: [mine, theirs],
    } = await world(2)
    const run = aRun()
    expect((await mine!.state(id)).balance).toBe(100)
    await theirs!.handle(charge(id, 30, run), cause(id))
    await mine!.handle(refund(id, run), cause(id))
    expect((await theirs!.state(id)).balance).toBe(100)
  })

  test('a refusal decided on a charge that failed is decided again', async () => {
    const {
      id,
      instances: [mine, theirs],
    } = await world(2)
    await mine!.handle(charge(id, 1), cause(id))
    // A grant takes the revision that the next charge here expects, so that charge fails.
    await theirs!.handle(grant(id, 100), cause(id))
    const [first, second] = await Promise.all([
      mine!.submit(charge(id, 99), cause(id)),
      // Nothing would be left for this one if the first were made.
      mine!.submit(charge(id, 50), cause(id)),
    ])
    expect(first.refused).toBeUndefined()
    if (!first.refused) await expect(first.written).rejects.toBeInstanceOf(WrongExpectedRevision)
    expect(second.refused).toBeUndefined()
    if (!second.refused) await second.written
    expect((await theirs!.state(id)).balance).toBe(149)
  })
})

test('an operator call submitted concurrently to several processes is applied once', async () => {
  const { id, instances } = await world(3)
  const call = { ...grant(id, 7), operation: { id: 'o', fingerprint: 'f' } } as AccountCommand
  const entries = await Promise.all(
    Array.from({ length: 12 }, (_, i) => instances[i % 3]!.handle(call, cause(id))),
  )
  expect(entries.filter((entry) => !entry.refused && entry.events.length > 0)).toHaveLength(1)
  expect((await instances[0]!.state(id)).balance).toBe(107)
})

describe('one run', () => {
  test('is charged once by 30 concurrent charges from 3 processes', async () => {
    const {
      id,
      instances,
      processes: [process],
    } = await world(3)
    const run = aRun()
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => instances[i % 3]!.handle(charge(id, 10, run), cause(id))),
    )
    for (const accounts of instances) {
      expect(await accounts.credits(id, run)).toEqual({
        charged: 10,
        refunded: 0,
        blocks: 0,
        reason: 'forum.search',
        startedBy: 'service',
      })
    }
    await checkBooks(process, id)
  })

  test('is refunded once by 30 concurrent refunds from 3 processes', async () => {
    const {
      id,
      instances,
      processes: [process],
    } = await world(3)
    const run = aRun()
    await instances[0]!.handle(charge(id, 40, run), cause(id))
    await instances[0]!.handle(charge(id, 5, run, 1), cause(id))
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => instances[i % 3]!.handle(refund(id, run), cause(id))),
    )
    expect((await process.accounts.state(id)).balance).toBe(100)
    await checkBooks(process, id)
  })

  test('is refunded its charge when that took the balance below the level in the same append', async () => {
    const {
      id,
      instances: [accounts],
      processes: [process],
    } = await world(1)
    await accounts!.handle({ type: 'set-credits-level', accountId: id, level: 80 }, cause(id))
    const run = aRun()
    const commands = [charge(id, 40, run), charge(id, 5, run, 1), refund(id, run), charge(id, 30)]
    await Promise.all(commands.map((command) => accounts!.handle(command, cause(id))))
    const types = (await process.log.readStream(accountStream(id), 3)).map(({ type }) => type)
    const charged = ['CreditsCharged', 'CreditsLow']
    expect(types).toEqual([...charged, 'CreditsCharged', 'CreditsRefunded', ...charged])
    expect((await accounts!.state(id)).balance).toBe(70)
    await checkBooks(process, id)
  })

  test('has no ledger entry if it was never charged', async () => {
    const {
      id,
      instances: [accounts],
    } = await world(1)
    expect(await accounts!.credits(id, aRun())).toBeUndefined()
  })

  test('a concurrent second charge of the same run writes nothing and returns the new balance', async () => {
    const {
      id,
      instances: [accounts],
    } = await world(1)
    const run = aRun()
    const [first, again] = await Promise.all([
      accounts!.submit(charge(id, 10, run), cause(id)),
      accounts!.submit(charge(id, 10, run), cause(id)),
    ])
    expect(first).toMatchObject({ events: [{ type: 'CreditsCharged' }] })
    expect(again).toMatchObject({ events: [], state: { balance: 90 } })
    expect(await accounts!.credits(id, run)).toMatchObject({ charged: 10 })
  })
})

describe('account states', () => {
  test('that lag, are missing or are being rebuilt do not change charges and refunds', async () => {
    for (const lags of [[0], [3], [100], [2, null], [null, 2], [0, null, 1]]) {
      const {
        id,
        folder,
        processes: [process],
      } = await world(1, 100, lags)
      const begin = () => {
        const begun = startProcess(folder, { lags })
        processes.push(begun)
        return begun.accounts
      }
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

describe('a run whose charge was evicted from memory is charged once', () => {
  const LONG = 150
  async function world() {
    const log = openSqliteLog(':memory:')
    let open: Promise<unknown> = Promise.resolve()
    const waited = async () => {
      await open
      return undefined
    }
    const mine = new Accounts(log, readModelsOf(log, { account: waited, entries: waited }))
    const theirs = new Accounts(log, readModelsOf(log))
    const id = newAccountId(Date.now(), randomBytes(10))
    await mine.handle({ type: 'open', accountId: id, name: 'a', credits: 1000 }, cause(id))
    const fresh = async (accounts: Accounts, run = aRun()) => {
      const entry = await accounts.submit(charge(id, 1, run), cause(id), { fresh: true })
      if (!entry.refused) await entry.written
      return run
    }
    const many = async (accounts: Accounts) => {
      for (let i = 0; i < LONG; i++) await fresh(accounts)
    }
    return { log, id, mine, theirs, fresh, many, hold: (until: Promise<unknown>) => (open = until) }
  }

  test('when the charge was made and evicted during the look-up of older charges', async () => {
    const { log, id, mine, theirs, many, hold } = await world()
    await many(mine)
    const { promise, resolve: go } = Promise.withResolvers<void>()
    hold(promise)
    const run = aRun()
    const charging = mine.handle(charge(id, 1, run), cause(id))
    const before = (await log.readStream(accountStream(id))).length
    await theirs.handle(charge(id, 1, run), cause(id))
    await many(theirs)
    for (const event of await log.readStream(accountStream(id), before)) mine.observe(event)
    go()
    expect(await charging).toMatchObject({ events: [] })
    expect((await mine.state(id)).balance).toBe(1000 - 2 * LONG - 1)
    await log.close()
  })

  test('when the whole stream was read before for another run', async () => {
    const { log, id, mine, fresh, many } = await world()
    await many(mine)
    const run = await fresh(mine)
    await mine.handle(charge(id, 1), cause(id))
    await many(mine)
    expect(await mine.handle(charge(id, 1, run), cause(id))).toMatchObject({ events: [] })
    expect((await mine.state(id)).balance).toBe(1000 - 2 * LONG - 2)
    await log.close()
  })
})

test('a ledger entry carries the time of the decision that was written, not of one that lost a race', async () => {
  const log = openSqliteLog(':memory:')
  let clock = Date.parse('2030-01-01T00:00:00Z')
  const now = () => ++clock
  const theirs = new Accounts(log, readModelsOf(log), undefined, now)
  let races = 2
  const racing = alteredLog(log, {
    async append(...args) {
      if (races-- > 0) await theirs.handle(grant(id, 1), cause(id))
      return log.append(...args)
    },
  })
  const mine = new Accounts(racing, readModelsOf(racing), undefined, now)
  const id = newAccountId(Date.now(), randomBytes(10))
  await theirs.handle({ type: 'open', accountId: id, name: 'a', credits: 1 }, cause(id))
  await mine.handle(grant(id, 2), cause(id))
  const entries = await log.readStream(accountStream(id))
  const grants = entries.flatMap(({ event }) => (event?.type === 'CreditsGranted' ? event.data.amount : []))
  expect(grants).toEqual([1, 1, 1, 2])
  const times = entries.map(({ meta }) => meta.at)
  expect(times).toEqual(times.toSorted())
  await log.close()
})

test('a stream that was restored to an earlier state is read again, and its lost events do not count', async () => {
  const [before, after] = [openSqliteLog(':memory:'), openSqliteLog(':memory:')]
  let isBack = false
  const log = alteredLog(before, {
    append: (...args) => (isBack ? after : before).append(...args),
    readStream: (...args) => (isBack ? after : before).readStream(...args),
  })
  const accounts = new Accounts(log, readModelsOf(log))
  const id = newAccountId(Date.now(), randomBytes(10))
  const open = { type: 'open', accountId: id, name: 'a', credits: 10 } as const
  await accounts.handle(open, cause(id))
  await new Accounts(after, readModelsOf(after)).handle(open, cause(id))
  await accounts.handle(charge(id, 9), cause(id))
  isBack = true
  await accounts.handle(charge(id, 1), cause(id))
  expect((await accounts.state(id)).balance).toBe(9)
  await before.close()
  await after.close()
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

describe('observed events', () => {
  /** Accounts whose reads of the log are counted. */
  async function counting() {
    const log = openSqliteLog(join(base, `${randomBytes(6).toString('hex')}.db`))
    let reads = 0
    const counted: EventLog = Object.create(log, {
      readStream: {
        value: (...args: Parameters<EventLog['readStream']>) => {
          reads++
          return log.readStream(...args)
        },
      },
    })
    const accounts = new Accounts(counted, readModelsOf(counted))
    const other = new Accounts(log, readModelsOf(log))
    const id = newAccountId(Date.now(), randomBytes(10))
    await accounts.handle({ type: 'open', accountId: id, name: 'a', credits: 100 }, cause(id))
    const theirs = async (amount: number): Promise<Recorded> => {
      await other.handle(grant(id, amount), cause(id))
      return (await log.readStream(accountStream(id))).at(-1)!
    }
    return { log, accounts, id, theirs, reads: () => reads }
  }

  test('keep an account current without reading the log', async () => {
    const { log, accounts, id, theirs, reads } = await counting()
    const before = reads()
    accounts.observe(await theirs(7))
    expect(accounts.seen(id)?.balance).toBe(107)
    await accounts.handle(charge(id, 7), cause(id))
    expect(reads()).toBe(before)
    await log.close()
  })

  test('count once when they arrive several times', async () => {
    const { log, accounts, id, theirs } = await counting()
    const event = await theirs(7)
    for (let i = 0; i < 3; i++) accounts.observe(event)
    expect(accounts.seen(id)?.balance).toBe(107)
    await log.close()
  })

  test('after a missed event, the cached account is discarded and read from the log again', async () => {
    const { log, accounts, id, theirs } = await counting()
    await theirs(7)
    accounts.observe(await theirs(8))
    expect(accounts.seen(id)).toBeUndefined()
    expect((await accounts.state(id)).balance).toBe(115)
    expect(accounts.seen(id)?.balance).toBe(115)
    await log.close()
  })

  test('of another stream do not affect an account that they name', async () => {
    const { log, accounts, id, reads } = await counting()
    const stream = aStream()
    for (let i = 0; i < 4; i++) await log.append(stream, i === 0 ? 'no-stream' : i - 1, [anEvent()])
    const before = reads()
    for (const event of await log.readStream(stream)) {
      accounts.observe({
        ...event,
        event: { type: 'KeyRevoked', data: { key_id: 'key_1' as never, account_id: id } },
      })
    }
    const entry = await accounts.submit(charge(id, 1), cause(id), { fresh: true })
    if (entry.refused) throw new Error('refused')
    expect((await entry.written)?.revision).toBe(2)
    expect(reads()).toBe(before)
    await log.close()
  })
})

describe('a log that does not answer', () => {
  test('an append of unknown outcome is reported as unavailable, and the account is read again before the next charge', async () => {
    const log = openSqliteLog(join(base, 'broken.db'))
    let broken = false
    const flaky: EventLog = Object.create(log, {
      append: {
        value: async (...args: Parameters<EventLog['append']>) => {
          const appended = await log.append(...args)
          if (broken) throw new StoreUnavailable('no answer')
          return appended
        },
      },
    })
    const accounts = new Accounts(flaky, readModelsOf(flaky))
    const id = newAccountId(Date.now(), randomBytes(10))
    await accounts.handle({ type: 'open', accountId: id, name: 'a', credits: 100 }, cause(id))
    const run = aRun()
    broken = true
    await expect(accounts.handle(charge(id, 10, run), cause(id))).rejects.toBeInstanceOf(StoreUnavailable)
    broken = false
    // The event was written after all, so repeating the command does nothing.
    expect(await accounts.handle(charge(id, 10, run), cause(id))).toMatchObject({ events: [] })
    expect((await accounts.state(id)).balance).toBe(90)
    await log.close()
  })

  test('a command that loses every race fails as unavailable', async () => {
    const log = openSqliteLog(join(base, 'races.db'))
    const losing: EventLog = Object.create(log, {
      append: {
        value: async (...[stream, expected]: Parameters<EventLog['append']>) => {
          throw new WrongExpectedRevision(stream, expected, 5)
        },
      },
    })
    const accounts = new Accounts(losing, readModelsOf(losing))
    const id = newAccountId(Date.now(), randomBytes(10))
    const opened = accounts.handle({ type: 'open', accountId: id, name: 'a', credits: 1 }, cause(id))
    await expect(opened).rejects.toBeInstanceOf(StoreUnavailable)
    await log.close()
  })
})
