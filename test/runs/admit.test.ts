import { afterAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { type AccountId, accountStream, newAccountId } from '../../src/domain/ids.ts'
import type { RunRequest } from '../../src/runs/admit.ts'
import { decodeInput } from '../../src/runs/input.ts'
import { checkBooks, checkSettled } from '../accounts/books.ts'
import {
  aRequest,
  cause,
  chargedRuns,
  keyId,
  type Process,
  settle,
  startProcess,
} from '../accounts/processes.ts'

const base = temporaryFolder()
const processes: Process[] = []
afterAll(async () => {
  for (const process of processes) await process.close()
})

async function world(credits: number, n = 1) {
  const folder = join(base, randomBytes(6).toString('hex'))
  mkdirSync(folder)
  const started = Array.from({ length: n }, () => startProcess(folder))
  processes.push(...started)
  const account = newAccountId(Date.now(), randomBytes(10))
  const open = { type: 'open', accountId: account, name: 'a', credits } as const
  await started[0]!.accounts.handle(open, cause(account))
  const admit = (more: Partial<RunRequest> = {}, i = 0) =>
    started[i % n]!.admit.admit(aRequest(account, more))
  return { account, process: started[0]!, admit }
}

describe('an admitted run', () => {
  test('is charged, and another node finds it at once, but only for its account', async () => {
    const { account, process, admit } = await world(15, 2)
    const admission = await admit({}, 1)
    if (admission.kind !== 'admitted') throw new Error(admission.kind)
    const { runId } = admission.run
    expect((await process.runs.find(runId, account))?.state).toEqual(admission.run)
    expect(await process.accounts.credits(account, runId)).toMatchObject({ charged: 10, refunded: 0 })
    expect(await process.runs.find(runId, newAccountId(0, randomBytes(10)))).toBeUndefined()
  })

  test.each([1, 200_000])(
    'has its title and its input of %d characters stored before the kickoff returns',
    async (n) => {
      const { process, admit } = await world(15)
      const input = JSON.stringify({ query: 'x'.repeat(n) })
      const admission = await admit({ input, title: 'A title' })
      if (admission.kind !== 'admitted') throw new Error(admission.kind)
      const stored = await process.artifacts.get(admission.run.inputRef)
      expect(decodeInput(stored!)).toEqual({ title: 'A title', input })
    },
  )

  test('is not charged when its price is 0', async () => {
    const { account, process, admit } = await world(0)
    expect((await admit({ price: 0 })).kind).toBe('admitted')
    expect(await chargedRuns(process, account)).toEqual([])
  })
})

describe('an account with credits for 100 of 200 concurrent kickoffs', () => {
  test.each([1, 2])('admits exactly 100, with %d processes', async (n) => {
    const { account, process, admit } = await world(1000, n)
    const admissions = await Promise.all(Array.from({ length: 200 }, (_, i) => admit({}, i)))
    expect(admissions.filter(({ kind }) => kind === 'admitted')).toHaveLength(100)
    const refused = admissions.filter((a) => a.kind === 'refused').map((a) => a.refusal)
    expect(refused).toEqual(Array(100).fill({ refused: 'insufficient-credits', required: 10, balance: 0 }))
    expect(await chargedRuns(process, account)).toHaveLength(100)
    await checkBooks(process, account)
  })
})

describe('an Idempotency-Key', () => {
  test.each([1, 2])(
    'turns 50 concurrent kickoffs into one run and one charge, with %d processes',
    async (n) => {
      const { account, process, admit } = await world(1000, n)
      const admissions = await Promise.all(
        Array.from({ length: 50 }, (_, i) => admit({ idempotencyKey: 'k' }, i)),
      )
      const admitted = admissions.flatMap((a) => (a.kind === 'admitted' ? [a] : []))
      for (const { kind } of admissions) expect(['admitted', 'in-progress']).toContain(kind)
      expect(new Set(admitted.map(({ run }) => run.runId)).size).toBe(1)
      expect(admitted.filter(({ replayed }) => !replayed)).toHaveLength(1)
      expect(await chargedRuns(process, account)).toHaveLength(1)
      expect((await process.accounts.state(account)).balance).toBe(990)
    },
  )

  test('returns the same run again, also after its end, and only to its own account', async () => {
    const { account, process, admit } = await world(100)
    const first = await admit({ idempotencyKey: 'k' })
    if (first.kind !== 'admitted') throw new Error(first.kind)
    const { runId } = first.run
    await process.commands.handle(runId, { type: 'cancel', keyId }, { causationId: 'x', now: Date.now() })
    const again = await admit({ idempotencyKey: 'k' })
    expect(again).toMatchObject({ kind: 'admitted', replayed: true, run: { runId, status: 'cancelled' } })
    expect((await process.accounts.state(account)).balance).toBe(100)
    const other = newAccountId(Date.now(), randomBytes(10))
    await process.accounts.handle({ type: 'open', accountId: other, name: 'b', credits: 50 }, cause(other))
    expect(await admit({ idempotencyKey: 'k', accountId: other })).toMatchObject({ replayed: false })
  })

  test('is refused with another input or task, and charges nothing', async () => {
    const { account, process, admit } = await world(100)
    await admit({ idempotencyKey: 'k' })
    for (const more of [{ input: '{}' }, { taskKey: 'forum.wiki' }, { taskKey: 'forum.wiki', price: 3 }]) {
      expect(await admit({ idempotencyKey: 'k', ...more })).toEqual({ kind: 'key-reused' })
    }
    expect((await process.accounts.state(account)).balance).toBe(90)
  })

  test('is not used up by a refused kickoff', async () => {
    const { account, process, admit } = await world(5)
    expect(await admit({ idempotencyKey: 'k' })).toMatchObject({ kind: 'refused' })
    await process.accounts.handle({ type: 'grant', accountId: account, amount: 5 }, cause(account))
    expect(await admit({ idempotencyKey: 'k', price: 7 })).toMatchObject({
      kind: 'admitted',
      replayed: false,
    })
  })

  test('adopts the charge of an interrupted kickoff; another price or task waits for the reconciler', async () => {
    const { account: second, process, admit } = await world(100)
    // The state after a kickoff died right after its charge. The run id is the one derived from its key.
    const probe = await probeRunId(second)
    const charge = {
      type: 'charge',
      accountId: second,
      runId: probe,
      taskKey: 'forum.search',
      amount: 10,
    } as const
    await process.accounts.handle(charge, cause(second))
    expect(await admit({ idempotencyKey: 'k', price: 11 })).toEqual({ kind: 'in-progress' })
    expect(await admit({ idempotencyKey: 'k', taskKey: 'x' })).toEqual({ kind: 'in-progress' })
    const taken = await admit({ idempotencyKey: 'k' })
    expect(taken).toMatchObject({ kind: 'admitted', replayed: false, run: { runId: probe } })
    expect((await process.accounts.state(second)).balance).toBe(90)
    await checkBooks(process, second)
  })

  test('leads to a new run after the reconciler closed and refunded the first one', async () => {
    const { account, process, admit } = await world(100)
    const closed = await probeRunId(account)
    const charge = {
      type: 'charge',
      accountId: account,
      runId: closed,
      taskKey: 'forum.search',
      amount: 10,
    } as const
    await process.accounts.handle(charge, cause(account))
    await settle(process, account, Date.now())
    expect((await process.accounts.state(account)).balance).toBe(100)
    expect(await process.runs.find(closed, account)).toBeUndefined()
    const admission = await admit({ idempotencyKey: 'k' })
    if (admission.kind !== 'admitted') throw new Error(admission.kind)
    expect(admission.run.runId).not.toBe(closed)
    expect(await admit({ idempotencyKey: 'k' })).toMatchObject({
      replayed: true,
      run: { runId: admission.run.runId },
    })
    const entries = await process.log.readStream(accountStream(account))
    expect(entries.filter(({ type }) => type === 'CreditsCharged')).toHaveLength(2)
    await settle(process, account, Date.now() + 3_600_000)
    await checkSettled(process, account)
  })

  /** The first run id that is derived from the key `k` of an account, found by a kickoff in another store. */
  async function probeRunId(account: AccountId) {
    const folder = join(base, randomBytes(6).toString('hex'))
    mkdirSync(folder)
    const elsewhere = startProcess(folder)
    processes.push(elsewhere)
    await elsewhere.accounts.handle(
      { type: 'open', accountId: account, name: 'x', credits: 10 },
      cause(account),
    )
    const admission = await elsewhere.admit.admit(aRequest(account, { idempotencyKey: 'k' }))
    if (admission.kind !== 'admitted') throw new Error(admission.kind)
    return admission.run.runId
  }
})
