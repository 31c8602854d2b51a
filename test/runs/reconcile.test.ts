/**
 * The reconciler closes charges and runs left open by crashes and deadlines, exactly once over any number of rounds and
 * processes.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { replaceClock } from '../../src/async/clock.ts'
import { type AccountId, newRunId, type RunId, runStream } from '../../src/domain/ids.ts'
import type { Reconciler } from '../../src/runs/reconcile.ts'
import { openStand, type Stand } from '../worker/stand.ts'

let stand: Stand
let reconciler: Reconciler
beforeEach(async () => {
  stand = await openStand()
  reconciler = stand.newReconciler()
})
afterEach(() => stand.close())

const cause = () => ({ causationId: 'test', now: stand.now() })

/** The charge of a kickoff, without its run. */
async function charge(accountId: AccountId): Promise<RunId> {
  const runId = newRunId(stand.now(), crypto.getRandomValues(new Uint8Array(10)))
  await stand.accounts.handle(
    { type: 'charge', accountId, runId, taskKey: 'faults.count', amount: 4 },
    { ...cause(), accountId, correlationId: 'req' },
  )
  return runId
}

/** Concurrent and repeated rounds, like those of several processes, on current read models. */
async function rounds(): Promise<void> {
  await stand.shown()
  await Promise.all([reconciler.once(), stand.newReconciler().once()])
  await reconciler.once()
  await stand.shown()
  await reconciler.once()
}

const start = (id: RunId, leaseS = 30) =>
  stand.commands.handle(id, { type: 'start', now: stand.now(), leaseS }, cause())

const refunds = async (account: AccountId) =>
  (await stand.log.readAll(null, 10_000)).filter(
    ({ type, meta }) => type === 'CreditsRefunded' && meta.account_id === account,
  ).length

describe('a charge without a run', () => {
  test('the reconciler leaves a charge alone while its kickoff may still be running', async () => {
    const account = await stand.openAccount(10)
    await charge(account)
    stand.clock.offset = 29_000
    await rounds()
    expect(await stand.balance(account)).toBe(6)
  })

  test('is closed and refunded once', async () => {
    const account = await stand.openAccount(10)
    const id = await charge(account)
    stand.clock.offset = 31_000
    await rounds()
    expect(await stand.balance(account)).toBe(10)
    expect(await refunds(account)).toBe(1)
    expect(await stand.eventsOf(id)).toEqual(['RunNotAdmitted'])
  })

  test('is refunded even after a crash between its closing and its refund', async () => {
    const account = await stand.openAccount(10)
    const id = await charge(account)
    await stand.commands.handle(id, { type: 'close', runId: id, accountId: account }, cause())
    expect(await stand.balance(account)).toBe(6)
    stand.clock.offset = 31_000
    await rounds()
    expect(await stand.balance(account)).toBe(10)
    expect(await refunds(account)).toBe(1)
  })

  test('is kept if its run exists and only the read model row is stale', async () => {
    const account = await stand.openAccount(10)
    await stand.shown()
    await stand.projector?.stop()
    const id = await stand.request(account, 'count')
    // The row of the read model before the run was requested.
    const row = {
      run_id: id,
      account_id: account,
      kind: 'admission',
      due: stand.now(),
      run_until: null,
      charged: 1,
    }
    const list = stand.readModels.list
    Object.assign(stand.readModels, { list: async () => [row] })
    await Promise.all([reconciler.once(), reconciler.once()])
    Object.assign(stand.readModels, { list })
    expect(await stand.eventsOf(id)).toEqual(['RunRequested'])
    expect(await stand.balance(account)).toBe(9)
  })
})

