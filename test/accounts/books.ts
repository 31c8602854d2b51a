/**
 * The invariants of an account and its runs, at any moment and after reconciliation, checked on their streams alone.
 *
 * @module
 */
import { expect } from 'bun:test'
import { isTerminalEvent } from '../../src/domain/events.ts'
import { type AccountId, accountStream, type RunId } from '../../src/domain/ids.ts'
import { isAdmitted, isEnded } from '../../src/domain/run.ts'
import { type Process, runEvents } from './processes.ts'

type Sums = { charged: number; refunded: number; readonly paid: string[] }

/** Checks the account's stream. @returns the credits that each run was charged and refunded */
export async function checkBooks(process: Process, account: AccountId): Promise<Map<RunId, Sums>> {
  const runs = new Map<RunId, Sums>()
  let balance = 0
  let before = ''
  for (const { event, meta } of await process.log.readStream(accountStream(account))) {
    if (!event || !('amount' in event.data)) continue
    expect(meta.at >= before).toBe(true)
    before = meta.at
    const { amount, balance_after } = event.data
    balance += event.type === 'CreditsCharged' ? -amount : amount
    expect(balance_after).toBe(balance)
    expect(balance).toBeGreaterThanOrEqual(0)
    if (event.type === 'CreditsGranted' || !('run_id' in event.data)) continue
    const sums = runs.get(event.data.run_id) ?? { charged: 0, refunded: 0, paid: [] }
    runs.set(event.data.run_id, sums)
    if (event.type === 'CreditsCharged') {
      sums.charged += amount
      sums.paid.push('block' in event.data ? `block ${event.data.block}` : 'kickoff')
    } else sums.refunded += amount
    expect(sums.refunded).toBeLessThanOrEqual(sums.charged)
    expect(new Set(sums.paid).size).toBe(sums.paid.length)
  }
  return runs
}

/** Checks that every charge belongs to a completed or closed run, and that only succeeded runs keep credits. */
export async function checkSettled(process: Process, account: AccountId): Promise<void> {
  for (const [run, { charged, refunded }] of await checkBooks(process, account)) {
    const events = await runEvents(process, run)
    const ends = events.filter(({ type }) => isTerminalEvent(type) || type === 'RunNotAdmitted')
    expect(ends).toHaveLength(1)
    expect(events.at(-1)).toBe(ends[0]!)
    const { state } = await process.runs.load(run)
    if (state.status === 'closed') expect(events).toHaveLength(1)
    else expect(isAdmitted(state) && isEnded(state)).toBe(true)
    const kept = state.status === 'succeeded' ? state.charged - state.refunded : 0
    expect({ run, kept: charged - refunded }).toEqual({ run, kept })
  }
}
