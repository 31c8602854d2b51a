/**
 * The queue: fair among accounts, true to limits, and nothing is lost.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { AccountId, RunId } from '../../src/domain/ids.ts'
import { FairQueue } from '../../src/worker/queue.ts'

const run = (id: string) => id as RunId
const account = (id: string) => id as AccountId

/** A queue with accounts whose limit is set as soon as they have a run. */
function queueOf(limit = 0) {
  const queue = new FairQueue()
  let created = 0
  return {
    queue,
    add(id: string, of: string, revision = 0) {
      queue.queued({ id: run(id), account: account(of), revision }, ++created, created)
      if (!queue.knows(account(of))) queue.limit(account(of), limit)
    },
    end(id: string) {
      queue.ended(run(id))
    },
    next: () => queue.next() as string | undefined,
  }
}

describe('the order', () => {
  test('of one account is that of its requests', () => {
    const { add, next } = queueOf()
    for (const id of ['a', 'b', 'c']) add(id, 'x')
    expect([next(), next(), next(), next()]).toEqual(['a', 'b', 'c', undefined])
  })

  test('gives an account its first run although another one has 10,000 waiting', () => {
    const { add, next } = queueOf()
    for (let i = 0; i < 10_000; i++) add(`many${i}`, 'many')
    next()
    add('first', 'few')
    expect(next()).toBe('first')
    expect(next()).toBe('many1')
  })

  test('puts the account first that was served longest ago, also when it had nothing waiting meanwhile', () => {
    const { add, end, next } = queueOf()
    add('a1', 'a')
    expect(next()).toBe('a1')
    end('a1')
    for (const id of ['b1', 'b2']) add(id, 'b')
    add('c1', 'c')
    expect([next(), next()].sort()).toEqual(['b1', 'c1'])
    add('a2', 'a')
    expect([next(), next()]).toEqual(['a2', 'b2'])
  })

  test('is kept when there is no room for the run that is next', () => {
    const { add, end, next, queue } = queueOf(1)
    add('a1', 'a')
    add('b1', 'b')
    const asked: string[] = []
    const refuse = (id: string) => {
      asked.push(id)
      return false
    }
    expect([queue.next(refuse), queue.next(refuse)]).toEqual([undefined, undefined])
    expect(asked).toEqual(['a1', 'a1'])
    expect(queue.size).toBe(2)
    add('a2', 'a')
    expect([next(), next(), next()]).toEqual(['a1', 'b1', undefined])
    end('a1')
    expect(next()).toBe('a2')
  })

  test('puts a run that is back in the queue before those that were requested after it', () => {
    const { add, next, queue } = queueOf()
    for (const id of ['a', 'b', 'c']) add(id, 'x')
    next()
    queue.held({ id: run('a'), account: account('x'), revision: 1 })
    queue.queued({ id: run('a'), account: account('x'), revision: 2 }, 0, 0)
    expect([next(), next(), next()]).toEqual(['a', 'b', 'c'])
  })
})

describe('news', () => {
  test('that is old changes nothing', () => {
    const { queue, next } = queueOf()
    const news = (revision: number) => ({ id: run('a'), account: account('x'), revision })
    queue.held(news(1))
    queue.limit(account('x'), 0)
    queue.queued(news(0), 1, 1)
    expect(next()).toBeUndefined()
    queue.queued(news(2), 1, 1)
    expect(next()).toBe('a')
  })

  test('of another worker’s claim takes the run out', () => {
    const { add, next, queue } = queueOf()
    add('a', 'x')
    queue.held({ id: run('a'), account: account('x'), revision: 1 })
    expect(next()).toBeUndefined()
    expect(queue.size).toBe(0)
  })

  test('of an end after a claim that failed leaves nothing behind', () => {
    const { add, next, queue } = queueOf()
    add('a', 'x')
    next()
    queue.ended(run('a'))
    queue.putBack(run('a'))
    expect(next()).toBeUndefined()
  })
})

describe('a run that is being requested', () => {
  const news = (revision: number) => ({ id: run('new'), account: account('x'), revision })
  const begin = (queue: FairQueue, limit: number | undefined = 1) =>
    queue.begin(run('new'), account('x'), limit, 5)

  test('may begin at once, and counts as held', () => {
    const { queue, add, next } = queueOf(1)
    expect(begin(queue)).toBe(true)
    queue.queued(news(0), 1, 5)
    queue.held(news(1))
    add('later', 'x')
    expect(next()).toBeUndefined()
    queue.ended(run('new'))
    expect(next()).toBe('later')
  })

  test('does not begin before another one of its account, over its limit, or where that is not known', () => {
    const waiting = queueOf(0)
    waiting.add('before', 'x')
    expect(begin(waiting.queue)).toBe(false)
    const full = queueOf(1)
    full.add('before', 'x')
    full.next()
    expect(begin(full.queue)).toBe(false)
    expect(queueOf().queue.begin(run('new'), account('y'), undefined, 5)).toBe(false)
  })

  test('is as if it had not been when its request and its claim failed', () => {
    const { queue, add, next } = queueOf(1)
    begin(queue)
    queue.putBack(run('new'))
    add('other', 'x')
    expect(next()).toBe('other')
  })

  test.each([
    ['before', true],
    ['after', false],
  ])('waits when its claim alone failed, heard of %s that', (_, early) => {
    const { queue, next } = queueOf(1)
    begin(queue)
    if (early) queue.queued(news(0), 1, 5)
    queue.putBack(run('new'))
    if (!early) queue.queued(news(0), 1, 5)
    expect(next()).toBe('new')
    expect(next()).toBeUndefined()
  })
})

