/** What runs took and got back lately: right, and bounded. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { RecentCredits, sumOf } from '../../src/accounts/recent-credits.ts'
import { evolveRunCredits, type RunCredits } from '../../src/domain/account.ts'
import type { DomainEvent } from '../../src/domain/events.ts'
import type { AccountId, RunId } from '../../src/domain/ids.ts'

const account_id = 'acc_1' as AccountId
type Step = { readonly run: number; readonly kind: 'kickoff' | 'block' | 'refund' | 'grant' }
const step = fc.record({
  run: fc.nat(30),
  kind: fc.constantFrom('kickoff' as const, 'block' as const, 'refund' as const, 'grant' as const),
})
const runId = (run: number) => `run_${run}` as RunId

function eventOf({ run, kind }: Step, n: number): DomainEvent {
  const data = { account_id, amount: 1 + (n % 7), balance_after: 0 }
  if (kind === 'grant') return { type: 'CreditsGranted', data }
  const of = { ...data, run_id: runId(run) }
  if (kind === 'refund') return { type: 'CreditsRefunded', data: { ...of, reason: 'failed' } }
  return { type: 'CreditsCharged', data: { ...of, reason: 'a.b', ...(kind === 'block' ? { block: n } : {}) } }
}

test('with what lies before it, it gives the whole sums of each run, wherever it began', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), fc.nat(50), (steps, start) => {
      const first = Math.min(start, steps.length) - 1
      const recent = new RecentCredits(first)
      const past: { revision: number; event: DomainEvent }[] = []
      for (const [revision, each] of steps.entries()) {
        const event = eventOf(each, revision)
        past.push({ revision, event })
        if (revision > first) recent.add(event, revision)
      }
      for (let run = 0; run <= 30; run++) {
        const sum = (upTo: number) => {
          let credits: RunCredits | undefined
          for (const { revision, event } of past) {
            if (revision > upTo || event.type === 'CreditsGranted' || !('run_id' in event.data)) continue
            if (event.data.run_id === runId(run)) credits = evolveRunCredits(credits, event as never)
          }
          return credits
        }
        const whole = sum(Number.POSITIVE_INFINITY)
        expect(sumOf(sum(recent.since), recent.of(runId(run)))).toEqual(whole)
      }
    }),
  )
})

test('it keeps 32 to 64 charges and refunds, however many come', () => {
  const recent = new RecentCredits(-1)
  for (let n = 0; n < 10_000; n++) {
    recent.add(eventOf({ run: n, kind: 'kickoff' }, n), n)
    const kept = Array.from({ length: 100 }, (_, i) => n - i).filter((run) => recent.of(runId(run)))
    expect(kept).toHaveLength(Math.min(n + 1, kept.length))
    expect(kept.length).toBeGreaterThanOrEqual(Math.min(n + 1, 32))
    expect(kept.length).toBeLessThanOrEqual(64)
    expect(n - recent.since).toBe(kept.length)
  }
})

test('a run whose first charge is there has nothing before it, one whose first charge is not may have', () => {
  const recent = new RecentCredits(5)
  recent.add(eventOf({ run: 1, kind: 'kickoff' }, 6), 6)
  recent.add(eventOf({ run: 2, kind: 'block' }, 7), 7)
  expect([1, 2, 3].map((run) => recent.isWhole(runId(run)))).toEqual([true, false, false])
  expect(new RecentCredits(-1).isWhole(runId(3))).toBe(true)
})
