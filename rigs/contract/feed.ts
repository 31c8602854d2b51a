/**
 * The contract of the event feed, by the log's own index by account or by the read model: complete, in order,
 * only events of the account, at a cost that does not grow with other accounts' events. A back end's test calls
 * {@link feedContract}.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { projectionsOf } from '../../projections/all.ts'
import { type AccountId, accountStream, type StreamName } from '../../src/domain/ids.ts'
import { Feed, type FeedOptions } from '../../src/feed/feed.ts'
import { type EventLog, type Position, type Recorded, StoreUnavailable } from '../../src/log/event-log.ts'
import { Tail } from '../../src/log/tail.ts'
import { Projector } from '../../src/read/projector.ts'
import type { ReadModels } from '../../src/read/read-models.ts'
import { altered } from '../support/altered.ts'
import { caughtUp } from '../support/read-models.ts'
import { anAccount, anEvent, aStream } from './events.ts'

export type OpenedStores = { readonly log: EventLog; readonly readModels: ReadModels; close(): Promise<void> }

/** A feed on stores, with its projector and tail. */
async function openFeed(stores: OpenedStores, options: FeedOptions = {}, log = stores.log) {
  const { readModels } = stores
  const projections = projectionsOf(stores.log)
  const projector = new Projector(stores.log, readModels, projections)
  await projector.start()
  const tail = new Tail(stores.log)
  await tail.start()
  return {
    ...stores,
    feed: new Feed(log, tail, readModels, options),
    tail,
    /** Resolves when the read models contain all events written so far. */
    shown: () => caughtUp(projector, stores.log, readModels, projections),
    async close() {
      await tail.stop()
      await projector.stop()
      await stores.close()
    },
  }
}

/** An account that writes events in turn to its own stream and to changing runs. */
class Owner {
  readonly id: AccountId = anAccount()
  private readonly revisions = new Map<StreamName, number>()
  private run = aStream()
  private written = 0

  async write(log: EventLog, count: number): Promise<void> {
    for (let n = 0; n < count; ) {
      const many = Math.min(count - n, 1 + (this.written % 4))
      if (this.written++ % 7 === 6) this.run = aStream()
      const stream = this.written % 3 === 0 ? accountStream(this.id) : this.run
      const events = Array.from({ length: many }, () => anEvent('x', { account_id: this.id }))
      const last = this.revisions.get(stream)
      const { revision } = await log.append(stream, last ?? 'no-stream', events)
      this.revisions.set(stream, revision)
      n += many
    }
  }
}

/** Accounts write concurrently. */
const writing = (log: EventLog, owners: readonly Owner[], count: number) =>
  Promise.all(owners.map((owner) => owner.write(log, count)))

async function wholeOf(log: EventLog, after: Position | null = null): Promise<Recorded[]> {
  const events: Recorded[] = []
  for (let at = after; ; ) {
    const page = await log.readAll(at, 1000)
    events.push(...page)
    at = page.at(-1)?.position ?? at
    if (page.length < 1000) return events
  }
}

const ofAccount = (events: readonly Recorded[], account: AccountId, after: Position | null = null) =>
  events.filter(({ meta, position }) => meta.account_id === account && (after === null || position > after))

const allOf = async (log: EventLog, account: AccountId, after: Position | null = null) =>
  ofAccount(await wholeOf(log, after), account)

async function pagesOf(feed: Feed, account: AccountId, limit: number, after: Position | null = null) {
  const events: Recorded[] = []
  for (let at = after; ; ) {
    const page = await feed.page(account, at, limit)
    if (page.events.length > limit) throw new Error(`${page.events.length} events of ${limit}`)
    events.push(...page.events)
    if (page.caughtUp) return events
    at = page.reached
  }
}

const idsOf = (events: readonly Recorded[]) => events.map(({ id }) => id)

/** Counts the events that a log returns. */
function counting(log: EventLog) {
  const read = { events: 0 }
  const counted = new Proxy(log, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name !== 'readAll' && name !== 'readStream' && name !== 'readAccount') return value.bind(target)
      return async (...args: unknown[]) => {
        const events = (await value.apply(target, args)) as readonly Recorded[]
        read.events += events.length
        return events
      }
    },
  })
  return { log: counted, read }
}

