/** Who is told of what this process wrote: the counters of credits. */
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import type { AccountStates } from '../../src/accounts/account-states.ts'
import { Ledger } from '../../src/accounts/ledger.ts'
import type { DomainEvent } from '../../src/domain/events.ts'
import { newAccountId, newRunId } from '../../src/domain/ids.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'
import { cause } from './processes.ts'

test('each event is told once, when it is durable; what others wrote or was refused is not', async () => {
  const log = openSqliteLog(':memory:')
  const none: AccountStates = { account: async () => undefined, entries: async () => [] }
  const told: DomainEvent[] = []
  const mine = new Ledger(log, none, (event) => void told.push(event))
  const theirs = new Ledger(log, none)
  const accountId = newAccountId(Date.now(), randomBytes(10))
  const charge = (amount: number) =>
    ({
      type: 'charge',
      accountId,
      runId: newRunId(Date.now(), randomBytes(10)),
      taskKey: 'a.b',
      amount,
    }) as const
  await theirs.execute({ type: 'open', accountId, name: 'a', credits: 10 }, cause(accountId))
  await mine.execute(charge(4), cause(accountId))
  await theirs.execute(charge(1), cause(accountId))
  // Decided on a state that the other has passed: written by its second attempt alone.
  await mine.execute(charge(3), cause(accountId))
  expect((await mine.execute(charge(100), cause(accountId))).refused).toBeDefined()
  const written = (await log.readAll(null, 100)).map((event) => event.event)
  expect(told).toEqual([written[2]!, written[4]!])
  await log.close()
})
