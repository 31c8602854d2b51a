/** The events that accounts report to the credit counters. */
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { Accounts } from '../../src/accounts/accounts.ts'
import type { DomainEvent } from '../../src/domain/events.ts'
import { newAccountId, newRunId } from '../../src/domain/ids.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import { cause } from './processes.ts'
import { readModelsOf } from './projected.ts'

test('it reports each event that it wrote once, and no events of other processes, lost races or refusals', async () => {
  const log = openSqliteLog(':memory:')
  const events: DomainEvent[] = []
  const mine = new Accounts(log, readModelsOf(log), (event) => void events.push(event))
  const theirs = new Accounts(log, readModelsOf(log))
  const accountId = newAccountId(Date.now(), randomBytes(10))
  const charge = (amount: number) =>
    ({
      type: 'charge',
      accountId,
      runId: newRunId(Date.now(), randomBytes(10)),
      taskKey: 'a.b',
      amount,
    }) as const
  await theirs.handle({ type: 'open', accountId, name: 'a', credits: 10 }, cause(accountId))
  await mine.handle(charge(4), cause(accountId))
  await theirs.handle(charge(1), cause(accountId))
  // Decided on a stale state: the first attempt loses the race, the second one is written.
  await mine.handle(charge(3), cause(accountId))
  expect((await mine.handle(charge(100), cause(accountId))).refused).toBeDefined()
  const written = (await log.readAll(null, 100)).map((event) => event.event)
  expect(events).toEqual([written[2]!, written[4]!])
  await log.close()
})