/** @param open opens new stores; the test closes them */
export function feedContract(name: string, open: () => Promise<OpenedStores>): void {
  const using =
    (use: (opened: Awaited<ReturnType<typeof openFeed>>) => Promise<void>, options?: FeedOptions) =>
    async () => {
      const opened = await openFeed(await open(), options)
      try {
        await use(opened)
      } finally {
        await opened.close()
      }
    }

  describe(`the feed of an account on ${name}`, () => {
    test(
      'has all events of the account in order, each once, and no others, in pages of any size',
      using(async ({ log, feed, shown }) => {
        const owners = [new Owner(), new Owner(), new Owner()]
        for (let round = 0; round < 3; round++) {
          await writing(log, owners, 9)
          // Some of the events are in the read model, and some may not be yet.
          if (round % 2 === 0) await shown()
          const all = await wholeOf(log)
          for (const { id } of owners) {
            const whole = idsOf(ofAccount(all, id))
            for (const limit of [round === 0 ? 1 : 3, 7, 25, 500])
              expect(idsOf(await pagesOf(feed, id, limit))).toEqual(whole)
          }
        }
      }),
      60_000,
    )

    test(
      'continues from the position of any event, of its own or another account',
      using(async ({ log, feed, shown }) => {
        const [own, other] = [new Owner(), new Owner()]
        await writing(log, [own, other], 15)
        await shown()
        const all = await wholeOf(log)
        expect(all.length).toBe(30)
        for (const { position } of all) {
          const rest = await pagesOf(feed, own.id, 7, position)
          expect(idsOf(rest)).toEqual(idsOf(ofAccount(all, own.id, position)))
        }
      }),
      60_000,
    )

    test(
      'of an account without events is empty, and says up to which position',
      using(async ({ log, feed, shown }) => {
        expect(await feed.page(anAccount(), null, 10)).toEqual({ events: [], reached: null, caughtUp: true })
        await new Owner().write(log, 20)
        await shown()
        const page = await feed.page(anAccount(), null, 10)
        expect(page).toEqual({ events: [], reached: await log.head(), caughtUp: true })
        expect(await feed.page(anAccount(), page.reached, 10)).toEqual(page)
      }),
    )

    test('reads at most twice the events that it returns, however many other accounts have', async () => {
      const stores = await open()
      const { log, read } = counting(stores.log)
      const { feed, shown, close } = await openFeed(stores, {}, log)
      try {
        const own = new Owner()
        const others = [new Owner(), new Owner(), new Owner(), new Owner()]
        for (let round = 0; round < 10; round++) {
          await own.write(stores.log, 3)
          await writing(stores.log, others, 12)
        }
        await shown()
        read.events = 0
        const events = await pagesOf(feed, own.id, 100)
        expect(events.length).toBe(30)
        expect(read.events).toBeLessThanOrEqual(2 * events.length)
        const last = events.at(-1)!.position
        read.events = 0
        expect(await pagesOf(feed, own.id, 100, last)).toEqual([])
        expect(read.events).toBeLessThanOrEqual(events.length)
      } finally {
        await close()
      }
    }, 60_000)

    test(
      'follows stored and then new events from any position, none lost and none twice',
      using(async ({ log, feed }) => {
        const [own, other] = [new Owner(), new Owner()]
        await writing(log, [own, other], 40)
        const positions = [null, ...(await allOf(log, own.id)).map(({ position }) => position)]
        const over = new AbortController()
        const followed = [0, 10, 27, 39, 40].map(async (at) => {
          const after = positions[at] ?? null
          const deliveredEvents: Recorded[] = []
          for await (const { events, reached } of feed.follow(own.id, after, over.signal)) {
            deliveredEvents.push(...events)
            const last = deliveredEvents.at(-1)
            if (last) expect(reached! >= last.position).toBe(true)
            if (deliveredEvents.length >= 150 - at) break
          }
          return [after, deliveredEvents] as const
        })
        await writing(log, [own, other], 110)
        const ended = await Promise.all(followed)
        const all = await wholeOf(log)
        for (const [after, deliveredEvents] of ended)
          expect(idsOf(deliveredEvents)).toEqual(idsOf(ofAccount(all, own.id, after)))
      }),
      60_000,
    )

    test(
      'reports its position while only other accounts write, and can be continued from there',
      using(
        async ({ log, feed, tail }) => {
          const [own, other] = [new Owner(), new Owner()]
          await own.write(log, 3)
          const over = new AbortController()
          const following = feed.follow(own.id, null, over.signal)
          let count = 0
          while (count < 3) count += (await following.next()).value?.events.length ?? 0
          await other.write(log, 50)
          const head = await log.head()
          let reached: Position | null = null
          while (reached !== head) {
            const { value } = await following.next()
            expect(value!.events).toEqual([])
            expect(value!.reached! >= (reached ?? 0)).toBe(true)
            reached = value!.reached
            expect(reached! <= tail.position!).toBe(true)
          }
          await own.write(log, 1)
          let events: readonly Recorded[] = []
          while (events.length === 0) events = (await following.next()).value!.events
          expect(idsOf(events)).toEqual(idsOf(await allOf(log, own.id, reached)))
          over.abort()
          expect((await following.next()).done).toBe(true)
        },
        { quietMs: 20 },
      ),
      60_000,
    )
  })

  describe(`the feed of all accounts on ${name}`, () => {
    test(
      'delivers stored and then new events of all accounts',
      using(async ({ log, feed }) => {
        const owners = [new Owner(), new Owner()]
        await writing(log, owners, 20)
        const over = new AbortController()
        const deliveredEvents: Recorded[] = []
        const reading = (async () => {
          for await (const { events } of feed.follow(undefined, null, over.signal)) {
            deliveredEvents.push(...events)
            if (deliveredEvents.length >= 80) return
          }
        })()
        await writing(log, owners, 20)
        await reading
        expect(idsOf(deliveredEvents)).toEqual(idsOf(await log.readAll(null, 1000)))
      }),
      60_000,
    )
  })
}

