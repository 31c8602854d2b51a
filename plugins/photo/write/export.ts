/**
 * Writes the export of a profile.
 *
 * @module
 */
import { type Context, timeOf } from 'gleaner/plugin'
import type { Media, Post, ReadPost } from '../read/parsers/post.ts'
import { detailsOf, type Profile, pictureOf } from '../read/parsers/profile.ts'
import type { ProfileFeed } from '../read/posts.ts'
import { Archive } from './archive.ts'
import { csvHead, csvLine } from './posts-csv.ts'
import { Progress } from './progress.ts'

/** The reasons why an export ends. `end`: the source had no more posts. */
export const STOP_REASONS = [
  'end',
  'max_posts',
  'blocked',
  'error',
  'cancelled',
  'insufficient-credits',
] as const
export type StopReason = (typeof STOP_REASONS)[number]

/** The outcome of an export, for the manifest and the run's result. */
export type Summary = {
  readonly posts_exported: number
  readonly posts_reported_by_source: number | null
  readonly complete: boolean
  readonly stop_reason: StopReason
  readonly media_files: number
  readonly media_failed: number
  readonly bytes_total: number
}

/** Why an export ends. */
export type Stop = {
  readonly reason: StopReason
  /** whether the source said that this was the last post */
  readonly atEnd?: boolean
  /** the error message */
  readonly fault?: string
}

const TEXT = 'text/plain; charset=utf-8'
const JSON_TYPE = 'application/json'
const CSV = 'text/csv; charset=utf-8'

/** Writes posts into the archive, one after the other, and finally the table of posts and the manifest. */
export class Export {
  /** the lines of posts.csv, which are sorted at the end; about a kilobyte for each post */
  private readonly lines: { readonly takenAt: string; readonly line: string }[] = []
  private mediaFailed = 0

  private constructor(
    private readonly context: Context,
    private readonly archive: Archive,
    private readonly progress: Progress,
    private readonly profile: Profile,
    private readonly maxPosts: number | null,
    private readonly began: Date,
  ) {}

  /** Creates the archive and adds the profile and its picture. */
  static async begin(
    context: Context,
    { profile, user }: Pick<ProfileFeed, 'profile' | 'user'>,
    maxPosts: number | null,
  ): Promise<Export> {
    // Whole seconds, like all other times in the archive.
    const at = new Date(Math.floor(context.now() / 1000) * 1000)
    const { username, post_count } = profile
    const most = [maxPosts, post_count].filter((count) => count !== null)
    const progress = new Progress(context, most.length > 0 ? Math.min(...most) : null)
    const name = `${username}_instagram_${stampOf(at)}Z.zip`
    const archive = await Archive.create(context, name, username, (count) => progress.addBytes(count))
    const about = pretty({ ...profile, ...detailsOf(user) })
    await archive.addText(about, JSON_TYPE, { name: 'profile.json', post_id: null, at })
    const picture = pictureOf(user)
    if (picture !== null) await archive.addMedia(picture, 'image', { name: 'profile_pic', post_id: null, at })
    return new Export(context, archive, progress, profile, maxPosts, at)
  }

  /** The number of posts in the archive. */
  get count(): number {
    return this.progress.posts
  }

  /** Writes a post: its media, caption and metadata. */
  async add({ post, cover, raw }: ReadPost): Promise<void> {
    const { archive, progress } = this
    const { caption, post_id, taken_at } = post
    const at = new Date(taken_at ?? 0)
    const stem = `${taken_at === null ? '00000000_000000' : stampOf(at, '_')}_${post.shortcode}`
    const entry = (name: string) => ({ name, post_id, at })
    const media: Media[] = []
    for (const one of post.media) media.push(await this.addOne(one, post, `media/${stem}`, at))
    if (cover !== null) await archive.addMedia(cover, 'image', entry(`media/${stem}_cover`))
    if (caption !== null) await archive.addText(caption, TEXT, entry(`captions/${stem}.txt`))
    const postWithMedia = { ...post, media }
    await archive.addText(pretty({ ...postWithMedia, raw }), JSON_TYPE, entry(`metadata/${stem}.json`))
    progress.posts++
    this.lines.push({ takenAt: taken_at ?? '', line: csvLine(postWithMedia, progress.posts) })
    progress.tell()
  }

  /** Adds the table of posts and the manifest, and closes the archive. */
  async finish({ reason, atEnd = false, fault }: Stop): Promise<Summary> {
    const { archive, profile, began, count } = this
    const { files, errors } = archive
    if (fault !== undefined) errors.push({ post_id: null, file: null, status: null, message: fault })
    const newestFirst = this.lines.toSorted((a, b) =>
      a.takenAt < b.takenAt ? 1 : a.takenAt > b.takenAt ? -1 : 0,
    )
    await archive.addText(csvOf(newestFirst), CSV, { name: 'posts.csv', post_id: null, at: began })
    const summary: Summary = {
      posts_exported: count,
      posts_reported_by_source: profile.post_count,
      complete: reason === 'end' && (atEnd || (profile.post_count !== null && count >= profile.post_count)),
      stop_reason: reason,
      media_files: this.progress.mediaFiles,
      media_failed: this.mediaFailed,
      bytes_total: files.reduce((sum, { bytes }) => sum + bytes, 0),
    }
    const dated = newestFirst.filter(({ takenAt }) => takenAt !== '')
    const manifest = {
      schema_version: '1.0',
      source: 'instagram',
      profile,
      exported_at: timeOf(began.toISOString()),
      authenticated: this.context.signedIn,
      max_posts: this.maxPosts,
      ...summary,
      date_range: { oldest: dated.at(-1)?.takenAt ?? null, newest: dated[0]?.takenAt ?? null },
      files,
      errors,
    }
    await archive.close(pretty(manifest), began)
    return summary
  }

  /** Adds one medium of a post. @returns the medium with its file, or with an error */
  private async addOne(media: Media, post: Post, stem: string, at: Date): Promise<Media> {
    const { archive } = this
    const { post_id } = post
    const number = post.type === 'carousel' ? `_${String(media.index).padStart(2, '0')}` : ''
    const { source_url, error } = media
    // An image takes the place of a medium with an error: the poster of a video, or the preview of a post.
    const kind = error === null ? media.kind : 'image'
    const outcome = await archive.addMedia(source_url, kind, { name: `${stem}${number}`, post_id, at })
    const file = 'path' in outcome ? outcome.path : null
    if (error !== null) archive.errors.push({ post_id, file, status: null, message: error })
    if ('message' in outcome) {
      this.mediaFailed++
      return { ...media, error: error === null ? outcome.message : `${error}; ${outcome.message}` }
    }
    this.progress.mediaFiles++
    return { ...media, file, bytes: outcome.bytes, sha256: outcome.sha256 }
  }
}

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

async function* csvOf(lines: readonly { readonly line: string }[]): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  yield encoder.encode(csvHead)
  for (const { line } of lines) yield encoder.encode(line)
}

/** A time in the form of file names: `20220513T163510`, or with another sign between date and time. */
const stampOf = (at: Date, sign = 'T'): string =>
  at.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', sign)
