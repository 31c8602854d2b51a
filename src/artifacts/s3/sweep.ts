/**
 * Deletes artifacts that have expired, by walking through the bucket's list: the list tells how old an object is, and
 * the object itself when it expires. A bucket's lifecycle rule does the same without a request of ours; this is for
 * buckets that have none, and deletes on the day.
 *
 * Several workers may walk at once, since to delete twice is to delete.
 *
 * @module
 */
import pLimit from 'p-limit'
import type { S3Client } from './client.ts'
import type { S3Objects } from './objects.ts'

/** Keys that one step lists, and requests that it makes at once. */
const PAGE = 200
const AT_ONCE = 16
/** A list of a large bucket costs a request for each page, so a walk begins once an hour at most. */
export const EVERY_MS = 3_600_000
/** Nobody waits for a sweep; in milliseconds. */
const LIMIT_MS = 8000

export class S3Sweep {
  /** the key that the walk has come to; undefined between walks */
  private after: string | undefined
  private nextWalk = 0

  /** @param leastAgeMs nothing younger has expired: how long an artifact lives at least, in milliseconds */
  constructor(
    private readonly client: S3Client,
    private readonly objects: S3Objects,
    private readonly leastAgeMs: number,
    private readonly everyMs = EVERY_MS,
  ) {}

  /**
   * Walks on until a page had something to delete, or to the end.
   *
   * @param now milliseconds since 1970
   * @returns how many were deleted; 0 when the walk is at its end, or the next one is not due yet
   */
  async step(now: number, deleted: (ref: string) => void): Promise<number> {
    if (this.after === undefined) {
      if (now < this.nextWalk) return 0
      this.nextWalk = now + this.everyMs
    }
    for (;;) {
      const { objects, isLast } = await this.client.list(this.objects.keyPrefix, {
        after: this.after,
        limit: PAGE,
        limitMs: LIMIT_MS,
      })
      const refs = objects
        .filter(({ at }) => at + this.leastAgeMs <= now)
        .map(({ key }) => key.slice(this.objects.keyPrefix.length))
      const count = await this.expire(refs, now, deleted)
      this.after = isLast ? undefined : objects.at(-1)?.key
      if (count > 0 || this.after === undefined) return count
    }
  }

  private async expire(
    refs: readonly string[],
    now: number,
    deleted: (ref: string) => void,
  ): Promise<number> {
    const limit = pLimit(AT_ONCE)
    let count = 0
    await limit.map(refs, async (ref) => {
      const head = await this.objects.head(ref, LIMIT_MS)
      if (!head || head.expiresAt > now) return
      await this.objects.remove(ref, LIMIT_MS)
      deleted(ref)
      count++
    })
    return count
  }
}
