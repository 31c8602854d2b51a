/**
 * The queue is fair among accounts, respects limits, and loses no run.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { CANARY_ACCOUNT_ID } from '../../src/domain/health/canary.ts'
import type { AccountId, RunId } from '../../src/domain/ids.ts'
import { FairQueue } from '../../src/worker/queue/fair-queue.ts'

const run = (id: string) => id as RunId
const account = (id: string) => id as AccountId

/** A queue that sets the limit of each account with its first run. */
function queueOf(limit = 0) {
  const queue = new FairQueue()
  let at = 0
  return {
    queue,
    add(id: string, of: string, revision = 0) {
      queue.queued({ id: run(id), account: account(of), revision }, ++at)
      if (!queue.knows(account(of))) queue.limit(account(of), limit)
    },
    end(id: string) {
      queue.ended(run(id))
    },
    next: () => queue.next() as string | undefined,
  }
}

describe('the order', () => {
  test('runs of one account are taken in the order of their requests', () => {
    const { add, next } = queueOf()
    for (const id of ['a', 'b', 'c']) add(id, 'x')
    expect([next(), next(), next(), next()]).toEqual(['a', 'b', 'c', undefined])
  })

  test('the runs of the canary, which are free, come after those of all other accounts', () => {
    const { add, end, next } = queueOf(1)
    for (const id of ['free', 'free too']) add(id, CANARY_ACCOUNT_ID)
    for (const id of ['a', 'b']) add(id, 'x')
    add('c', 'y')
    expect([next(), next()]).toEqual(['a', 'c'])
    end('a')
    expect(next()).toBe('b')
    // No other account may start one now.
    expect([next(), next()]).toEqual(['free', undefined])
    end('free')
    add('d', 'z')
    expect([next(), next()]).toEqual(['d', 'free too'])
  })

  test('an account waits for only one run of another account that has 10,000 waiting', () => {
    const { add, next } = queueOf()
    for (let i = 0; i < 10_000; i++) add(`many${i}`, 'many')
    next()
    add('first', 'few')
    expect([next(), next(), next()]).toEqual(['many1', 'first', 'many2'])
  })

  test('accounts get turns in the order in which they came', () => {
    const { add, next } = queueOf()
    for (const of of ['a', 'b', 'c']) for (const n of [1, 2]) add(`${of}${n}`, of)
    expect([next(), next()]).toEqual(['a1', 'b1'])
    add('d1', 'd')
    expect([next(), next(), next(), next(), next()]).toEqual(['c1', 'a2', 'b2', 'd1', 'c2'])
  })

  test('an account at its limit is skipped until one of its runs ends', () => {
    const { add, end, next } = queueOf(1)
    for (const id of ['a1', 'a2']) add(id, 'a')
    for (const id of ['b1', 'b2']) add(id, 'b')
    expect([next(), next(), next()]).toEqual(['a1', 'b1', undefined])
    end('b1')
    expect([next(), next()]).toEqual(['b2', undefined])
    end('a1')
    expect(next()).toBe('a2')
  })

  test('requeued runs and runs whose claim failed come first', () => {
    const { add, next, queue } = queueOf()
    for (const id of ['a', 'b', 'c', 'd']) add(id, 'x')
    expect([next(), next(), next()]).toEqual(['a', 'b', 'c'])
    queue.leased({ id: run('b'), account: account('x'), revision: 1 })
    queue.requeued({ id: run('b'), account: account('x'), revision: 2 }, 0)
    queue.putBack(run('a'))
    queue.requeued({ id: run('earlier'), account: account('x'), revision: 2 }, 0)
    expect([next(), next(), next(), next()]).toEqual(['b', 'a', 'earlier', 'd'])
  })
})

