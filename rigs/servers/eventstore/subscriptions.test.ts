import { afterAll, describe, expect, test } from 'bun:test'
import {
  type AllStreamSubscription,
  type EventStoreDBClient,
  eventTypeFilter,
  excludeSystemEvents,
  type Position,
  streamNameFilter,
} from '@eventstore/db-client'
import { startEventStore } from './server.ts'
import {
  anEvent,
  append,
  aStream,
  clientOf,
  failure,
  gather,
  listenTo,
  openTarget,
  REAL,
  type SubscriptionEvent,
  someEvents,
} from './target.ts'

const { client, url } = await openTarget()
const write = append.bind(null, client)
type Options = Parameters<EventStoreDBClient['subscribeToAll']>[0]

const open = new Set<AllStreamSubscription>()
afterAll(() => Promise.all([...open].map((subscription) => subscription.unsubscribe())))

/** Subscribes and collects the deliveries; ends with the test file at the latest. */
function subscribe(options: Options, of = client) {
  const subscription = of.subscribeToAll(options)
  open.add(subscription)
  return { subscription, ...listenTo(subscription) }
}

const kindsOf = (sequence: readonly SubscriptionEvent[]) => sequence.map(({ kind }) => kind)
const has = (kind: SubscriptionEvent['kind']) => (sequence: readonly SubscriptionEvent[]) =>
  kindsOf(sequence).includes(kind)
const events = (count: number) => (sequence: readonly SubscriptionEvent[]) =>
  kindsOf(sequence).filter((kind) => kind === 'event').length >= count

/** A stream with events, the position of its first event and all ids. */
async function written(count: number) {
  const stream = aStream()
  await write(stream, 'no_stream', someEvents(count))
  const all = (await gather(client.readStream(stream))).map(({ event }) => event!)
  return { stream, all, ids: all.map(({ id }) => id), first: all[0]!.position! }
}

describe('a subscription to all streams', () => {
  test('sends a confirmation, the stored events, caught-up once, and then live events', async () => {
    const { stream, first, ids } = await written(40)
    const { events: sequence, until } = subscribe({
      fromPosition: first,
      filter: streamNameFilter({ prefixes: [stream] }),
    })
    await until(has('caughtUp'))
    expect(kindsOf(sequence)).toEqual(['confirmation', ...Array(39).fill('event'), 'caughtUp'])
    const more = [anEvent(), anEvent()]
    for (const event of more) await write(stream, 'any', event)
    await until(events(41))
    expect(sequence.flatMap((said) => (said.kind === 'event' ? said.id : []))).toEqual([
      ...ids.slice(1),
      ...more.map(({ id }) => id),
    ])
    expect(kindsOf(sequence).filter((kind) => kind === 'caughtUp')).toHaveLength(1)
  })

  test('excludes its position', async () => {
    const { stream, all, ids } = await written(3)
    const filter = streamNameFilter({ prefixes: [stream] })
    const after = subscribe({ fromPosition: all[1]!.position!, filter })
    await after.until(has('caughtUp'))
    expect(after.ids()).toEqual(ids.slice(2))
  })

  test('from the end delivers new events, and one from beyond the end catches up', async () => {
    const { stream, first } = await written(2)
    const filter = streamNameFilter({ prefixes: [stream] })
    const far = 1_000_000_000n
    const beyond = subscribe({
      fromPosition: { commit: first.commit + far, prepare: first.prepare + far },
      filter,
    })
    const end = subscribe({ fromPosition: 'end', filter })
    await Promise.all([beyond.until(has('caughtUp')), end.until(has('caughtUp'))])
    const event = anEvent()
    await write(stream, 1n, event)
    await end.until(events(1))
    expect(end.ids()).toEqual([event.id])
  })

  test('from a position without an event fails with an unknown error', async () => {
    const { first } = await written(1)
    const { events: sequence, until } = subscribe({
      fromPosition: { commit: first.commit - 5n, prepare: first.prepare - 5n },
    })
    await until(has('error'))
    expect(sequence).toEqual([{ kind: 'error', error: failure('unknown', 2) }])
  })

  test('filters by prefixes and regular expressions, of stream names and of types', async () => {
    const { stream, first, ids } = await written(5)
    const other = `${stream}-other`
    const foreign = { ...anEvent(), type: 'Foreign' }
    await write(other, 'no_stream', foreign)
    const rest = ids.slice(1)
    const name = new RegExp(`^${stream}$`)
    const heardBy = async (filter: NonNullable<Options>['filter']) => {
      const { until, ids } = subscribe({ fromPosition: first, filter: filter! })
      await until(has('caughtUp'))
      return ids().filter((id) => [...rest, foreign.id].includes(id))
    }
    expect(await heardBy(streamNameFilter({ prefixes: ['nobody', stream] }))).toEqual([...rest, foreign.id])
    expect(await heardBy(streamNameFilter({ prefixes: [other] }))).toEqual([foreign.id])
    expect(await heardBy(streamNameFilter({ regex: name.source }))).toEqual(rest)
    expect(await heardBy(eventTypeFilter({ prefixes: ['Fore'] }))).toEqual([foreign.id])
    expect(await heardBy(excludeSystemEvents())).toEqual([...rest, foreign.id])
  })

  test('delivers system events when it has no filter', async () => {
    const { stream, first } = await written(1)
    await client.setStreamMetadata(stream, { maxCount: 5 })
    const types: string[] = []
    const { subscription, until } = subscribe({ fromPosition: first })
    subscription.on('data', ({ event }) => types.push(event!.type))
    await until(has('caughtUp'))
    expect(types).toContain('$metadata')
  })
})

