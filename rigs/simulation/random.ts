/**
 * Random numbers that depend only on a seed, the same on every runtime.
 *
 * @module
 */
import type { Randomness } from '../../src/random.ts'

export class Seeded {
  private state: number

  constructor(seed: number) {
    this.state = seed | 0
  }

  /** From 0 to 1, without 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  /** A whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.next() * values.length)] as T
  }

  /** Another generator, whose numbers do not depend on how many numbers of this one are used. */
  fork(): Seeded {
    return new Seeded(Math.floor(this.next() * 4294967296))
  }
}

/** The replacement for the random sources of the system. */
export function randomnessOf(seeded: Seeded): Randomness {
  const randomBytes = (size: number) => {
    const bytes = Buffer.alloc(size)
    for (let i = 0; i < size; i += 4)
      bytes.writeUInt32LE(Math.floor(seeded.next() * 4294967296), Math.min(i, Math.max(0, size - 4)))
    return bytes
  }
  return {
    randomBytes: (size) => (size < 4 ? randomBytes(4).subarray(0, size) : randomBytes(size)),
    randomUUID() {
      const bytes = randomBytes(16)
      bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
      bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
      const hex = bytes.toString('hex')
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
        '-',
      )
    },
    randomInt: (below) => Math.floor(seeded.next() * below),
    random: () => seeded.next(),
  }
}
