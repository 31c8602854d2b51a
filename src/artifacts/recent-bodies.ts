/**
 * A cache of recently written or read artifact bodies. They are usually read soon: an input by its worker, a result by
 * its client.
 *
 * @module
 */
import { BoundedCache } from '../bounded-cache.ts'

/** The approximate size of an entry without its body. */
const OVERHEAD_BYTES = 256

/** Keyed by ref. */
export class RecentBodies {
  private readonly recent: BoundedCache<string, { readonly body: Uint8Array; readonly expiresAt: number }>

  /**
   * @param bytes size of the cache; bodies larger than 1/32 of it are not cached
   * @param now milliseconds since 1970
   */
  constructor(
    private readonly bytes: number,
    private readonly now: () => number,
  ) {
    this.recent = new BoundedCache(bytes)
  }

  /** Undefined if the body is not cached or has expired. */
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
