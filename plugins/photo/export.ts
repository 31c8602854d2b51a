/**
 * Writes the archive of a profile.
 *
 * @module
 */
import { type Context, createZip, timeOf, type Zip, type ZipFile } from 'gleaner/plugin'
import { download, endingOf, type Missing } from './download.ts'
import { type Earlier, earlierOf } from './earlier.ts'
import type { Entry } from './entry.ts'
import type { Kind, Media, Post, ReadPost } from './post.ts'
import { csvHead, csvLine } from './posts-csv.ts'
import { detailsOf, type Profile, pictureOf } from './profile.ts'

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

type Listed = {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  readonly content_type: string
  readonly post_id: string | null
}
type Fault = { readonly post_id: string | null; readonly file: string | null } & Missing

const TEXT = 'text/plain; charset=utf-8'
const JSON_TYPE = 'application/json'
const CSV = 'text/csv; charset=utf-8'
/** A long download reports its progress each time this many bytes have arrived. */
const TELL = 4 * 1024 * 1024

/** Writes posts into the archive, one after the other, and finally the table of posts and the manifest. */
export class Export {
  private readonly files: Listed[] = []
  private readonly errors: Fault[] = []
  /** the lines of posts.csv, which are sorted at the end; about a kilobyte for each post */
  private readonly lines: { readonly taken: string; readonly line: string }[] = []
  private posts = 0
  private mediaFiles = 0
  private mediaFailed = 0
  private mediaBytes = 0
  private toldBytes = 0

  private constructor(
    private readonly context: Context,
    private readonly zip: Zip,
    private readonly profile: Profile,
    private readonly maxPosts: number | null,
    private readonly began: Date,
    private readonly earlier: Earlier,
  ) {}

  /** Creates the archive and adds the profile and its picture. */
  static async begin(
    context: Context,
    { profile, user }: Entry,
    maxPosts: number | undefined,
  ): Promise<Export> {
    // Whole seconds, like all other times in the archive.
    const began = new Date(Math.floor(context.now() / 1000) * 1000)
    const name = `${profile.username}_instagram_${stampOf(began)}Z.zip`
    const zip = createZip(await context.artifact(name, 'application/zip'))
    const made = new Export(context, zip, profile, maxPosts ?? null, began, await earlierOf(context))
    await made.addText('profile.json', pretty({ ...profile, ...detailsOf(user) }), JSON_TYPE)
    const picture = pictureOf(user)
    if (picture !== null) await made.addMedia(picture, 'image', 'profile_pic', null, began)
    return made
  }

  /** The number of posts in the archive. */
  get count(): number {
    return this.posts
  }

  /** Writes a post: its media, caption and metadata. */
  async add({ post, cover, raw }: ReadPost): Promise<void> {
    const at = new Date(post.taken_at ?? 0)
    const stem = `${post.taken_at === null ? '00000000_000000' : stampOf(at, '_')}_${post.shortcode}`
    const media: Media[] = []
    for (const one of post.media) media.push(await this.addOne(one, post, `media/${stem}`, at))
    if (cover !== null) await this.addMedia(cover, 'image', `media/${stem}_cover`, post.post_id, at)
    const { caption, post_id } = post
    if (caption !== null) await this.addText(`captions/${stem}.txt`, caption, TEXT, post_id, at)
    const done = { ...post, media }
    await this.addText(`metadata/${stem}.json`, pretty({ ...done, raw }), JSON_TYPE, post_id, at)
    this.posts++
    this.lines.push({ taken: post.taken_at ?? '', line: csvLine(done, this.posts) })
    this.tell()
  }