describe('an event', () => {
  test('of an old revision changes nothing', () => {
    const { queue, next } = queueOf()
    const news = (revision: number) => ({ id: run('a'), account: account('x'), revision })
    queue.leased(news(1))
    queue.limit(account('x'), 0)
    queue.queued(news(0), 1)
    expect(next()).toBeUndefined()
    queue.requeued(news(2), 1)
    expect(next()).toBe('a')
  })

  test('of another worker’s claim removes the run', () => {
    const { add, next, queue } = queueOf()
    add('a', 'x')
    queue.leased({ id: run('a'), account: account('x'), revision: 1 })
    expect(next()).toBeUndefined()
    expect(queue.size).toBe(0)
  })

  test('of an end removes a run even if its failed claim puts it back afterwards', () => {
    const { add, next, queue } = queueOf()
    add('a', 'x')
    next()
    queue.ended(run('a'))
    queue.putBack(run('a'))
    expect(next()).toBeUndefined()
  })
})

test('a run whose end is being written frees its slot, until it is requeued', () => {
  const { queue, add, next } = queueOf(1)
  for (const id of ['a', 'b', 'c']) add(id, 'x')
  expect(next()).toBe('a')
  queue.leased({ id: run('a'), account: account('x'), revision: 1 })
  queue.finishing(run('a'))
  expect(next()).toBe('b')
  queue.requeued({ id: run('a'), account: account('x'), revision: 2 }, 0)
  queue.ended(run('b'))
  expect([next(), next()]).toEqual(['a', undefined])
})

test('an account waits until its limit is known', () => {
  const queue = new FairQueue()
  queue.queued({ id: run('a'), account: account('x'), revision: 0 }, 5)
  expect(queue.knows(account('x'))).toBe(false)
  expect(queue.next()).toBeUndefined()
  expect(queue.oldest()).toBe(5)
  queue.limit(account('x'), 1)
  expect(queue.next()).toBe(run('a'))
  expect(queue.oldest()).toBeUndefined()
})

test('a run whose request was not seen counts as waiting since it was requeued', () => {
  const { queue } = queueOf()
  queue.leased({ id: run('a'), account: account('x'), revision: 1 })
  queue.limit(account('x'), 0)
  queue.requeued({ id: run('a'), account: account('x'), revision: 2 }, 7)
  expect(queue.oldest()).toBe(7)
})

test('a limit counts runs leased by other workers, and a raised limit takes effect at once', () => {
  const { add, next, queue } = queueOf(1)
  queue.leased({ id: run('other'), account: account('x'), revision: 1 })
  add('a', 'x')
  expect(next()).toBeUndefined()
  queue.limit(account('x'), 2)
  expect(next()).toBe('a')
  add('b', 'x')
  expect(next()).toBeUndefined()
  queue.limit(account('x'), 0)
  expect(next()).toBe('b')
})

test('an account that is full on other workers is skipped until one of its runs ends', () => {
  const { add, end, next, queue } = queueOf(2)
  queue.leased({ id: run('other'), account: account('x'), revision: 1 })
  for (const id of ['a', 'b']) add(id, 'x')
  add('c', 'y')
  queue.full(account('x'), true)
  expect([next(), next()]).toEqual(['c', undefined])
  end('other')
  expect(next()).toBe('a')
  queue.full(account('x'), true)
  expect(next()).toBeUndefined()
  queue.full(account('x'), false)
  expect(next()).toBe('b')
})

test('runs that other workers claim and end are removed from memory', () => {
  const { add, next, queue } = queueOf(1)
  queue.leased({ id: run('long'), account: account('x'), revision: 1 })
  for (let i = 0; i < 20_000; i++) {
    add(`r${i}`, 'x')
    queue.leased({ id: run(`r${i}`), account: account('x'), revision: 1 })
    queue.ended(run(`r${i}`))
  }
  expect(queue.size).toBe(0)
  expect(queue.oldest()).toBeUndefined()
  queue.ended(run('long'))
  add('last', 'x')
  expect(next()).toBe('last')
})

test('an account keeps its limit while it has a run, even after runs of 11,000 other accounts', () => {
  const { add, end, next, queue } = queueOf(1)
  add('a', 'x')
  next()
  // The end of `a` is being written, so the account has no open run for now.
  queue.finishing(run('a'))
  add('b', 'x')
  end('b')
  queue.requeued({ id: run('a'), account: account('x'), revision: 2 }, 0)
  for (let i = 0; i < 11_000; i++) {
    add(`r${i}`, `account${i}`)
    end(`r${i}`)
  }
  expect(next()).toBe('a')
  add('c', 'x')
  expect(next()).toBeUndefined()
  queue.limit(account('x'), 2)
  expect(next()).toBe('c')
})

