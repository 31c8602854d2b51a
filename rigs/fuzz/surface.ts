/**
 * The fuzzer: a surface tries one case at a time, each with its own random numbers.
 *
 * @module
 */
import { Worker } from 'node:worker_threads'
import { Random } from './random.ts'

export type Surface = {
  readonly name: string
  /** its part of all cases, by its cost; all shares add up to 1 */
  readonly share: number
  /** outcomes that some of its cases must have; without them the cases prove nothing */
  readonly reaches: readonly string[]
  open(): Promise<Opened>
}

export type Opened = {
  /** Tries one case. @returns its outcome in a word, which is counted. @throws when a guarantee is broken */
  one(random: Random): Promise<string> | string
  close?(): Promise<void>
}

/** A case that takes longer, in milliseconds of wall-clock time, is taken for an endless loop. */
const LONGEST_MS = 20_000
const MOST_BYTES = 512 * 1024 * 1024

export const repeatOf = (surface: string, seed: number, index: number): string =>
  `npm run fuzz -- --only ${surface} --seed ${seed} --case ${index}`

/** The result of a surface's cases. */
export type SurfaceReport = {
  readonly tried: number
  /** each kind of failure once */
  readonly failures: readonly string[]
  /** the count of cases by outcome */
  readonly outcomes: ReadonlyMap<string, number>
}

/** The fuzzer stops after so many kinds of failures. */
const MOST_FAILURES = 20

/**
 * Tries cases, beginning with number `from`.
 *
 * @returns each kind of failure with its first case and the command that repeats it
 */
export async function fuzz(
  surface: Surface,
  seed: number,
  from: number,
  cases: number,
): Promise<SurfaceReport> {
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
        failures.set(kind, `${stackOf(error)}\nRepeat it with: ${repeatOf(name, seed, index)}`)
      }
    }
  } finally {
    guard.end()
    await opened.close?.()
  }
  return { tried, failures: [...failures.values()], outcomes }
}

/** The stack of an error and of its causes. */
const stackOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\nbecause of ${stackOf(error.cause)}`
  return `${error.stack ?? error.message}${cause}`
}

/** Starts a thread that kills this process when a case does not end, because an endless loop blocks the main thread. */
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