  /** Adds the table of posts and the manifest, and closes the archive. */
  async finish({ reason, atEnd = false, fault }: Stop): Promise<Summary> {
    const { profile, posts } = this
    if (fault !== undefined) this.errors.push({ post_id: null, file: null, status: null, message: fault })
    const newestFirst = this.lines.toSorted((a, b) => (a.taken < b.taken ? 1 : a.taken > b.taken ? -1 : 0))
    await this.addText('posts.csv', csvOf(newestFirst), CSV)
    const summary: Summary = {
      posts_exported: posts,
      posts_reported_by_source: profile.post_count,
      complete: reason === 'end' && (atEnd || (profile.post_count !== null && posts >= profile.post_count)),
      stop_reason: reason,
      media_files: this.mediaFiles,
      media_failed: this.mediaFailed,
      bytes_total: this.files.reduce((sum, { bytes }) => sum + bytes, 0),
    }
    const dated = newestFirst.filter(({ taken }) => taken !== '')
    const manifest = {
      schema_version: '1.0',
      source: 'instagram',
      profile,
      exported_at: timeOf(this.began.toISOString()),
      authenticated: this.context.signedIn,
      max_posts: this.maxPosts,
      ...summary,
      date_range: { oldest: dated.at(-1)?.taken ?? null, newest: dated[0]?.taken ?? null },
      files: this.files,
      errors: this.errors,
    }
    await this.zip.add(`${profile.username}/manifest.json`, pretty(manifest), { at: this.began })
    await this.zip.close()
    return summary
  }

  /** Adds one medium of a post. @returns the medium with its file, or with an error */
  private async addOne(media: Media, post: Post, stem: string, at: Date): Promise<Media> {
    const number = post.type === 'carousel' ? `_${String(media.index).padStart(2, '0')}` : ''
    const { source_url, error } = media
    // A video with an error has no URL, so its poster is exported instead.
    const kind = error === null ? media.kind : 'image'
    const got = await this.addMedia(source_url, kind, `${stem}${number}`, post.post_id, at)
    const file = 'path' in got ? got.path : null
    if (error !== null) this.errors.push({ post_id: post.post_id, file, status: null, message: error })
    if ('message' in got) {
      this.mediaFailed++
      return { ...media, error: error === null ? got.message : `${error}; ${got.message}` }
    }
    this.mediaFiles++
    return { ...media, file, bytes: got.bytes, sha256: got.sha256 }
  }

  private async addMedia(
    url: string | null,
    kind: Kind,
    name: string,
    post_id: string | null,
    at: Date,
  ): Promise<Listed | Missing> {
    const path = `${this.profile.username}/${name}`
    const onBytes = (count: number) => this.progressed(count)
    const wanted = { url, kind, name: path, at, onBytes }
    const got =
      (await this.earlier.copy(this.zip, wanted)) ?? (await download(this.context, this.zip, wanted))
    if ('name' in got) return this.list(got, got.content_type, post_id)
    this.errors.push({ post_id, file: url === null ? null : `${path}.${endingOf(url, kind)}`, ...got })
    return got
  }

  private async addText(
    name: string,
    content: string | AsyncIterable<Uint8Array>,
    type: string,
    post_id: string | null = null,
    at = this.began,
  ): Promise<void> {
    this.list(await this.zip.add(`${this.profile.username}/${name}`, content, { at }), type, post_id)
  }

  private list({ name, bytes, sha256 }: ZipFile, content_type: string, post_id: string | null): Listed {
    const listed = { path: name, bytes, sha256, content_type, post_id }
    this.files.push(listed)
    return listed
  }

  private progressed(bytes: number): void {
    this.mediaBytes += bytes
    if (this.mediaBytes - this.toldBytes >= TELL) this.tell()
  }

  /** Reports the progress in posts and bytes. */
  private tell(): void {
    const { post_count } = this.profile
    const total = Math.min(this.maxPosts ?? Number.POSITIVE_INFINITY, post_count ?? Number.POSITIVE_INFINITY)
    const megabytes = (this.mediaBytes / 1e6).toFixed(1)
    this.toldBytes = this.mediaBytes
    this.context.progress(
      this.posts,
      Number.isFinite(total) ? Math.max(total, this.posts) : null,
      `posts exported, ${this.mediaFiles} media files, ${megabytes} MB read`,
    )
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
