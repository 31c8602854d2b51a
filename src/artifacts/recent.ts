/**
 * Small artifacts in memory for a while after they were written: an input is about to be read by its worker, a result
 * by its client.
 *
 * @module
 */

type Entry = { readonly body: Uint8Array; readonly expiresAt: number }

/** What an entry takes beside its body, in bytes, about. */
const OVERHEAD_BYTES = 256

export class Recent {
  /** Two halves, since to delete the oldest entries one by one costs more than to drop them together. */
  private newer = new Map<string, Entry>()
  private older = new Map<string, Entry>()
  private bytes = 0

  /** @param limitBytes how much is kept at most */
  constructor(private readonly limitBytes: number) {}

  /** @param now milliseconds since 1970 */
  get(ref: string, now: number): Uint8Array | undefined {
    const entry = this.newer.get(ref) ?? this.older.get(ref)
    return entry && entry.expiresAt > now ? entry.body : undefined
  }

  set(ref: string, body: Uint8Array, expiresAt: number): void {
    this.newer.set(ref, { body, expiresAt })
    this.bytes += body.byteLength + OVERHEAD_BYTES
    if (this.bytes < this.limitBytes / 2) return
    this.older = this.newer
    this.newer = new Map()
    this.bytes = 0
  }

  delete(ref: string): void {
    this.newer.delete(ref)
    this.older.delete(ref)
  }
}
