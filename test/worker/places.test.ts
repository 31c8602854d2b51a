/**
 * No source holds up another: whatever number of runs of some sources hang, a run of a source that has none under way
 * starts at once.
 *
 * @module
 */
import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { until } from '../../rigs/servers/processes.ts'
import { SlotsInMemory } from '../../rigs/support/run-slots.ts'
import type { AccountId, RunId } from '../../src/domain/ids.ts'
import { isEnded } from '../../src/domain/run.ts'
import { FairQueue } from '../../src/worker/queue/fair-queue.ts'
import { Places, type SourceName, sourceOf } from '../../src/worker/queue/places.ts'
import { openStand, type Stand } from './stand.ts'

const run = (id: string) => id as RunId
const account = (id: string) => id as AccountId

test('the source of a task is the first part of its key', () => {
  expect(sourceOf('lamps.search.old')).toBe('lamps')
})

describe('a place', () => {
  test.each<
    [places: number, sources: number, under: string, source: SourceName, admitted: boolean, why: string]
  >([
    [8, 3, 'aaaaa', 'a', true, 'before the reserve every source may have it'],
    [8, 3, 'aaaaaa', 'a', false, 'of the reserve is not for a source with runs under way'],
    [8, 3, 'aaaaaa', 'b', true, 'of the reserve is for a source without'],
    [8, 3, 'aaaaaab', 'b', false, 'of the reserve is given to a source once'],
    [8, 3, 'aaaaaab', 'c', true, 'of the reserve is left for the last source'],
    [8, 3, 'aaaaaabc', 'd', false, 'that is taken is not given away'],
    [8, 3, 'aaaaaa', undefined, true, 'of the reserve is open to a run whose source is not known'],
    [8, 3, 'aaaaaabc', undefined, false, 'that is taken is not given to such a run either'],
    [8, 1, 'aaaaaaa', 'a', true, 'is not reserved when there is only one source'],
    [8, 0, '', 'a', true, 'is not reserved when there is no source'],
    [1, 9, '', 'a', true, 'is not reserved when it is the only one'],
    [4, 9, 'a', 'a', true, 'of at least half of all places is not reserved'],
    [4, 9, 'aa', 'a', false, 'of the other half is reserved'],
    [5, 9, 'aa', 'a', true, 'in the middle is not reserved'],
  ])('(%p places, %p sources, under way: %p) for %p: %p, because one %s', (...row) => {
    const [most, sources, under, source, admitted] = row
    const places = new Places(most, sources)
    for (const [n, of] of [...under].entries()) places.enter(run(`${n}`), of)
    expect(places.admits(source)).toBe(admitted)
  })

  test('is free again once its run has left it, and a run that is told twice has one place', () => {
    const places = new Places(2, 2)
    places.enter(run('1'), 'a')
    places.enter(run('1'), 'a')
    places.enter(run('2'), 'b')
    expect(places.admits('c')).toBe(false)
    places.leave(run('1'))
    places.leave(run('1'))
    expect([places.admits('a'), places.admits('b')]).toEqual([true, false])
  })
})

describe('in the reserve', () => {
  function queueOf() {
    const queue = new FairQueue()
    return {
      queue,
      add(id: string, of: string, source: string) {
        queue.queued({ id: run(id), account: account(of), source, revision: 0 }, 1)
        if (!queue.knows(account(of))) queue.limit(account(of), 0)
      },
      /** The next run of these sources. */
      next: (sources: string) =>
        queue.next((source) => source !== undefined && sources.includes(source)) as string | undefined,
    }
  }

  test('a run is found behind 100,000 runs of other sources, of its account and of others, without a look at them', () => {
    const { queue, add } = queueOf()
    for (let n = 0; n < 100_000; n++) add(`${n}`, n % 2 ? 'x' : `account${n}`, n % 3 ? 'a' : 'b')
    add('last', 'x', 'c')
    let count = 0
    const next = queue.next((source) => {
      count++
      return source === 'c'
    })
    expect(next).toBe(run('last'))
    expect(count).toBeLessThanOrEqual(4)
    expect(queue.next((source) => source === 'c')).toBeUndefined()
  })

  test('sources take turns, and so do the accounts that wait for one of them', () => {
    const { add, next } = queueOf()
    for (const of of ['x', 'y']) add(`${of}-blocked`, of, 'a')
    for (const n of [1, 2]) {
      for (const source of ['b', 'c']) add(`x-${source}${n}`, 'x', source)
      add(`y-b${n}`, 'y', 'b')
    }
    const taken = Array.from({ length: 7 }, () => next('bc'))
    expect(taken).toEqual(['x-b1', 'x-c1', 'y-b1', 'x-c2', 'x-b2', 'y-b2', undefined])
  })

  test('requeued runs of a source come first, and its other runs in the order of their requests', () => {
    const { queue, add, next } = queueOf()
    add('blocked', 'x', 'a')
    for (const id of ['b1', 'b2', 'b3']) add(id, 'x', 'b')
    expect(next('b')).toBe('b1')
    queue.requeued({ id: run('b1'), account: account('x'), revision: 2 }, 0)
    expect([next('b'), next('b'), next('b'), next('b')]).toEqual(['b1', 'b2', 'b3', undefined])
    expect(next('a')).toBe('blocked')
  })

  test('an account at its limit gets no turn', () => {
    const { queue, add, next } = queueOf()
    add('a1', 'x', 'a')
    add('b1', 'x', 'b')
    add('b2', 'x', 'b')
    queue.limit(account('x'), 1)
    expect([next('b'), next('b')]).toEqual(['b1', undefined])
    queue.ended(run('b1'))
    expect(next('b')).toBe('b2')
    queue.full(account('x'), true)
    queue.ended(run('b2'))
    expect(next('a')).toBe('a1')
  })
})

