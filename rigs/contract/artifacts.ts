/**
 * The contract of artifact stores. An adapter's test calls {@link artifactsContract} with a function that opens the
 * store. The store may hold other artifacts.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Artifacts } from '../../src/artifacts/artifacts.ts'
import { newRunId, type RunId } from '../../src/domain/ids.ts'

export type OpenedArtifacts = {
  readonly artifacts: Artifacts
  /** the store's clock, milliseconds since 1970: tests set it */
  now: number
  /** Closes the store and opens it again. */
  reopen(): Promise<OpenedArtifacts>
  close(): Promise<void>
}

const MIB = 1024 * 1024
/** Sizes around the limit of values inside SQLite, and one that every store reads in several pieces. */
const SIZES = {
  empty: 0,
  '64 KiB': 64 * 1024,
  '64 KiB and one byte': 64 * 1024 + 1,
  '2.5 MiB': 2.5 * MIB,
}
const LATER = 86_400_000

export const aRun = (): RunId => newRunId(Date.now(), randomBytes(10))
const sha256 = (body: Uint8Array) => createHash('sha256').update(body).digest('hex')

/** All bytes of a stream. */
export async function read(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) {
    expect(chunk).toBeInstanceOf(Uint8Array)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const same = (a: Uint8Array | undefined, b: Uint8Array) => a !== undefined && Buffer.compare(a, b) === 0

/**
 * @param open opens a store; the test closes it
 * @param folder for files that are moved into the store
 * @param readers number of readers that stop in the middle of an artifact. The default exceeds the common limit of 1024
 *   open files of a process.
 */
export function artifactsContract(
  name: string,
  open: () => Promise<OpenedArtifacts>,
  folder: string,
  readers = 1100,
): void {
  const using = (use: (store: OpenedArtifacts) => Promise<void>) => async () => {
    const store = await open()
    try {
      await use(store)
    } finally {
      await store.close()
    }
  }
  const aFile = (body: Uint8Array) => {
    const path = join(folder, randomBytes(8).toString('hex'))
    writeFileSync(path, body)
    return path
  }

  describe(`${name}: artifacts`, () => {
    for (const [size, bytes] of Object.entries(SIZES)) {
      test(
        `a value of ${size} comes back as it was, whole and as a stream`,
        using(async ({ artifacts, now }) => {
          const body = randomBytes(bytes)
          const { done, ...stored } = artifacts.put(aRun(), 'result', body, now + LATER)
          await done
          expect(stored).toMatchObject({ bytes, sha256: sha256(body) })
          expect(same(await artifacts.get(stored.ref), body)).toBe(true)
          const opened = await artifacts.open(stored.ref)
          expect(opened?.bytes).toBe(bytes)
          expect(same(opened && (await read(opened.body)), body)).toBe(true)
        }),
      )

      test(
        `a file of ${size} is moved in`,
        using(async ({ artifacts, now }) => {
          const body = randomBytes(bytes)
          const path = aFile(body)
          const stored = await artifacts.putFile(aRun(), 'file', path, now + LATER)
          expect(stored).toMatchObject({ bytes, sha256: sha256(body) })
          expect(existsSync(path)).toBe(false)
          expect(same(await artifacts.get(stored.ref), body)).toBe(true)
        }),
      )

      test(
        `ranges of ${size} return the bytes from start to end, cut at the end of the artifact`,
        using(async ({ artifacts, now }) => {
          const body = randomBytes(bytes)
          const { ref, done } = artifacts.put(aRun(), 'result', body, now + LATER)
          await done
          const ranges = [
            [0, 0],
            [1, 9],
            [Math.max(0, bytes - 7), bytes - 1],
            [10, bytes + 100],
            [bytes, bytes + 5],
            [bytes + 5, bytes + 9],
            [Math.floor(bytes / 3), Math.floor(bytes / 2)],
          ] as const
          for (const [start, end] of ranges) {
            if (end < start) continue
            const part = body.subarray(start, end + 1)
            const opened = await artifacts.open(ref, { start, end })
            expect(opened?.bytes).toBe(part.byteLength)
            expect(same(opened && (await read(opened.body)), part)).toBe(true)
          }
        }),
      )
    }

    test(
      'text is stored as UTF-8',
      using(async ({ artifacts, now }) => {
        const text = 'Zażółć 😀 \u0000 "quoted"\n'
        const { ref, bytes, done } = artifacts.put(aRun(), 'input', text, now + LATER)
        await done
        expect(bytes).toBe(Buffer.byteLength(text))
        expect(new TextDecoder().decode(await artifacts.get(ref))).toBe(text)
      }),
    )

    test(
      'a ref consists of the run, the name and the hash',
      using(async ({ artifacts, now }) => {
        const run = aRun()
        const { ref, sha256: hash, done } = artifacts.put(run, 'input', 'x', now + LATER)
        await done
        expect(ref).toBe(`${run}/input-${hash.slice(0, 32)}`)
      }),
    )

    test(
      'an unknown ref gives undefined',
      using(async ({ artifacts }) => {
        const ref = `${aRun()}/result-${'0'.repeat(32)}`
        expect(await artifacts.get(ref)).toBeUndefined()
        expect(await artifacts.open(ref)).toBeUndefined()
      }),
    )

    test(
      'a malformed ref gives undefined, so no path leads out of the store',
      using(async ({ artifacts }) => {
        const run = aRun()
        const hash = '0'.repeat(32)
        const wrong = [
          '',
          '/etc/passwd',
          `../${run}/result-${hash}`,
          `${run}/../result-${hash}`,
          `${run}/..`,
          `${run}/result`,
          `${run}/result-${hash}/..`,
          `${run}/a/b-${hash}`,
          `${run}\\result-${hash}`,
          `${run}/result-${hash}\u0000`,
          `${run}/result-${hash}\n`,
          `run_../result-${hash}`,
          '__proto__',
        ]
        for (const ref of wrong) {
          expect(await artifacts.get(ref)).toBeUndefined()
          expect(await artifacts.open(ref, { start: 0, end: 1 })).toBeUndefined()
        }
      }),
    )

    test(
      'a name that could escape the folder is refused with a TypeError',
      using(async ({ artifacts, now }) => {
        for (const wrong of ['', '.', '..', '../x', 'a/b', 'a\\b', 'a\u0000', '-a', 'ä', 'x'.repeat(101)]) {
          expect(() => artifacts.put(aRun(), wrong, 'x', now + LATER)).toThrow(TypeError)
          const path = aFile(Buffer.from('x'))
          await expect(artifacts.putFile(aRun(), wrong, path, now + LATER)).rejects.toThrow(TypeError)
        }
      }),
    )

    test(
      'storing the same bytes again succeeds with the same ref, and the latest expiry applies',
      using(async (store) => {
        const { artifacts, now } = store
        for (const body of [Buffer.from('small'), randomBytes(100_000)]) {
          const run = aRun()
          const first = artifacts.put(run, 'result', body, now + 1000)
          await first.done
          const second = artifacts.put(run, 'result', body, now + 2000)
          await second.done
          const third = await artifacts.putFile(run, 'result', aFile(body), now + 3000)
          const { ref } = first
          expect([second.ref, third.ref]).toEqual([ref, ref])
          store.now = now + 2500
          await sweepAll(artifacts, store.now)
          expect(same(await artifacts.get(ref), body)).toBe(true)
          store.now = now
        }
      }),
    )

    test(
      'an expired artifact is gone, before a sweep and after it; others stay',
      using(async (store) => {
        const { artifacts, now } = store
        const stays = artifacts.put(aRun(), 'result', 'stays', now + LATER)
        const run = aRun()
        const small = artifacts.put(run, 'input', 'goes', now + 1000)
        const large = artifacts.put(run, 'result', randomBytes(100_000), now + 1000)
        await Promise.all([stays.done, small.done, large.done])
        const file = await artifacts.putFile(run, 'file', aFile(randomBytes(1000)), now + 1000)
        const refs = [small.ref, large.ref, file.ref]
        for (const ref of refs) expect(await artifacts.get(ref)).toBeDefined()

        store.now = now + 1000
        for (const ref of refs) {
          expect(await artifacts.get(ref)).toBeUndefined()
          expect(await artifacts.open(ref)).toBeUndefined()
        }
        expect(await sweepAll(artifacts, store.now)).toBeGreaterThanOrEqual(3)
        // The sweep deleted them: they are gone even with the clock turned back.
        store.now = now
        for (const ref of refs) {
          expect(await artifacts.get(ref)).toBeUndefined()
          expect(await artifacts.open(ref)).toBeUndefined()
        }
        expect(await artifacts.get(stays.ref)).toBeDefined()
      }),
    )

    test(
      'a removed artifact is gone, a repeat changes nothing, and the others of its run stay',
      using(async ({ artifacts, now }) => {
        const run = aRun()
        const stays = artifacts.put(run, 'result', randomBytes(100_000), now + LATER)
        const small = artifacts.put(run, 'capture', 'goes', now + LATER)
        const large = artifacts.put(run, 'capture', randomBytes(100_000), now + LATER)
        await Promise.all([stays.done, small.done, large.done])
        for (const { ref } of [small, large, small, large]) {
          await artifacts.remove(ref)
          expect(await artifacts.get(ref)).toBeUndefined()
          expect(await artifacts.open(ref)).toBeUndefined()
        }
        await artifacts.remove(`${aRun()}/capture-${'0'.repeat(32)}`)
        await artifacts.remove('../elsewhere')
        expect(await artifacts.get(stays.ref)).toBeDefined()
        // It can be stored again.
        await artifacts.put(run, 'capture', 'goes', now + LATER).done
        expect(await artifacts.get(small.ref)).toBeDefined()
      }),
    )

    test(
      'a sweep deletes in bounded batches until nothing is left',
      using(async ({ artifacts, now }) => {
        await sweepAll(artifacts, now)
        for (let i = 0; i < 5; i++)
          await Promise.all(
            Array.from({ length: 50 }, () => artifacts.put(aRun(), 'input', 'x', now - 1).done),
          )
        const first = await artifacts.sweep(now)
        expect(first).toBeGreaterThan(0)
        expect(first).toBeLessThan(250)
        expect(first + (await sweepAll(artifacts, now))).toBe(250)
      }),
      60_000,
    )

    test(
      'stored artifacts survive a reopen',
      using(async (store) => {
        const { artifacts, now } = store
        const bodies = [randomBytes(10), randomBytes(MIB)]
        const stored = bodies.map((body) => artifacts.put(aRun(), 'result', body, now + LATER))
        await Promise.all(stored.map(({ done }) => done))
        const again = await store.reopen()
        for (const [i, { ref }] of stored.entries()) {
          expect(same(await again.artifacts.get(ref), bodies[i]!)).toBe(true)
        }
      }),
    )

    test(
      'readers that stop in the middle, cancelled or not, leave no files open',
      using(async ({ artifacts, now }) => {
        const { ref, done } = artifacts.put(aRun(), 'result', randomBytes(2.5 * MIB), now + LATER)
        await done
        for (let i = 0; i < readers; i++) {
          const opened = await artifacts.open(ref)
          const reader = opened!.body.getReader()
          if (i % 2 === 0) await reader.read()
          if (i % 3 === 0) await reader.cancel()
        }
        expect((await artifacts.open(ref))?.bytes).toBe(2.5 * MIB)
      }),
      60_000,
    )
  })
}

/** Sweeps until nothing is left. @returns the number of deleted artifacts */
export async function sweepAll(artifacts: Artifacts, now: number): Promise<number> {
  let deleted = 0
  for (;;) {
    const some = await artifacts.sweep(now)
    if (some === 0) return deleted
    deleted += some
  }
}
