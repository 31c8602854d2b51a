/**
 * The contract of live items. An adapter's test calls {@link liveItemsContract} with a function that opens the store of
 * a worker and that of a reader.
 *
 * @module
 */
import { afterEach, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { replaceClock } from '../../src/async/clock.ts'
import { newAccountId, newRunId } from '../../src/domain/ids.ts'
import type { LiveItems, RunAttempt, SharedItems } from '../../src/runs/items/live-items.ts'
import { itemTexts, pageOf } from '../../src/runs/items/page.ts'
import { Collected } from '../../src/worker/collected.ts'

export type OpenedLiveItems = {
  readonly worker: LiveItems
  readonly reader: LiveItems
  close(): Promise<void>
}

const anAttempt = (attempt = 1): RunAttempt => ({
  runId: newRunId(Date.now(), randomBytes(10)),
  accountId: newAccountId(Date.now(), randomBytes(10)),
  attempt,
})

/** Items as the process of a plugin sends them. */
export const itemsOf = (...items: readonly object[]) => ({
  text: items.map((item) => JSON.stringify(item)).join(),
  count: items.length,
})

/** Lets time pass for the program's clock. */
export function passing() {
  let passed = 0
  replaceClock({ now: () => Date.now() + passed, monotonic: () => performance.now() + passed })
  return (ms: number) => {
    passed += ms
  }
}

/** Waits until a condition holds. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((go) => setTimeout(go, 5))
}

/** Ticks until a reader finds what is awaited, which may take several handovers. */
export async function shown(
  { reader }: Pick<OpenedLiveItems, 'reader'>,
  run: RunAttempt,
  shared: SharedItems,
  isIt: (page: { readonly items: readonly object[]; readonly total: number } | undefined) => boolean,
): Promise<void> {
  await until(async () => {
    shared.tick()
    const found = await reader.find(run)
    return isIt(found && (await pageOf(found, 0, 1_000_000)))
  })
}

export function liveItemsContract(name: string, open: () => Promise<OpenedLiveItems>): void {
  afterEach(() => replaceClock())
  const using = (use: (stores: OpenedLiveItems, pass: (ms: number) => void) => Promise<void>) => async () => {
    const stores = await open()
    try {
      await use(stores, passing())
    } finally {
      await stores.close()
    }
  }

  describe(`live items: ${name}`, () => {
    test(
      'a reader finds the items so far, as they grow',
      using(async (stores, pass) => {
        const [run, collected] = [anAttempt(), new Collected()]
        const shared = stores.worker.share(run, collected)
        const items: object[] = []
        for (let n = 0; n < 5; n++) {
          const more = [
            { n, text: 'a "quoted" } text, ü€😀 \ud800' },
            { n, list: [[{}], ','] },
          ]
          items.push(...more)
          collected.add(itemsOf(...more))
          pass(2000)
          await shown(stores, run, shared, (page) => page?.total === items.length)
          const found = await stores.reader.find(run)
          const expected = JSON.parse(JSON.stringify(items))
          expect(await pageOf(found!, 0, 100)).toEqual({
            items: expected,
            from: 0,
            total: items.length,
            isFinal: false,
            next: null,
          })
          expect((await pageOf(found!, 1, 1)).items).toEqual([expected[1]])
        }
        shared.stop()
      }),
    )

    test(
      'a run that starts over shows what it has collected since',
      using(async (stores, pass) => {
        const [run, collected] = [anAttempt(), new Collected()]
        const shared = stores.worker.share(run, collected)
        collected.add(itemsOf({ n: 1 }, { n: 2 }))
        pass(2000)
        await shown(stores, run, shared, (page) => page?.total === 2)
        collected.clear()
        pass(2000)
        await shown(stores, run, shared, (page) => page?.total === 0 && page.items.length === 0)
        collected.add(itemsOf({ n: 3 }))
        pass(2000)
        await shown(stores, run, shared, (page) => page?.total === 1)
        collected.clear()
        collected.add(itemsOf({ n: 4 }))
        pass(2000)
        await shown(stores, run, shared, (page) => JSON.stringify(page?.items) === '[{"n":4}]')
        shared.stop()
      }),
    )

    test(
      'nothing is shown of another attempt or another run, nor after the end',
      using(async (stores, pass) => {
        const run = anAttempt(2)
        const collected = new Collected()
        const shared = stores.worker.share(run, collected)
        const neighbor = stores.worker.share(anAttempt(2), new Collected())
        collected.add(itemsOf({ n: 1 }))
        pass(2000)
        neighbor.tick()
        await shown(stores, run, shared, (page) => page?.total === 1)
        expect(await stores.reader.find({ ...run, attempt: 1 })).toBeUndefined()
        expect(await stores.reader.find({ ...run, attempt: 3 })).toBeUndefined()
        expect(await stores.reader.find({ ...run, runId: anAttempt().runId })).toBeUndefined()
        shared.stop()
        await until(async () => (await stores.reader.find(run)) === undefined)
        collected.add(itemsOf({ n: 2 }))
        pass(10_000)
        shared.tick()
        expect(await stores.reader.find(run)).toBeUndefined()
        neighbor.stop()
      }),
    )

    test(
      'of many items at least the first 3 MiB are shown, and how many there are',
      using(async (stores, pass) => {
        const [run, collected] = [anAttempt(), new Collected()]
        const shared = stores.worker.share(run, collected)
        const text = 'x'.repeat(10_000)
        for (let n = 0; n < 1000; n += 10)
          collected.add(itemsOf(...Array.from({ length: 10 }, (_, i) => ({ n: n + i, text }))))
        pass(2000)
        const numbers: number[] = []
        await until(async () => {
          shared.tick()
          const found = await stores.reader.find(run)
          numbers.length = 0
          if (found?.total !== 1000) return false
          for await (const group of itemTexts(found))
            for (const each of group) numbers.push(JSON.parse(each).n)
          return numbers.length >= 300
        })
        expect(numbers).toEqual(Array.from(numbers, (_, n) => n))
        shared.stop()
      }),
    )

    test(
      'a long read that meets a new start ends early, and has nothing twice',
      using(async (stores, pass) => {
        const [run, collected] = [anAttempt(), new Collected()]
        const shared = stores.worker.share(run, collected)
        const text = 'x'.repeat(200_000)
        for (let n = 0; n < 10; n++) collected.add(itemsOf({ n, text }))
        pass(2000)
        await until(async () => {
          shared.tick()
          return (await stores.reader.find(run))?.parts.length === 10
        })
        const reading = itemTexts((await stores.reader.find(run))!)
        const numbers = [(await reading.next()).value!.map((each: string) => JSON.parse(each).n)]
        collected.clear()
        collected.add(itemsOf({ n: 'new' }))
        pass(2000)
        await shown(stores, run, shared, (page) => page?.total === 1)
        for await (const group of reading) numbers.push(group.map((each) => JSON.parse(each).n))
        expect(numbers.flat()).toEqual(Array.from(numbers.flat(), (_, n) => n))
        shared.stop()
      }),
    )
  })
}
