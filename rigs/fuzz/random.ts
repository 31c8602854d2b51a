/**
 * Reproducible random numbers: the same seed, surface and case give the same numbers in any order of cases.
 *
 * @module
 */
import { hash } from 'node:crypto'

export class Random {
  constructor(private state: number) {}

  /** The random numbers of one case. */
  static of(seed: number, surface: string, index: number): Random {
    return new Random(Number.parseInt(hash('sha256', `${seed}/${surface}/${index}`).slice(0, 8), 16))
  }

  /** A number from 0 up to but not including 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number from 0 up to but not including `most`. */
  below(most: number): number {
    return Math.floor(this.next() * most)
  }

  chance(part: number): boolean {
    return this.next() < part
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('nothing to pick from')
    return list[this.below(list.length)] as T
  }
}
