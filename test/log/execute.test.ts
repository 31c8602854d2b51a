import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { anEvent, aStream, someEvents } from '../../rigs/contract/events.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import type { Fold, Refusal } from '../../src/domain/decider.ts'
import type { DomainEvent } from '../../src/domain/events.ts'
import type { AccountId, StreamName } from '../../src/domain/ids.ts'
import { type EventLog, StoreUnavailable, WrongExpectedRevision } from '../../src/log/event-log.ts'
import { type Cause, envelop, execute, foldFrom, type Loaded, load } from '../../src/log/execute.ts'
import { Refused } from '../../src/log/refused.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'

const log = openSqliteLog(join(temporaryFolder(), 'log.db'))
afterAll(() => log.close())

/** A fold that collects the reasons of all events, in order. */
const fold: Fold<readonly string[]> = {
  initial: [],
  evolve: (state, event) => ('reason' in event.data ? [...state, String(event.data.reason)] : state),
}
type Reasons = readonly string[]
/** Executes a command that a function decides. */
const decided = (
  on: EventLog,
  stream: StreamName,
  decide: (state: Reasons) => readonly DomainEvent[] | Refusal,
  by: Cause | ((state: Reasons) => Cause),
  known?: Loaded<Reasons>,
) => execute(on, stream, { ...fold, decide: (_: null, state) => decide(state) }, null, by, known)
const event = (reason: string): DomainEvent => anEvent(reason).event
const cause: Cause = {
  accountId: 'acc_1' as AccountId,
  correlationId: 'req-1',
  causationId: 'event-7',
  now: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
}
/** A log whose appends call `append` first. */
const interposed = (append: EventLog['append']): EventLog =>
  new Proxy(log, {
    get: (target, name) =>
      name === 'append'
        ? append
        : (((target as never)[name] as () => void).bind?.(target) ?? target[name as never]),
  })

describe('load', () => {
  test('folds a stream, or continues from an earlier fold', async () => {
    const stream = aStream()
    expect(await load(log, stream, fold)).toEqual({ state: [], revision: -1 })
    await log.append(stream, 'no-stream', someEvents(4))
    expect(await load(log, stream, fold)).toEqual({ state: ['0', '1', '2', '3'], revision: 3 })
    expect(await load(log, stream, fold, { state: ['snapshot'], revision: 1 })).toEqual({
      state: ['snapshot', '2', '3'],
      revision: 3,
    })
  })

  test('counts unknown events in the revision, and applies no event twice', async () => {
    const stream = aStream()
    await log.append(stream, 'no-stream', [anEvent('0'), anEvent('1', { v: '99' }), anEvent('2')])
    const events = await log.readStream(stream)
    const loaded = await load(log, stream, fold)
    expect(loaded).toEqual({ state: ['0', '2'], revision: 2 })
    expect(foldFrom(fold, loaded, events)).toEqual(loaded)
  })
})

describe('envelop', () => {
  test('gives each event its own id and metadata of flat strings', () => {
    const [first, second] = envelop([event('a'), event('b')], cause)
    expect(first!.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(second!.id).not.toBe(first!.id)
    expect(first!.meta).toEqual({
      actor: 'service',
      $correlationId: 'req-1',
      $causationId: 'event-7',
      account_id: 'acc_1',
      at: '2026-01-02T03:04:05.006Z',
      v: '1',
    })
  })
})

describe('execute', () => {
  test('writes the decided events and returns the state after them', async () => {
    const stream = aStream()
    const done = await decided(log, stream, () => [event('a'), event('b')], cause)
    expect(done).toMatchObject({ state: ['a', 'b'], revision: 1 })
    expect(await load(log, stream, fold)).toEqual({ state: ['a', 'b'], revision: 1 })
    expect((await log.readStream(stream)).map(({ id }) => id)).toEqual(done.events.map(({ id }) => id))
  })

  test('writes nothing when the decision has no events', async () => {
    const stream = aStream()
    expect(await decided(log, stream, () => [], cause)).toEqual({ state: [], revision: -1, events: [] })
    expect(await log.readStream(stream)).toEqual([])
  })

  test('a refused command throws its refusal, and nothing is written', async () => {
    const stream = aStream()
    const refusal = { refused: 'too-late', since: 7 }
    const error = await decided(log, stream, () => refusal, cause).catch((error) => error)
    expect(error).toBeInstanceOf(Refused)
    expect(error).toMatchObject({ code: 'too-late', refusal })
    expect(await log.readStream(stream)).toEqual([])
  })

  test('decides again on the newer state after a lost race', async () => {
    const stream = aStream()
    await log.append(stream, 'no-stream', [anEvent('first')])
    const states: (readonly string[])[] = []
    const decide = (state: readonly string[]) => {
      states.push(state)
      return state.includes('theirs') ? [] : [event('ours')]
    }
    const racing = interposed(async (...args) => {
      await log.append(stream, 0, [anEvent('theirs')])
      return log.append(...args)
    })
    const done = await decided(racing, stream, decide, cause)
    expect(states).toEqual([['first'], ['first', 'theirs']])
    expect(done).toEqual({ state: ['first', 'theirs'], revision: 1, events: [] })
  })

  test('the cause may depend on the state', async () => {
    const stream = aStream()
    const { events } = await decided(
      log,
      stream,

      () => [event('a')],
      (state) => ({
        ...cause,
        correlationId: `after ${state.length}`,
      }),
    )
    expect(events[0]!.meta.$correlationId).toBe('after 0')
  })

  test('a current state from the caller saves the read, and a stale one is detected', async () => {
    const stream = aStream()
    await log.append(stream, 'no-stream', someEvents(3))
    const decide = (state: readonly string[]) => [event(`after ${state.length}`)]
    const stale = { state: ['0'], revision: 0 }
    const done = await decided(log, stream, decide, cause, stale)
    expect(done).toMatchObject({ state: ['0', '1', '2', 'after 3'], revision: 3 })
    const current = { state: ['brought'], revision: 3 }
    expect((await decided(log, stream, decide, cause, current)).state).toEqual(['brought', 'after 1'])
  })

  test('nine concurrent executes on one stream all succeed, each on the state of the previous ones', async () => {
    const stream = aStream()
    // Each lost try means that another one won, so ten tries are enough for ten.
    const racers = Array.from({ length: 9 }, (_, i) =>
      decided(log, stream, (state) => [event(`${i} after ${state.length}`)], cause),
    )
    await Promise.all(racers)
    const { state } = await load(log, stream, fold)
    expect(state.map((reason) => Number(reason.split(' ')[2]))).toEqual(state.map((_, i) => i))
    expect(state).toHaveLength(9)
  })

  test('gives up after ten lost races', async () => {
    const stream = aStream()
    let tries = 0
    const losing = interposed(async (at, expected) => {
      tries++
      throw new WrongExpectedRevision(at, expected, 5)
    })
    const lost = decided(losing, stream, () => [event('a')], cause)
    await expect(lost).rejects.toBeInstanceOf(WrongExpectedRevision)
    expect(tries).toBe(10)
  })

  test('an unknown outcome is thrown and not retried', async () => {
    let tries = 0
    const broken = interposed(async () => {
      tries++
      throw new StoreUnavailable('gone')
    })
    await expect(decided(broken, aStream(), () => [event('a')], cause)).rejects.toBeInstanceOf(
      StoreUnavailable,
    )
    expect(tries).toBe(1)
  })
})
