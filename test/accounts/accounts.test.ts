import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { alteredLog } from '../../rigs/support/altered-log.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { Accounts } from '../../src/accounts/accounts.ts'
import type { AccountCommand } from '../../src/domain/account.ts'
import { accountStream, newAccountId } from '../../src/domain/ids.ts'
import { WrongExpectedRevision } from '../../src/log/event-log.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import { checkBooks } from './books.ts'
import { aRun, cause, charge, grant, refund, worlds } from './processes.ts'
import { readModelsOf } from './projected.ts'

const base = temporaryFolder()
const world = worlds()

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
