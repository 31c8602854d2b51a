/**
 * The bodies of artifacts that were just written or read, which are about to be read: an input by its worker, a result
 * by its client.
 *
 * @module
 */
import { BoundedCache } from '../bounded-cache.ts'

/** What an entry takes beside its body, about. */
const OVERHEAD_BYTES = 256

/** By ref. */
export class RecentBodies {
  private readonly recent: BoundedCache<string, { readonly body: Uint8Array; readonly expiresAt: number }>

  /**
   * @param bytes how much is kept; what is larger than a thirty-second of it is not kept
   * @param now milliseconds since 1970
   */
  constructor(
    private readonly bytes: number,
    private readonly now: () => number,
  ) {
    this.recent = new BoundedCache(bytes)
  }

  /** Undefined for what is not kept or has expired. */
  get(ref: string): Uint8Array | undefined {
    const recent = this.recent.get(ref)
    return recent && recent.expiresAt > this.now() ? recent.body : undefined
  }

  set(ref: string, body: Uint8Array, expiresAt: number): void {
    if (body.byteLength <= this.bytes / 32)
      this.recent.set(ref, { body, expiresAt }, body.byteLength + OVERHEAD_BYTES)
  }

  delete(ref: string): void {
    this.recent.delete(ref)
  }
}