describe('checkpoints', () => {
  test('are sent after every 32 scanned events times the interval while it catches up', async () => {
    const { stream, first } = await written(1_000)
    const countsAt = async (prefix: string, checkpointInterval: number) => {
      const counts: number[] = []
      const filter = streamNameFilter({
        prefixes: [prefix],
        checkpointInterval,
        checkpointReached: async () => void counts.push(ids().length),
      })
      const { until, ids } = subscribe({ fromPosition: first, filter })
      await until(has('caughtUp'))
      return counts
    }
    const thirty = Array.from({ length: 30 }, (_, i) => i + 1)
    expect((await countsAt(stream, 1)).slice(0, 30)).toEqual(thirty.map((n) => n * 32))
    expect((await countsAt(stream, 4)).slice(0, 7)).toEqual(thirty.slice(0, 7).map((n) => n * 128))
    expect((await countsAt('nobody', 1)).length).toBeGreaterThanOrEqual(30)
  })

  test('are sent live too, and a subscription from one loses and repeats no event', async () => {
    const [stream, other] = [aStream(), aStream()]
    const reached: Position[] = []
    let look = () => {}
    const filter = streamNameFilter({
      prefixes: [stream],
      checkpointReached: async (_: unknown, position: Position) => {
        reached.push(position)
        look()
      },
    })
    const { until, ids } = subscribe({ fromPosition: 'end', filter })
    await until(has('caughtUp'))
    const sentIds: string[] = []
    for (let i = 0; i < 40; i++) {
      const event = anEvent()
      sentIds.push(event.id)
      await write(i % 2 ? stream : other, 'any', event)
    }
    const mine = sentIds.filter((_, i) => i % 2)
    await until(events(20))
    await new Promise<void>((resolve) => {
      look = () => reached.length > 0 && resolve()
      look()
    })
    expect(ids()).toEqual(mine)
    const again = subscribe({ fromPosition: reached[0]!, filter: streamNameFilter({ prefixes: [stream] }) })
    await again.until(has('caughtUp'))
    const all = (await gather(client.readStream(stream))).map(({ event }) => event!)
    const after = all.filter(({ position }) => position!.commit > reached[0]!.commit).map(({ id }) => id)
    expect(again.ids()).toEqual(after)
  })
})