test('a run whose end is being written makes room, until it is back in the queue', () => {
  const { queue, add, next } = queueOf(1)
  for (const id of ['a', 'b', 'c']) add(id, 'x')
  expect(next()).toBe('a')
  queue.held({ id: run('a'), account: account('x'), revision: 1 })
  queue.ending(run('a'))
  expect(next()).toBe('b')
  queue.queued({ id: run('a'), account: account('x'), revision: 2 }, 0, 0)
  queue.ended(run('b'))
  expect([next(), next()]).toEqual(['a', undefined])
})

test('an account whose limit is not known yet waits', () => {
  const queue = new FairQueue()
  queue.queued({ id: run('a'), account: account('x'), revision: 0 }, 1, 5)
  expect(queue.knows(account('x'))).toBe(false)
  expect(queue.next()).toBeUndefined()
  expect(queue.oldest()).toBe(5)
  queue.limit(account('x'), 1)
  expect(queue.next()).toBe(run('a'))
  expect(queue.oldest()).toBeUndefined()
})

test('a limit counts runs that others hold, and a raised one takes effect at once', () => {
  const { add, next, queue } = queueOf(1)
  queue.held({ id: run('other'), account: account('x'), revision: 1 })
  add('a', 'x')
  expect(next()).toBeUndefined()
  queue.limit(account('x'), 2)
  expect(next()).toBe('a')
  add('b', 'x')
  expect(next()).toBeUndefined()
  queue.limit(account('x'), 0)
  expect(next()).toBe('b')
})

test('runs that other workers take and end are forgotten, however many', () => {
  const { add, next, queue } = queueOf(1)
  queue.held({ id: run('long'), account: account('x'), revision: 1 })
  for (let i = 0; i < 20_000; i++) {
    add(`r${i}`, 'x')
    queue.held({ id: run(`r${i}`), account: account('x'), revision: 1 })
    queue.ended(run(`r${i}`))
  }
  expect(queue.size).toBe(0)
  expect(queue.oldest()).toBeUndefined()
  queue.ended(run('long'))
  add('last', 'x')
  expect(next()).toBe('last')
})

type Step = { readonly kind: 'add' | 'next' | 'end' | 'putBack' | 'requeue' | 'limit'; readonly n: number }

/** What the queue must do, in the plainest way. */
class Model {
  readonly runs = new Map<
    string,
    { account: string; created: number; status: 'queued' | 'held'; revision: number }
  >()
  readonly served = new Map<string, number>()
  readonly limits = new Map<string, number>()
  private turn = 0

  held(of: string): number {
    return [...this.runs.values()].filter((r) => r.account === of && r.status === 'held').length
  }

  /** Accounts that may be served now. */
  eligible(): string[] {
    const accounts = new Set(
      [...this.runs.values()].filter((r) => r.status === 'queued').map((r) => r.account),
    )
    return [...accounts].filter((a) => {
      const limit = this.limits.get(a) ?? 0
      return limit === 0 || this.held(a) < limit
    })
  }

  take(id: string): void {
    const taken = this.runs.get(id)!
    taken.status = 'held'
    this.served.set(taken.account, ++this.turn)
  }
}

test('whatever happens, the next run is one that waits, of the account served longest ago and within its limit', () => {
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
      const held = () => [...model.runs].filter(([, r]) => r.status === 'held')
      for (const { kind, n } of steps) {
        const of = `account${n % 4}`
        const [id, entry] = held()[n % Math.max(1, held().length)] ?? []
        if (kind === 'add') {
          const name = `run${++created}`
          model.runs.set(name, { account: of, created, status: 'queued', revision: 0 })
          queue.queued({ id: run(name), account: account(of), revision: 0 }, created, created)
          if (!queue.knows(account(of))) queue.limit(account(of), model.limits.get(of) ?? 0)
        } else if (kind === 'limit') {
          model.limits.set(of, n % 3)
          queue.limit(account(of), n % 3)
        } else if (kind === 'next') check(model, queue.next())
        else if (id && entry) {
          if (kind === 'end') {
            model.runs.delete(id)
            queue.ended(run(id))
          } else {
            entry.status = 'queued'
            if (kind === 'putBack') queue.putBack(run(id))
            else {
              entry.revision += 2
              const news = { id: run(id), account: account(entry.account) }
              queue.queued({ ...news, revision: entry.revision }, 0, 0)
            }
          }
        }
      }
      expect(queue.size).toBe([...model.runs.values()].filter((r) => r.status === 'queued').length)
      for (;;) {
        const id = queue.next()
        check(model, id)
        if (id === undefined) return
      }
    }),
    { numRuns: 500 },
  )
})

function check(model: Model, id: string | undefined): void {
  const eligible = model.eligible()
  if (id === undefined) {
    expect(eligible).toEqual([])
    return
  }
  const entry = model.runs.get(id)
  expect(entry?.status).toBe('queued')
  expect(eligible).toContain(entry!.account)
  const turns = eligible.map((a) => model.served.get(a) ?? 0)
  expect(model.served.get(entry!.account) ?? 0).toBe(Math.min(...turns))
  const waiting = [...model.runs.values()].filter(
    (r) => r.account === entry!.account && r.status === 'queued',
  )
  expect(entry!.created).toBe(Math.min(...waiting.map((r) => r.created)))
  model.take(id)
}
