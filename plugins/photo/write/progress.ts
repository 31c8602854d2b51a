/**
 * The progress of an export, in posts and bytes.
 *
 * @module
 */
import type { Context } from 'gleaner/plugin'

/** A long download reports its progress each time this many bytes have arrived. */
const TELL = 4 * 1024 * 1024

export class Progress {
  posts = 0
  mediaFiles = 0
  private bytes = 0
  private reportedBytes = 0

  /** @param most the number of posts that the export will have at most; null when it is unknown */
  constructor(
    private readonly context: Context,
    private readonly most: number | null,
  ) {}

  /** Counts bytes of media. */
  addBytes(count: number): void {
    this.bytes += count
    if (this.bytes - this.reportedBytes >= TELL) this.tell()
  }

  /** Reports the progress. */
  tell(): void {
    const { posts, most, mediaFiles } = this
    const megabytes = (this.bytes / 1e6).toFixed(1)
    this.reportedBytes = this.bytes
    const total = most === null ? null : Math.max(most, posts)
    this.context.progress(posts, total, `posts exported, ${mediaFiles} media files, ${megabytes} MB read`)
  }
}
