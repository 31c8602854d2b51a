/**
 * What a leased run appends to its stream: bounded by its time limit, however often its task reports progress. And
 * which operations a worker retries until the lease ends.
 */
import { describe, expect, test } from 'bun:test'
import type { RunId } from '../../src/domain/ids.ts'
import type { LeasedRun, Progress, RunCommand, RunState } from '../../src/domain/run.ts'
import { StoreUnavailable, WrongExpectedRevision } from '../../src/log/event-log.ts'
import type { Loaded } from '../../src/log/execute.ts'
import { Lease } from '../../src/worker/lease.ts'
import { quiet } from './quiet.ts'

const TICK_MS = 250

type ProgressEvent = { readonly at: number; readonly done: number }

/** A lease on a fake clock, and the events that it appends. */
function leaseOf(leaseS: number, append: () => Promise<void> = async () => {}) {
  const clock = { now: 1_000_000 }
  const progressEvents: ProgressEvent[] = []
  const progress = { done: 0, total: null, message: null } satisfies Progress
  const run = {
    runId: 'run_x' as RunId,
    attempt: 1,
    leaseUntil: new Date(clock.now + leaseS * 1000).toISOString(),
  } as LeasedRun
  const commands = {
    handle: async (_: RunId, command: RunCommand, __: object, known?: Loaded<RunState>) => {
      if (command.type !== 'progress') throw new Error(command.type)
      progressEvents.push({ at: clock.now - 1_000_000, done: command.progress.done })
      await append()
      return { ...known!, events: [] }
    },
  }
  const deps = { commands, logger: quiet, now: () => clock.now, leaseS }
  const lease = new Lease(deps, run, 0, 'cause', {
    contents: () => ({ progress, charged: undefined, usage: { requests: 0, bytes: 0 } }),
    onChange: () => {},
    onLost: (why) => {
      throw new Error(why)
    },
  })
  return {
    lease,
    progressEvents,
    clock,
    /** Advances the clock; the task runs before each tick. */
    async pass(seconds: number, task: (progress: { done: number }) => void = () => {}) {
      for (let ms = 0; ms < seconds * 1000; ms += TICK_MS) {
        task(progress)
        clock.now += TICK_MS
        lease.tick(clock.now)
        await Promise.resolve()
        await Promise.resolve()
      }
    },
  }
}

describe('a task that reports progress all the time', () => {
  test.each([
    [30, 300],
    [30, 6 * 3600],
    [3600, 300],
  ])('with a lease of %i s appends at most one event per 10 s of its %i s', async (leaseS, limitS) => {
    const { lease, progressEvents, pass } = leaseOf(leaseS)
    await pass(limitS, (progress) => {
      progress.done++
      lease.renewSoon()
    })
    expect(progressEvents.length).toBeLessThanOrEqual(limitS / 10 + 1)
    expect(progressEvents.length).toBeGreaterThan(limitS / 11)
  })

  test('has its first report written at once, and later ones within 10 s and a tick', async () => {
    const { lease, progressEvents, pass } = leaseOf(3600)
    const say = (progress: { done: number }) => {
      progress.done++
      lease.renewSoon()
    }
    await pass(0.25, say)
    expect(progressEvents).toEqual([{ at: 250, done: 1 }])
    await pass(0.25, say)
    await pass(9)
    expect(progressEvents).toHaveLength(1)
    await pass(1)
    expect(progressEvents.at(-1)).toMatchObject({ done: 2 })
    expect(progressEvents.at(-1)!.at).toBeLessThanOrEqual(250 + 10_000 + TICK_MS)
  })
})

test('a lease is renewed after each third of its duration, also for a silent task', async () => {
  const { progressEvents, pass } = leaseOf(3)
  await pass(12)
  expect(progressEvents.map(({ at }) => at)).toEqual(Array.from({ length: 12 }, (_, i) => (i + 1) * 1000))
})

test('a clock that is set back by an hour does not delay the next renewal', async () => {
  const { progressEvents, pass, clock } = leaseOf(30)
  await pass(15)
  clock.now -= 3_600_000
  const before = progressEvents.length
  await pass(30)
  expect(progressEvents.length - before).toBe(3)
  expect(progressEvents.at(before)!.at).toBe(15_250 - 3_600_000)
})

test('renewNow appends the progress at the next tick', async () => {
  const { lease, progressEvents, pass } = leaseOf(30)
  lease.renewSoon()
  await pass(0.5)
  lease.renewNow()
  await pass(0.25)
  expect(progressEvents).toHaveLength(2)
})

test('a failed renewal is retried before the next one is due', async () => {
  let fails = 2
  const { lease, progressEvents, pass } = leaseOf(30, async () => {
    if (fails-- > 0) throw new Error('away')
  })
  lease.renewSoon()
  await pass(5)
  expect(progressEvents).toHaveLength(3)
})

test.each([
  ['an unavailable store', new StoreUnavailable('away')],
  ['a lost race on its stream', new WrongExpectedRevision('run-run_1' as never, 0, 1)],
])('an operation is retried after %s', async (_, error) => {
  let tries = 0
  const act = async () => {
    if (++tries < 3) throw error
    return 'done'
  }
  expect(await leaseOf(60).lease.persist(act)).toBe('done')
  expect(tries).toBe(3)
})

test('a defect is thrown without a retry', async () => {
  let tries = 0
  const act = async () => {
    tries++
    throw new TypeError('a defect')
  }
  await expect(leaseOf(60).lease.persist(act)).rejects.toThrow('a defect')
  expect(tries).toBe(1)
})
