/**
 * The bodies of artifacts that were just written or read, which are about to be read: an input by its worker, a result
 * by its client.
 *
 * @module
 */
import { BoundedCache } from '../bounded-cache.ts'

/** What an entry takes beside its body, about. */
const OVERHEAD_BYTES = 256

type Recent = BoundedCache<string, { readonly body: Uint8Array; readonly expiresAt: number }>

/** By ref. */
export class RecentBodies {
  /** apart, since inputs wait with their runs while results come and go */
  private readonly inputs: Recent
  private readonly others: Recent

  /**
   * @param bytes how much is kept of inputs, and of all others; what is larger than a sixteenth of it is not kept
   * @param now milliseconds since 1970
   */
  constructor(
    private readonly bytes: number,
    private readonly now: () => number,
  ) {
    this.inputs = new BoundedCache(bytes)
    this.others = new BoundedCache(bytes)
  }

  /** Undefined for what is not kept or has expired. */
  get(ref: string): Uint8Array | undefined {
    const recent = this.of(ref).get(ref)
    return recent && recent.expiresAt > this.now() ? recent.body : undefined
  }

  set(ref: string, body: Uint8Array, expiresAt: number): void {
    if (body.byteLength <= this.bytes / 16)
      this.of(ref).set(ref, { body, expiresAt }, body.byteLength + OVERHEAD_BYTES)
  }

  delete(ref: string): void {
    this.of(ref).delete(ref)
  }

  private of(ref: string): Recent {
    return ref.includes('/input-') ? this.inputs : this.others
  }
}
