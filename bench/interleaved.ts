/**
 * Interleaved measurements.
 *
 * @module
 */
import { median } from './table.ts'

const ROUNDS = 15

/**
 * Measures several things in turn, repeatedly, so that the load of the machine affects all of them alike.
 *
 * @returns the median figure of each, and the median of its ratio to the first one
 */
export async function interleaved<T>(
  all: readonly T[],
  measured: (one: T) => Promise<number>,
): Promise<{ readonly us: number; readonly times: number }[]> {
  const rounds: number[][] = []
  for (let round = 0; round < ROUNDS; round++) {
    const figures: number[] = []
    for (const one of all) figures.push(await measured(one))
    rounds.push(figures)
  }
  return all.map((_, i) => ({
    us: median(rounds.map((figures) => figures[i]!)),
    times: median(rounds.map((figures) => figures[i]! / figures[0]!)),
  }))
}
