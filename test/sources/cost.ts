/**
 * The cost of processing a task's recorded answers: CPU time, including the browser, without the network.
 *
 * @module
 */
import type { Exchange } from '../../src/plugin/testing.ts'
import type { Task } from '../../src/plugin.ts'
import { cpuMs } from './cpu.ts'
import { answersOf, casesOf, playedBy, type Recorded } from './evidence.ts'

export type Cost = {
  readonly task: Task
  readonly runs: number
  /** user and system time of all runs, milliseconds */
  readonly cpuMs: number
  /** bytes of the bodies read in all runs */
  readonly bytes: number
}

/** In the first runs the runtime mostly compiles. */
const WARM_MS = 1000
const MEASURED_MS = 2000

/** Runs the successful cases repeatedly; undefined if the task has none. */
export async function costOf(recorded: Recorded, task: Task): Promise<Cost | undefined> {
  const cases = casesOf(recorded, task)
    .filter(({ ends }) => ends === undefined)
    .map((one) => ({ one, exchanges: answersOf(recorded, one) }))
  if (cases.length === 0) return undefined
  const bytes = cases.reduce((sum, { exchanges }) => sum + bytesOf(exchanges), 0)
  const round = async () => {
    for (const { one, exchanges } of cases) await playedBy(recorded, one, exchanges)
  }
  await rounds(round, WARM_MS)
  const before = cpuMs()
  const count = await rounds(round, MEASURED_MS)
  return { task, runs: count * cases.length, cpuMs: cpuMs() - before, bytes: bytes * count }
}

/** @returns the number of rounds */
async function rounds(round: () => Promise<void>, ms: number): Promise<number> {
  const until = performance.now() + ms
  let count = 0
  do {
    await round()
    count++
  } while (performance.now() < until)
  return count
}

const bytesOf = (exchanges: readonly Exchange[]): number =>
  exchanges.reduce((sum, exchange) => sum + bytesOfOne(exchange), 0)

function bytesOfOne({ body, base64, json }: Exchange): number {
  if (base64 !== undefined) return Buffer.byteLength(base64, 'base64')
  if (json !== undefined) return Buffer.byteLength(JSON.stringify(json))
  return body === undefined ? 0 : Buffer.byteLength(body)
}
