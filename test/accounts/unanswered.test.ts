import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { Accounts } from '../../src/accounts/accounts.ts'
import { newAccountId } from '../../src/domain/ids.ts'
import { type EventLog, StoreUnavailable, WrongExpectedRevision } from '../../src/log/event-log.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import { aRun, cause, charge } from './processes.ts'
import { readModelsOf } from './projected.ts'

const base = temporaryFolder()

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
