import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { anEvent, aStream } from '../../rigs/contract/events.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { Accounts } from '../../src/accounts/accounts.ts'
import { accountStream, newAccountId } from '../../src/domain/ids.ts'
import type { EventLog, Recorded } from '../../src/log/event-log.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import { cause, charge, grant } from './processes.ts'
import { readModelsOf } from './projected.ts'

const base = temporaryFolder()

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