type Step = { readonly kind: 'add' | 'next' | 'end' | 'putBack' | 'requeue' | 'limit'; readonly n: number }

/** A simple reference model of the queue. */
class Model {
  /** `order`: smaller comes first; requeued runs have negative values */
  readonly runs = new Map<
    string,
    { account: string; order: number; status: 'queued' | 'leased'; revision: number }
  >()
  /** accounts that may be served, in the order of their turns */
  turns: string[] = []
  readonly limits = new Map<string, number>()

  private leased(of: string): number {
    return [...this.runs.values()].filter((r) => r.account === of && r.status === 'leased').length
  }

  /** Must be called after each change: ineligible accounts lose their turn, newly eligible ones come last. */
  enqueue(): void {
    const eligible = this.eligible()
    this.turns = this.turns.filter((a) => eligible.includes(a))
    this.turns.push(...eligible.filter((a) => !this.turns.includes(a)))
  }

  /** Takes the next run and leases it. */
  take(): string | undefined {
    const of = this.turns.shift()
    const waiting = [...this.runs].filter(([, r]) => r.account === of && r.status === 'queued')
    const [id, first] = waiting.toSorted(([, a], [, b]) => a.order - b.order)[0] ?? []
    if (first) first.status = 'leased'
    this.enqueue()
    return id
  }

  /** Accounts that may be served now. */
  private eligible(): string[] {
    const accounts = new Set(
      [...this.runs.values()].filter((r) => r.status === 'queued').map((r) => r.account),
    )
    return [...accounts].filter((a) => {
      const limit = this.limits.get(a) ?? 0
      return limit === 0 || this.leased(a) < limit
    })
  }
}

test('the queue takes the same runs as its reference model, whatever their sources, after any sequence of changes', () => {
  const step = fc.record({
    kind: fc.constantFrom<Step['kind'][]>(
      'add',
      'add',
      'add',
      'next',
      'next',
      'end',
      'putBack',
      'requeue',
      'limit',
    ),
    n: fc.nat({ max: 30 }),
  }) as fc.Arbitrary<Step>
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const model = new Model()
      const queue = new FairQueue()
      let created = 0
      let again = -1000
      const leased = () => [...model.runs].filter(([, r]) => r.status === 'leased')
      for (const { kind, n } of steps) {
        const of = `account${n % 4}`
        const [id, entry] = leased()[n % Math.max(1, leased().length)] ?? []
        if (kind === 'add') {
          const name = `run${++created}`
          model.runs.set(name, { account: of, order: created, status: 'queued', revision: 0 })
          const source = `source${n % 3}`
          queue.queued({ id: run(name), account: account(of), source, revision: 0 }, created)
          if (!queue.knows(account(of))) queue.limit(account(of), model.limits.get(of) ?? 0)
        } else if (kind === 'limit') {
          model.limits.set(of, n % 3)
          queue.limit(account(of), n % 3)
        } else if (kind === 'next') expect(queue.next() as string | undefined).toBe(model.take())
        else if (id && entry) {
          if (kind === 'end') {
            model.runs.delete(id)
            queue.ended(run(id))
          } else {
            entry.status = 'queued'
            entry.order = ++again
            if (kind === 'putBack') queue.putBack(run(id))
            else {
              entry.revision += 2
              const news = { id: run(id), account: account(entry.account) }
              queue.requeued({ ...news, revision: entry.revision }, 0)
            }
          }
        }
        model.enqueue()
      }
      expect(queue.size).toBe([...model.runs.values()].filter((r) => r.status === 'queued').length)
      for (;;) {
        const id = queue.next()
        expect(id as string | undefined).toBe(model.take())
        if (id === undefined) return
      }
    }),
    { numRuns: 500 },
  )
})
