/**
 * Credits under random orders of commands. Each command is one append of the real service, so these orders include
 * crashes between two appends, workers that return after they were declared lost, and reconciliation that is too early.
 *
 * @module
 */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type AccountCommand,
  accountDecider,
  evolveRunCredits,
  type RunCredits,
} from '../../src/domain/account.ts'
import { type DomainEvent, isTerminalEvent, type Metadata } from '../../src/domain/events.ts'
import type { AccountId, KeyId, RunId } from '../../src/domain/ids.ts'
import {
  isAdmitted,
  isEnded,
  type RunCommand,
  type RunEvent,
  type RunState,
  runDecider,
} from '../../src/domain/run.ts'
import { folded } from './folded.ts'

const accountId = 'acc_1' as AccountId
const keyId = 'key_1' as KeyId
const taskKey = 'photo.profile-download'
const RUNS = 3
const LEASE_S = 30

type Run = { readonly id: RunId; state: RunState; credits: RunCredits | undefined; events: DomainEvent[] }

/** An account and its runs, changed by single commands. */
class World {
  now = Date.UTC(2026, 0, 1)
  account = accountDecider.initial
  readonly booked: DomainEvent[] = []
  readonly runs: Run[] = Array.from({ length: RUNS }, (_, i) => ({
    id: `run_${i}` as RunId,
    state: runDecider.initial,
    credits: undefined,
    events: [],
  }))

  toAccount(command: AccountCommand): void {
    const run = 'runId' in command ? this.runs.find(({ id }) => id === command.runId) : undefined
    const decision = accountDecider.decide({ ...command, paid: run?.credits } as AccountCommand, this.account)
    if ('refused' in decision) return
    for (const event of decision) {
      this.account = folded(accountDecider, [event], this.account)
      this.booked.push(event)
      if (run && (event.type === 'CreditsCharged' || event.type === 'CreditsRefunded'))
        run.credits = evolveRunCredits(run.credits, event, 'service')
    }
  }

  toRun(run: Run, command: RunCommand, charged?: number): void {
    const counted = charged === undefined ? command : ({ ...command, charged } as RunCommand)
    const decision = runDecider.decide(counted, run.state)
    if (!('refused' in decision)) this.append(run, decision)
  }

  append(run: Run, events: readonly RunEvent[]): void {
    const at = new Date(this.now).toISOString()
    const meta: Metadata = {
      $correlationId: 'r',
      $causationId: 'r',
      account_id: accountId,
      actor: 'service',
      at,
      v: '1',
    }
    for (const event of events) {
      run.state = runDecider.evolve(run.state, event, meta)
      run.events.push(event)
    }
  }

  charge(run: Run, amount: number, block?: number): void {
    this.toAccount({ type: 'charge', accountId, runId: run.id, taskKey, amount, block })
  }

  /** The second step of a kickoff: requests only a charged run. */
  request(run: Run, price: number): void {
    const { credits, id } = run
    if (run.state.status !== 'none') return
    if (price > 0 && (credits?.charged !== price || credits.refunded > 0)) return
    const queue_until = new Date(this.now + 900_000).toISOString()
    const ids = { run_id: id, account_id: accountId, key_id: keyId }
    const input = { task_key: taskKey, price, input_ref: '', fingerprint: '' }
    const data = { ...ids, ...input, queue_until, run_limit_s: 300 }
    this.append(run, [{ type: 'RunRequested', data }])
  }

  /** Refunds as src/runs/commands.ts and the reconciler do: the end of a run decides what is kept. */
  refund(run: Run): void {
    const { state } = run
    const keep = isAdmitted(state) && isEnded(state) ? state.charged - state.refunded : 0
    const isOver = state.status === 'closed' || (isAdmitted(state) && isEnded(state))
    if (isOver) this.toAccount({ type: 'refund', accountId, runId: run.id, keep, reason: 'over' })
  }

  settle(run: Run): void {
    if (run.credits && run.state.status === 'none')
      this.toRun(run, { type: 'close', runId: run.id, accountId })
    this.toRun(run, { type: 'tick', now: this.now, leaseS: LEASE_S }, run.credits?.charged)
    this.refund(run)
  }
}

type Step = { readonly name: string; apply(world: World): void }
const aRun = fc.integer({ min: 0, max: RUNS - 1 })
const price = fc.constantFrom(0, 1, 5, 40, 60)
const attempt = fc.constantFrom(1, 1, 2, 3)
const block = fc.integer({ min: 1, max: 3 })

/** A step with a random run and one more random choice. */
const step = <T>(name: string, choice: fc.Arbitrary<T>, apply: (world: World, run: Run, chosen: T) => void) =>
  fc.tuple(aRun, choice).map(
    ([i, chosen]): Step => ({
      name: `${name} ${i} ${JSON.stringify(chosen)}`,
      apply: (world) => apply(world, world.runs[i]!, chosen),
    }),
  )
