/**
 * The progress of an export, in posts and bytes.
 *
 * @module
 */
import type { Context } from 'gleaner/plugin'

/** Bytes in words: `20 kB`, `3.4 MB`. */
const sizeText = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`

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
    this.reportedBytes = this.bytes
    const total = most === null ? null : Math.max(most, posts)
    this.context.progress(
      posts,
      total,
      `posts exported · ${mediaFiles} media ${mediaFiles === 1 ? 'file' : 'files'} · ${sizeText(this.bytes)}`,
    )
  }
}