describe('a slow subscriber', () => {
  const dropped = failure('timeout', 10)

  test('is dropped on a burst of live events, and loses none when it continues from its last event', async () => {
    const stream = aStream()
    const filter = streamNameFilter({ prefixes: [stream] })
    const { events: sequence, until, ids } = subscribe({ fromPosition: 'end', filter })
    await until(has('caughtUp'))
    const newEvents = [anEvent()]
    await write(stream, 'no_stream', newEvents)
    await until(events(1))
    // A fast machine may read a few of these bursts in time.
    while (!has('error')(sequence)) {
      const burst = someEvents(1_000)
      await write(stream, BigInt(newEvents.length - 1), burst)
      newEvents.push(...burst)
      await until((all) => has('error')(all) || events(newEvents.length)(all))
    }
    expect(sequence.at(-1)).toEqual({ kind: 'error', error: dropped })
    const last = sequence.findLast((said) => said.kind === 'event')!
    const position = last.kind === 'event' ? last.position : 0n
    const again = subscribe({ fromPosition: { commit: position, prepare: position }, filter })
    await again.until(has('caughtUp'))
    expect([...ids(), ...again.ids()]).toEqual(newEvents.map(({ id }) => id))
  }, 60_000)

  test('is not dropped while it catches up', async () => {
    const { stream, first, ids } = await written(600)
    const subscription = client.subscribeToAll({
      fromPosition: first,
      filter: streamNameFilter({ prefixes: [stream] }),
    })
    const eventIds: string[] = []
    for await (const { event } of subscription) {
      eventIds.push(event!.id)
      if (eventIds.length % 20 === 0) await gather(client.readStream(stream, { maxCount: 1 }))
      if (eventIds.length === 599) break
    }
    await subscription.unsubscribe()
    expect(eventIds).toEqual(ids.slice(1))
  })
})

test('a connection has 100 calls: further calls wait until one of them ends', async () => {
  const { stream } = await written(1)
  // Clients with the same options share a connection.
  const busy = clientOf(`${url}&keepAliveInterval=12345`)
  const all = Array.from({ length: 100 }, () => subscribe({ fromPosition: 'end' }, busy))
  let confirmed = 0
  await new Promise<void>((resolve) => {
    for (const { subscription } of all) subscription.on('confirmation', () => ++confirmed >= 99 && resolve())
  })
  let answered = false
  const waiting = gather(busy.readStream(stream)).then(() => {
    answered = true
  })
  for (let i = 0; i < 20; i++) await gather(client.readStream(stream))
  expect(answered).toBe(false)
  for (const { subscription } of all.slice(0, 10)) await subscription.unsubscribe()
  await waiting
})

describe.skipIf(REAL !== undefined)('a fake of another version', () => {
  test('does not report that a subscription has caught up', async () => {
    const old = await startEventStore({ caughtUp: false, version: '22.10.0' })
    const of = clientOf(old.url)
    const { events: sequence, until } = subscribe({ fromPosition: 'end' }, of)
    await until(has('confirmation'))
    await append(of, aStream(), 'no_stream', anEvent())
    await until(events(1))
    expect(kindsOf(sequence)).toEqual(['confirmation', 'event'])
    await old.stop()
  })

  test('loses the next event of a subscription that continues from a checkpoint at the end', async () => {
    const faulty = await startEventStore({ checkpointBeyondEnd: true })
    const of = clientOf(faulty.url)
    await append(of, aStream(), 'no_stream', someEvents(64))
    const [newest] = await gather(of.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }))
    const start = await gather(of.readAll({ maxCount: 100 }))
    let checkpoint: Position | undefined
    const reached = async (_: unknown, position: Position) => {
      checkpoint = position
    }
    // The 64th event after it, the last one, then triggers a checkpoint.
    const fromPosition = start.at(-65)!.event!.position!
    const filter = streamNameFilter({ prefixes: ['fact-'], checkpointReached: reached })
    await subscribe({ fromPosition, filter }, of).until(has('caughtUp'))
    expect(checkpoint!.commit).toBeGreaterThan(newest!.event!.position!.commit)
    const next = [anEvent(), anEvent()]
    const { position } = await append(of, aStream(), 'no_stream', next[0]!)
    expect(position!.commit).toBe(checkpoint!.commit)
    await append(of, aStream(), 'no_stream', next[1]!)
    const again = subscribe(
      { fromPosition: checkpoint!, filter: streamNameFilter({ prefixes: ['fact-'] }) },
      of,
    )
    await again.until(has('caughtUp'))
    expect(again.ids()).toEqual([next[1]!.id])
    await faulty.stop()
  })
})