/**
 * For logs that need the read model: the feed is complete even if the model fails.
 *
 * @param open see {@link feedContract}
 */
export function projectedFeedContract(name: string, open: () => Promise<OpenedStores>): void {
  describe(`the feed by a read model on ${name}`, () => {
    /** Runs a test on 30 events of an account among 30 of another, all in the read model. */
    async function inModel(
      act: (stores: { log: EventLog; readModels: ReadModels; own: AccountId; tail: Tail }) => Promise<void>,
    ) {
      const opened = await openFeed(await open())
      try {
        const [own, other] = [new Owner(), new Owner()]
        await writing(opened.log, [own, other], 30)
        await opened.shown()
        await act({ log: opened.log, readModels: opened.readModels, own: own.id, tail: opened.tail })
      } finally {
        await opened.close()
      }
    }
    test(
      'is complete while the read models are unavailable, and reports the failure',
      () =>
        inModel(async ({ log, readModels, own, tail }) => {
          const failures: unknown[] = []
          const away = altered(readModels, { list: () => Promise.reject(new StoreUnavailable('gone')) })
          const feed = new Feed(log, tail, away, { onFailure: (error) => failures.push(error) })
          expect(idsOf(await pagesOf(feed, own, 7))).toEqual(idsOf(await allOf(log, own)))
          expect(failures[0]).toBeInstanceOf(StoreUnavailable)
        }),
      60_000,
    )

    test(
      'is complete when the rows are lost or rebuilt while they are read',
      () =>
        inModel(async ({ log, readModels, own, tail }) => {
          let looks = 0
          // The first look still gets the old checkpoint, though the rows are gone.
          const lost = altered(readModels, {
            checkpoint: async (model) => (looks++ % 2 === 0 ? readModels.checkpoint(model) : null),
            list: async () => [],
          })
          expect(idsOf(await pagesOf(new Feed(log, tail, lost), own, 7))).toEqual(
            idsOf(await allOf(log, own)),
          )
          let generation = 1
          const anew = altered(readModels, {
            checkpoint: async (model) => ({
              ...(await readModels.checkpoint(model))!,
              generation: generation++,
            }),
            list: async () => [],
          })
          expect(idsOf(await pagesOf(new Feed(log, tail, anew), own, 7))).toEqual(
            idsOf(await allOf(log, own)),
          )
        }),
      60_000,
    )

    test(
      'ignores rows of another log',
      () =>
        inModel(async ({ log, readModels, own, tail }) => {
          const other = altered(readModels, {
            checkpoint: async (model) => ({
              ...(await readModels.checkpoint(model))!,
              logId: '0123456789abcdef',
            }),
            list: () => Promise.reject(new Error('they are not asked for')),
          })
          expect(idsOf(await pagesOf(new Feed(log, tail, other), own, 7))).toEqual(
            idsOf(await allOf(log, own)),
          )
        }),
      60_000,
    )
  })
}
