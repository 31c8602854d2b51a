/**
 * What is fuzzed: a surface takes one case at a time, each from random numbers of its own.
 *
 * @module
 */
import { Worker } from 'node:worker_threads'
import { Random } from './random.ts'

export type Surface = {
  readonly name: string
  /** part of all cases that it gets, by its cost: all surfaces make 1 */
  readonly share: number
  /** what some of its cases come to: where one of these is never seen, the cases are no good */
  readonly reaches: readonly string[]
  open(): Promise<Opened>
}

export type Opened = {
  /** Tries one case. @returns what it came to, in a word: these are counted. @throws what is wrong */
  one(random: Random): Promise<string> | string
  close?(): Promise<void>
}

/** A case that takes longer, in milliseconds of the clock, is taken for an endless loop. */
const LONGEST_MS = 20_000
const MOST_BYTES = 512 * 1024 * 1024

export const repeatOf = (surface: string, seed: number, index: number): string =>
  `npm run fuzz -- --only ${surface} --seed ${seed} --case ${index}`

/** What a surface's cases came to. */
export type Found = {
  readonly tried: number
  /** each kind of failure once */
  readonly failures: readonly string[]
  /** how many cases came to what */
  readonly outcomes: ReadonlyMap<string, number>
}

/** So many kinds of failures are enough to begin with. */
const MOST_FAILURES = 20

/**
 * Tries cases from `from` on.
 *
 * @returns each kind of failure with its first case and the command that repeats it
 */
export async function fuzz(surface: Surface, seed: number, from: number, cases: number): Promise<Found> {
  const { name } = surface
  const opened = await surface.open()
  const guard = watch(name, seed)
  const failures = new Map<string, string>()
  const outcomes = new Map<string, number>()
  let memory = process.memoryUsage.rss()
  let tried = 0
  try {
    for (; tried < cases && failures.size < MOST_FAILURES; tried++) {
      const index = from + tried
      guard.begin(index)
      try {
        const outcome = await opened.one(Random.of(seed, name, index))
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        const now = process.memoryUsage.rss()
        const grown = now - memory
        memory = now
        if (grown > MOST_BYTES) throw new RangeError(`the case took ${grown} bytes of memory`)
      } catch (error) {
        const kind = String(error).slice(0, 80)
        if (failures.has(kind)) continue
        failures.set(kind, `${told(error)}\nRepeat it with: ${repeatOf(name, seed, index)}`)
      }
    }
  } finally {
    guard.end()
    await opened.close?.()
  }
  return { tried, failures: [...failures.values()], outcomes }
}

/** With what is behind it. */
const told = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\nbecause of ${told(error.cause)}`
  return `${error.stack ?? error.message}${cause}`
}

/** A thread that ends this process when a case does not end: an endless loop lets nothing else run. */
function watch(surface: string, seed: number) {
  const shared = new Int32Array(new SharedArrayBuffer(4))
  const code = `
    const { shared, longest, repeat } = require('node:worker_threads').workerData
    let last = -1
    let since = performance.now()
    setInterval(() => {
      const now = Atomics.load(shared, 0)
      if (now !== last) [last, since] = [now, performance.now()]
      else if (performance.now() - since > longest) {
        console.error('A case did not end. Repeat it with: ' + repeat + now)
        process.kill(process.pid, 'SIGKILL')
      }
    }, 1000)`
  const workerData = { shared, longest: LONGEST_MS, repeat: repeatOf(surface, seed, 0).slice(0, -1) }
  const thread = new Worker(code, { eval: true, workerData })
  thread.unref()
  return {
    begin: (index: number) => void Atomics.store(shared, 0, index),
    end: () => void thread.terminate(),
  }
}
