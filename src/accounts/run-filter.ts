/**
 * Which runs an account was ever charged for, in two bytes a run: a Bloom filter that grows. It may name one too many,
 * never one too few.
 *
 * @module
 */
import type { RunId } from '../domain/ids.ts'

const BITS_A_RUN = 16
/** Bits that stand for one run: with 16 bits a run about one in 400 is named that was not added. */
const MARKS = 4
const FIRST_ROOM = 256

type Part = { readonly bits: Uint32Array; room: number }

export class RunFilter {
  /** each with twice the room of the one before it */
  private readonly parts: Part[] = []

  add(run: RunId): void {
    let part = this.parts.at(-1)
    if (!part || part.room === 0) {
      const room = FIRST_ROOM * 2 ** this.parts.length
      part = { bits: new Uint32Array((room * BITS_A_RUN) / 32), room }
      this.parts.push(part)
    }
    part.room--
    for (const mark of marksOf(run)) part.bits[place(part, mark)]! |= 1 << (mark & 31)
  }

  /** False: it was not added. True: it was, most likely. */
  mayHave(run: RunId): boolean {
    const marks = marksOf(run)
    return this.parts.some((part) =>
      marks.every((mark) => (part.bits[place(part, mark)]! & (1 << (mark & 31))) !== 0),
    )
  }
}

/** The number of words is a power of two. */
const place = ({ bits }: Part, mark: number): number => (mark >>> 5) & (bits.length - 1)

function marksOf(run: RunId): readonly number[] {
  let [a, b] = [0x811c9dc5, 0x9747b28c]
  for (let i = 0; i < run.length; i++) {
    const code = run.charCodeAt(i)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ code, 0x5bd1e995)
    b ^= b >>> 13
  }
  a ^= a >>> 15
  b |= 1
  return Array.from({ length: MARKS }, (_, i) => (a + Math.imul(i, b)) >>> 0)
}