type Step =
  | { readonly kind: 'request'; readonly account: number; readonly source: number }
  | { readonly kind: 'end' | 'requeue'; readonly n: number }

test('after any sequence of requests and ends, no source waits that has no run under way, and no place is wasted', () => {
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('request' as const), account: fc.nat(3), source: fc.nat(4) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constantFrom('end' as const, 'requeue' as const), n: fc.nat(30) }),
    },
  )
  const node = fc.record({
    sources: fc.integer({ min: 1, max: 5 }),
    more: fc.nat(6),
    limits: fc.array(fc.nat(5), { minLength: 4, maxLength: 4 }),
  })
  fc.assert(
    fc.property(node, fc.array(step, { maxLength: 80 }), ({ sources, more, limits }, steps) => {
      const reserve = sources - 1
      // The reserve is at most half of all places.
      const most = Math.max(1, 2 * reserve + more)
      const places = new Places(most, sources)
      const queue = new FairQueue()
      const waiting = new Map<string, { account: number; source: string; revision: number }>()
      const under: typeof waiting = new Map()
      const isAtLimit = (of: number) => {
        const limit = limits[of]!
        return (
          limit > 0 &&
          under
            .values()
            .filter((it) => it.account === of)
            .toArray().length >= limit
        )
      }
      for (const [n, it] of steps.entries()) {
        if (it.kind === 'request') {
          const source = `s${it.source % sources}`
          const of = account(`${it.account}`)
          waiting.set(`${n}`, { account: it.account, source, revision: 0 })
          queue.queued({ id: run(`${n}`), account: of, source, revision: 0 }, n)
          if (!queue.knows(of)) queue.limit(of, limits[it.account]!)
        } else {
          const [id, ending] = [...under][it.n % Math.max(1, under.size)] ?? []
          if (id === undefined || !ending) continue
          under.delete(id)
          places.leave(run(id))
          if (it.kind === 'end') queue.ended(run(id))
          else {
            ending.revision += 2
            waiting.set(id, ending)
            queue.requeued(
              { id: run(id), account: account(`${ending.account}`), revision: ending.revision },
              n,
            )
          }
        }
        for (;;) {
          const id = queue.next((source) => places.admits(source))
          if (id === undefined) break
          const begun = waiting.get(id)!
          expect(isAtLimit(begun.account)).toBe(false)
          places.enter(id, queue.sourceOf(id))
          waiting.delete(id)
          under.set(id, begun)
        }
        expect(under.size).toBeLessThanOrEqual(most)
        const busy = new Set(under.values().map(({ source }) => source))
        const could = waiting
          .values()
          .filter((it) => !isAtLimit(it.account))
          .toArray()
        expect(could.filter(({ source }) => !busy.has(source))).toEqual([])
        if (could.length > 0) expect(under.size).toBeGreaterThanOrEqual(most - reserve)
      }
    }),
    { numRuns: 500 },
  )
})

describe('with 200 runs of two sources that hang', () => {
  let stand: Stand
  afterEach(() => stand.close())

  test.each([
    ['the only worker', () => undefined],
    ['one of several workers', () => new SlotsInMemory()],
  ])(
    '%s starts a run of a third source at once',
    async (_, slots) => {
      stand = await openStand({ plugins: join(import.meta.dirname, 'lane-plugins') })
      const worker = await stand.startWorker({ workerConcurrency: 8, runsPerProcess: 32 }, undefined, slots())
      const [one, two] = [await stand.openAccount(), await stand.openAccount()]
      const hanging = []
      for (let n = 0; n < 100; n++) {
        hanging.push(await stand.request(one, 'stuck.list'))
        hanging.push(await stand.request(n < 50 ? one : two, 'tarpit.list'))
      }
      await until(() => worker.figures().runs + worker.figures().waiting === 200)
      // All places but the two of the reserve; one of these is left for the third source.
      expect([6, 7]).toContain(worker.figures().runs)
      for (const of of [one, two, await stand.openAccount()]) {
        const id = await stand.request(of, 'lamps.list')
        const ended = await stand.ended(id)
        expect(ended).toMatchObject({ run_status: 'succeeded', attempt: 1, result: { items: [{ n: 1 }] } })
      }
      const states = await Promise.all(hanging.map((id) => stand.runOf(id)))
      expect(states.filter(isEnded)).toEqual([])
    },
    120_000,
  )
})