const end = fc.record({
  status: fc.constantFrom('succeeded' as const, 'succeeded' as const, 'failed' as const, 'errored' as const),
  unused: fc.constantFrom(0, 0, 5, 99),
})
const STEPS = fc.oneof(
  step('grant', fc.integer({ min: 1, max: 60 }), (world, _, amount) =>
    world.toAccount({ type: 'grant', accountId, amount }),
  ),
  step('entitle', fc.boolean(), (world, _, suspended) =>
    world.toAccount({ type: 'entitle', accountId, suspended }),
  ),
  step('set the level', fc.constantFrom(null, 1, 30, 60, 90, 200), (world, _, level) =>
    world.toAccount({ type: 'set-credits-level', accountId, level }),
  ),
  step('kickoff', price, (world, run, amount) => {
    world.charge(run, amount)
    world.request(run, amount)
  }),
  step('charge', price, (world, run, amount) => world.charge(run, amount)),
  step('request', price, (world, run, amount) => world.request(run, amount)),
  step('start', fc.constant(0), (world, run) =>
    world.toRun(run, { type: 'start', now: world.now, leaseS: LEASE_S }),
  ),
  step('pay a block', block, (world, run, n) => world.charge(run, 5, n)),
  step('progress', attempt, (world, run, n) =>
    world.toRun(run, {
      type: 'progress',
      attempt: n,
      now: world.now,
      leaseS: LEASE_S,
      progress: { done: 1, total: null, message: null },
      ...(run.credits ? { charged: run.credits.charged } : {}),
    }),
  ),
  step('finish', fc.tuple(attempt, end), (world, run, [n, { status, unused }]) =>
    world.toRun(run, {
      type: 'finish',
      attempt: n,
      end: { status, code: status === 'succeeded' ? null : 'x', unused, charged: run.credits?.charged },
    }),
  ),
  step('hand back', attempt, (world, run, n) => world.toRun(run, { type: 'hand-back', attempt: n })),
  step('cancel', fc.constant(0), (world, run) => world.toRun(run, { type: 'cancel', keyId })),
  step('refund', fc.constant(0), (world, run) => world.refund(run)),
  step('settle', fc.constant(0), (world, run) => world.settle(run)),
  step('wait', fc.constantFrom(1, 31, 400, 1000), (world, _, s) => {
    world.now += s * 1000
  }),
)

function checkBooks(world: World): void {
  let sum = 0
  for (const { type, data } of world.booked) {
    if (!('amount' in data)) continue
    sum += type === 'CreditsCharged' ? -data.amount : data.amount
    expect(data.balance_after).toBe(sum)
    expect(sum).toBeGreaterThanOrEqual(0)
  }
  expect(world.account.balance).toBe(sum)
  const charges = world.booked.filter((event) => event.type === 'CreditsCharged')
  const paid = charges.map(({ data }) => `${data.run_id} ${data.block ?? 'kickoff'}`)
  expect(new Set(paid).size).toBe(paid.length)
}

/** CreditsLow follows exactly the charges that take the balance from at or above the level to below it. */
function checkLow(world: World): void {
  let balance = 0
  let level: number | null = null
  let due: DomainEvent[] = []
  for (const event of world.booked) {
    if (event.type === 'CreditsLow') {
      expect(due.shift()).toEqual(event)
      continue
    }
    expect(due).toEqual([])
    if (event.type === 'CreditsLevelSet') level = event.data.level
    if (!('amount' in event.data)) continue
    const before = balance
    balance = event.data.balance_after
    if (level !== null && before >= level && balance < level)
      due = [{ type: 'CreditsLow', data: { account_id: accountId, balance, level } }]
  }
  expect(due).toEqual([])
}

function checkRun({ credits, events }: Run): void {
  if (credits) expect(credits.refunded).toBeLessThanOrEqual(credits.charged)
  const ends = events.filter(({ type }) => isTerminalEvent(type) || type === 'RunNotAdmitted')
  expect(ends.length).toBeLessThanOrEqual(1)
  if (ends.length === 1) expect(events.at(-1)).toBe(ends[0]!)
}

function checkSettled({ state, credits, events }: Run): void {
  if (!credits) return
  expect(events.filter(({ type }) => isTerminalEvent(type) || type === 'RunNotAdmitted')).toHaveLength(1)
  const kept = credits.charged - credits.refunded
  if (state.status === 'succeeded') expect(kept).toBe(state.charged - state.refunded)
  else expect(kept).toBe(0)
}

test('credits add up after every command, and every reconciled run is paid or refunded', () => {
  fc.assert(
    fc.property(fc.array(STEPS, { minLength: 10, maxLength: 150, size: 'max' }), (steps) => {
      const world = new World()
      world.toAccount({ type: 'open', accountId, name: 'a', credits: 90 })
      for (const each of steps) {
        const before = world.runs.map(({ state }) => state)
        each.apply(world)
        checkBooks(world)
        checkLow(world)
        for (const [i, run] of world.runs.entries()) {
          checkRun(run)
          const was = before[i]!
          if (was.status === 'closed' || (isAdmitted(was) && isEnded(was))) expect(run.state).toBe(was)
        }
      }
      // After the last deadline. A worker may be lost up to three times before it.
      for (let round = 0; round < 4; round++) {
        world.now += 3_600_000
        for (const run of world.runs) world.settle(run)
      }
      checkBooks(world)
      for (const run of world.runs) {
        checkRun(run)
        checkSettled(run)
      }
    }),
    { numRuns: 500 },
  )
})