describe('a run', () => {
  test('that was not started in time expires and is refunded', async () => {
    const account = await stand.openAccount(10)
    const id = await stand.request(account, 'count')
    stand.clock.offset = 899_000
    await rounds()
    expect((await stand.runOf(id)).status).toBe('queued')
    stand.clock.offset = 901_000
    await rounds()
    expect(await stand.runOf(id)).toMatchObject({ status: 'expired', code: 'queue-limit' })
    expect(await stand.balance(account)).toBe(10)
    expect(await refunds(account)).toBe(1)
  })

  test('that loses its worker is retried twice, then ends as errored and is refunded', async () => {
    const account = await stand.openAccount(10)
    const id = await stand.request(account, 'count')
    for (const attempt of [1, 2, 3]) {
      await start(id, 1)
      expect((await stand.runOf(id)).attempt).toBe(attempt)
      stand.clock.offset += 2000
      await rounds()
    }
    expect(await stand.runOf(id)).toMatchObject({ status: 'errored', code: 'worker-lost' })
    expect((await stand.eventsOf(id)).filter((type) => type === 'RunRequeued')).toHaveLength(2)
    expect(await stand.balance(account)).toBe(10)
    expect(await refunds(account)).toBe(1)
  })

  test('whose worker is alive is left alone', async () => {
    const account = await stand.openAccount(10)
    const id = await stand.request(account, 'count')
    await start(id)
    stand.clock.offset = 20_000
    await rounds()
    expect(await stand.eventsOf(id)).toEqual(['RunRequested', 'RunStarted'])
  })

  test('whose worker was lost before the clock was set back by hours is retried after two leases', async () => {
    const account = await stand.openAccount(10)
    stand.clock.offset = 4 * 3_600_000
    const [lost, alive] = [await stand.request(account, 'count'), await stand.request(account, 'count')]
    const unpaid = await charge(account)
    await start(lost)
    await start(alive)
    stand.clock.offset = 0
    let passed = 0
    replaceClock({ now: Date.now, monotonic: () => performance.now() + passed })
    try {
      for (let leases = 0; leases < 2; leases++) {
        await rounds()
        expect(await stand.eventsOf(lost)).toEqual(['RunRequested', 'RunStarted'])
        const progress = { done: leases, total: null, message: null }
        const renewal = { type: 'progress', attempt: 1, now: stand.now(), leaseS: 30, progress } as const
        await stand.commands.handle(alive, renewal, cause())
        passed += 31_000
      }
      await rounds()
    } finally {
      replaceClock()
    }
    expect(await stand.runOf(lost)).toMatchObject({ status: 'queued' })
    expect(await stand.runOf(alive)).toMatchObject({ status: 'running' })
    expect(await stand.eventsOf(unpaid)).toEqual(['RunNotAdmitted'])
  })

  test('that was being cancelled when its worker was lost ends as cancelled', async () => {
    const account = await stand.openAccount(10)
    const id = await stand.request(account, 'count')
    await start(id)
    await stand.cancel(id)
    stand.clock.offset = 31_000
    await rounds()
    expect((await stand.runOf(id)).status).toBe('cancelled')
    expect(await stand.balance(account)).toBe(10)
  })

  test('whose time limit passed while its worker was lost expires', async () => {
    const account = await stand.openAccount(10)
    const id = await stand.request(account, 'count')
    await start(id)
    stand.clock.offset = 3_600_000
    await rounds()
    expect(await stand.runOf(id)).toMatchObject({ status: 'expired', code: 'run-limit' })
    expect(await stand.balance(account)).toBe(10)
  })

  test('whose end was written without its refund is refunded once', async () => {
    const account = await stand.openAccount(10)
    const id = await stand.request(account, 'count')
    await start(id)
    const { state } = await stand.runs.load(id)
    const { handle } = stand.accounts
    Object.assign(stand.accounts, { handle: async () => {} })
    await stand.commands.handle(
      id,
      { type: 'finish', attempt: 1, end: { status: 'failed', code: 'not-found' } },
      cause(),
    )
    Object.assign(stand.accounts, { handle })
    expect(state.status).toBe('running')
    expect(await stand.balance(account)).toBe(9)
    stand.clock.offset = 3000
    await rounds()
    expect(await stand.balance(account)).toBe(10)
    expect(await refunds(account)).toBe(1)
  })

  test('whose lost worker pays for a block while its end is written is refunded that block', async () => {
    const account = await stand.openAccount(10)
    const id = await stand.request(account, 'count')
    await start(id)
    // The end counted the charges before this one.
    const block = {
      accountId: account,
      runId: id,
      taskKey: (await stand.runOf(id)).taskKey,
      amount: 5,
      block: 1,
    }
    await stand.accounts.handle(
      { type: 'charge', ...block },
      { ...cause(), accountId: account, correlationId: 't' },
    )
    const end = { status: 'succeeded', code: null, charged: 1, unused: 0 } as const
    await stand.commands.handle(id, { type: 'finish', attempt: 1, end }, cause())
    expect(await stand.balance(account)).toBe(4)
    stand.clock.offset = 3000
    await rounds()
    expect(await stand.balance(account)).toBe(9)
    await rounds()
    expect(await refunds(account)).toBe(1)
  })
})

test('a failing row does not block the others', async () => {
  const account = await stand.openAccount(10)
  const [bad, good] = [await charge(account), await charge(account)]
  const { readStream } = stand.log
  Object.assign(stand.log, {
    readStream: (stream: string, from?: number) =>
      stream === runStream(bad)
        ? Promise.reject(new Error('away'))
        : readStream.call(stand.log, stream as never, from),
  })
  stand.clock.offset = 31_000
  await rounds()
  expect(await stand.eventsOf(good)).toEqual(['RunNotAdmitted'])
  Object.assign(stand.log, { readStream })
  expect(await stand.eventsOf(bad)).toEqual([])
  await rounds()
  expect(await stand.eventsOf(bad)).toEqual(['RunNotAdmitted'])
  expect(await stand.balance(account)).toBe(10)
})

test('more rows than fit on a page are all reconciled in one round', async () => {
  const account = await stand.openAccount(2000)
  const ids = await Promise.all(Array.from({ length: 450 }, () => charge(account)))
  stand.clock.offset = 31_000
  await stand.shown()
  await reconciler.once()
  for (const id of ids) expect(await stand.eventsOf(id)).toEqual(['RunNotAdmitted'])
  expect(await stand.balance(account)).toBe(2000)
}, 60_000)
