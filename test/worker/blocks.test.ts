/** Prices per block: each block is charged once, before it begins, and unused credits are refunded. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { CANARY_ACCOUNT_ID } from '../../src/domain/health/canary.ts'
import type { AccountId } from '../../src/domain/ids.ts'
import { accountStream } from '../../src/domain/ids.ts'
import { openStand, type Stand } from './stand.ts'

let stand: Stand
beforeEach(async () => {
  stand = await openStand()
})
afterEach(() => stand.close())

const blocks = (account: AccountId, input: object) => stand.request(account, 'blocks', input)

/** The charges and refunds of an account's stream. */
async function entries(account: AccountId): Promise<(string | number)[][]> {
  const events = await stand.log.readStream(accountStream(account))
  return events.flatMap(({ event }) => {
    if (event?.type === 'CreditsCharged')
      return [['charged', event.data.amount, ...(event.data.block === undefined ? [] : [event.data.block])]]
    return event?.type === 'CreditsRefunded' ? [['refunded', event.data.amount]] : []
  })
}

describe('a run', () => {
  test('is charged for its blocks and reports the total at its end', async () => {
    const account = await stand.openAccount(100)
    await stand.startWorker()
    const ended = await stand.ended(await blocks(account, { count: 3 }))
    expect(ended).toMatchObject({ run_status: 'succeeded', credits: { charged: 16, refunded: 0 } })
    expect(await entries(account)).toEqual([
      ['charged', 1],
      ['charged', 5, 1],
      ['charged', 5, 2],
      ['charged', 5, 3],
    ])
    expect(await stand.balance(account)).toBe(84)
  })

  test('whose account cannot pay for a block continues without it', async () => {
    const account = await stand.openAccount(12)
    await stand.startWorker()
    const ended = await stand.ended(await blocks(account, { count: 3 }))
    expect(ended.result.items).toEqual([{ n: 1 }, { n: 2 }])
    expect(ended).toMatchObject({ run_status: 'succeeded', credits: { charged: 11, refunded: 0 } })
    expect(await stand.balance(account)).toBe(1)
  })

  test('of the canary gets no block, which nobody would pay for, even if its account has credits', async () => {
    const accountId = CANARY_ACCOUNT_ID
    const cause = { accountId, correlationId: 'test', causationId: 'test', now: 0 }
    await stand.accounts.handle({ type: 'open', accountId, name: 'canary', credits: 100 }, cause)
    await stand.startWorker()
    const ended = await stand.ended(await stand.request(accountId, 'blocks', { count: 3 }, 0))
    expect(ended).toMatchObject({ run_status: 'succeeded', credits: { charged: 0, refunded: 0 } })
    expect(await entries(accountId)).toEqual([])
    expect(await stand.balance(accountId)).toBe(100)
  })

  test('that succeeds is refunded its unused credits', async () => {
    const account = await stand.openAccount(100)
    await stand.startWorker()
    const ended = await stand.ended(await blocks(account, { count: 3, text: '7' }))
    expect(ended).toMatchObject({ run_status: 'succeeded', credits: { charged: 16, refunded: 9 } })
    await stand.untilBalance(account, 93)
  })

  test('that reports more spent than charged pays what it was charged', async () => {
    const account = await stand.openAccount(100)
    await stand.startWorker()
    const ended = await stand.ended(await blocks(account, { count: 1, text: '50' }))
    expect(ended).toMatchObject({ run_status: 'succeeded', credits: { charged: 6, refunded: 0 } })
  })

  test('that reports an invalid amount as spent ends as a defect and is refunded', async () => {
    const account = await stand.openAccount(100)
    await stand.startWorker()
    const ended = await stand.ended(await blocks(account, { count: 1, text: '1000' }))
    expect(ended).toMatchObject({ run_status: 'errored', error: { code: 'defect' } })
    expect(ended.credits).toEqual({ charged: 6, refunded: 6 })
    await stand.untilBalance(account, 100)
  })

  test('that fails is refunded all its blocks', async () => {
    const account = await stand.openAccount(100)
    await stand.startWorker()
    const ended = await stand.ended(await blocks(account, { count: 2, text: 'fail' }))
    expect(ended).toMatchObject({ run_status: 'failed', credits: { charged: 11, refunded: 11 } })
    await stand.untilBalance(account, 100)
  })

  test('that is cancelled shows its charges while running and is refunded all its blocks', async () => {
    const account = await stand.openAccount(100)
    await stand.startWorker()
    const id = await blocks(account, { count: 2, text: 'wait' })
    await stand.until(id, ({ charged }) => charged === 11)
    await stand.cancel(id)
    const ended = await stand.ended(id)
    expect(ended).toMatchObject({ run_status: 'cancelled', credits: { charged: 11, refunded: 11 } })
    await stand.untilBalance(account, 100)
  })

  test('that is retried pays for no block twice, and its end includes the blocks of the lost attempt', async () => {
    const account = await stand.openAccount(100)
    const worker = await stand.startWorker()
    const id = await blocks(account, { count: 2, text: 'wait' })
    await stand.until(id, ({ charged }) => charged === 11)
    stand.clock.offset = 40_000
    const tick = { type: 'tick', now: stand.now(), leaseS: 30 } as const
    await stand.commands.handle(id, tick, { causationId: 'test', now: stand.now() })
    await stand.until(id, ({ attempt }) => attempt === 2)
    await stand.until(id, ({ progress }) => progress.done === 2)
    expect(worker.figures().runs).toBe(1)
    await stand.cancel(id)
    expect((await stand.ended(id)).credits).toEqual({ charged: 11, refunded: 11 })
    await stand.untilBalance(account, 100)
    expect(await entries(account)).toEqual([
      ['charged', 1],
      ['charged', 5, 1],
      ['charged', 5, 2],
      ['refunded', 11],
    ])
  }, 60_000)

  test('that charges a block of a task without blocks ends as a defect', async () => {
    const account = await stand.openAccount(100)
    await stand.startWorker()
    const ended = await stand.ended(await stand.request(account, 'no-blocks'))
    expect(ended).toMatchObject({ run_status: 'errored', error: { code: 'defect' } })
  })
})

test('a block charged right before its worker was lost is refunded with the run', async () => {
  const account = await stand.openAccount(100)
  const worker = await stand.startWorker()
  const id = await blocks(account, { count: 1, text: 'wait' })
  await stand.until(id, ({ charged }) => charged === 6)
  await worker.stop(Promise.resolve())
  // The state after a worker died between the charge and the run event that reports it.
  const { correlationId, taskKey } = await stand.runOf(id)
  const cause = { accountId: account, correlationId, causationId: 'test', now: stand.now() }
  const charge = { type: 'charge', accountId: account, runId: id, taskKey, amount: 5, block: 2 } as const
  await stand.accounts.handle(charge, cause)
  await stand.cancel(id)
  expect((await stand.ended(id)).credits).toEqual({ charged: 11, refunded: 11 })
  await stand.untilBalance(account, 100)
})
