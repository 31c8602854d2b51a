/**
 * How much room is left on the disk that runs write their files to.
 *
 * @module
 */
import { statfs } from 'node:fs/promises'

/** How long a figure is good for, in milliseconds. */
const FRESH_MS = 500

export class Disk {
  private asked: Promise<number> | undefined
  private at = Number.NEGATIVE_INFINITY

  /** @param path any path on the disk */
  constructor(private readonly path: string) {}

  /** Bytes that may still be written, at most half a second old. */
  free(): Promise<number> {
    const now = performance.now()
    if (!this.asked || now - this.at > FRESH_MS) {
      this.at = now
      this.asked = freeBytes(this.path)
    }
    return this.asked
  }
}

/** Bytes that may still be written to the disk of a path by others than root. */
export async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}
