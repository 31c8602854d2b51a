import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { Accounts } from '../../src/accounts/accounts.ts'
import { accountStream, newAccountId } from '../../src/domain/ids.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import { checkBooks } from './books.ts'
import { aRun, cause, charge, refund, worlds } from './processes.ts'
import { readModelsOf } from './projected.ts'

const world = worlds()

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
