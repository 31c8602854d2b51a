/**
 * The artifact store in an S3-compatible bucket. An artifact is one object, written with one request under its ref; its
 * metadata tells when it expires, and from then on it is not read any more. A sweep or the bucket's lifecycle rule
 * deletes it.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { KeyedMutex } from '../../async/keyed-mutex.ts'
import { BoundedCache } from '../../bounded-cache.ts'
import { ConfigError } from '../../config.ts'
import type { RunId } from '../../domain/ids.ts'
import { StoreUnavailable } from '../../log/event-log.ts'
import type { Artifacts, ByteRange, Stored } from '../artifacts.ts'
import { makeRef, parseRef } from '../refs.ts'
import { bytesStream, piecesStream } from '../streams.ts'
import { S3Client, type S3Patience, S3Refusal } from './client.ts'
import { S3Objects } from './objects.ts'
import type { S3Bucket } from './settings.ts'
import { S3Sweep } from './sweep.ts'
import { digestFile, PART_BYTES, S3Uploads } from './upload.ts'

/** What was just written or read is about to be read: an input by its worker, a result by its client. */
const RECENT_BYTES = 16 * 1024 * 1024
/** A larger one would only drive out the others. */
const RECENT_LARGEST = 1024 * 1024
const OVERHEAD_BYTES = 256
/** Refs that this process wrote, which surely need more than a first write when they come again. */
const WRITTEN = 10_000
/** What the first request of a stream brings, and each further one. */
const FIRST_BYTES = 256 * 1024
const PIECE_BYTES = 2 * 1024 * 1024

/** By ref. */
type RecentBodies = BoundedCache<string, { readonly body: Uint8Array; readonly expiresAt: number }>

export type S3ArtifactsOptions = {
  readonly bucket: S3Bucket
  /** milliseconds since 1970 */
  readonly now: () => number
  /** told of each failure that heals by itself: a request is tried again. By default a warning of the process */
  readonly onFailure?: ((error: unknown) => void) | undefined
  /** the size of a file's parts, in bytes; default 8 MiB, and no store takes less than 5 MiB */
  readonly partBytes?: number
  /** how long the store is waited for */
  readonly patience?: S3Patience
  /** how long an artifact lives at least, in milliseconds: sweeps look at no younger one */
  readonly leastAgeMs: number
  /** how often a sweep walks through the bucket, in milliseconds; default an hour */
  readonly sweepEveryMs?: number
}

/** Opens the store; nothing is asked of it before it is used. See {@link checkS3Bucket}. */
export function openS3Artifacts({
  bucket,
  now,
  onFailure = (error) => process.emitWarning(`the artifact store is asked again: ${error}`),
  partBytes = PART_BYTES,
  patience,
  leastAgeMs,
  sweepEveryMs,
}: S3ArtifactsOptions): Artifacts {
  const client = new S3Client(bucket, onFailure, patience)
  const objects = new S3Objects(client, bucket.prefix, now)
  const uploads = new S3Uploads(client, partBytes, onFailure)
  return new S3Artifacts(objects, uploads, new S3Sweep(client, objects, leastAgeMs, sweepEveryMs), now)
}

/** What a process of ours does to a bucket. */
const RIGHTS = 's3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload'
const CHECK_MS = 2000

/**
 * Asks the store once whether the bucket is there and may be used, so that a wrong setting ends the start.
 *
 * @returns whether it is; false when the store can't be reached now, which heals by itself
 * @throws {ConfigError} when the store says that a setting is wrong
 */
export async function checkS3Bucket(bucket: S3Bucket): Promise<boolean> {
  const client = new S3Client(bucket, () => {})
  try {
    await client.list(bucket.prefix, { limit: 1, limitMs: CHECK_MS })
    return true
  } catch (error) {
    if (!(error instanceof S3Refusal) || error.status >= 500 || error.status === 429) return false
    const said = `the store answers ${error.status} (${error.code})`
    if (error.status === 404) throw new ConfigError(`S3_URL names a bucket that is not there: ${said}`)
    if (error.status === 403)
      throw new ConfigError(
        `S3_URL and its credentials give no right to the bucket: ${said}; needed: ${RIGHTS}`,
      )
    throw new ConfigError(
      `S3_URL can't be used: ${said}; is it the bucket's address, and AWS_REGION its region?`,
    )
  }
}

class S3Artifacts implements Artifacts {
  /** apart, since inputs wait with their runs while results come and go */
  private readonly inputs: RecentBodies = new BoundedCache(RECENT_BYTES)
  private readonly others: RecentBodies = new BoundedCache(RECENT_BYTES)
  private readonly written = new BoundedCache<string, true>(WRITTEN)
  private readonly writes = new KeyedMutex()
  /** writes on their way, for `close` to wait for */
  private readonly storing = new Set<Promise<void>>()

  constructor(
    private readonly objects: S3Objects,
    private readonly uploads: S3Uploads,
    private readonly walk: S3Sweep,
    private readonly now: () => number,
  ) {}

  put(
    run: RunId,
    name: string,
    body: Uint8Array | string,
    expiresAt: number,
  ): Stored & { readonly done: Promise<unknown> } {
    const content = typeof body === 'string' ? Buffer.from(body) : body
    const sha256 = hash('sha256', content)
    const stored = { ref: makeRef(run, name, sha256), bytes: content.byteLength, sha256 }
    // Before it is durable: nobody has its name before.
    this.remember(stored.ref, content, expiresAt)
    const done = this.inTurn(stored.ref, (isKnown) => this.objects.write(stored, content, expiresAt, isKnown))
    // Whoever waits for it hears of it; when nobody does, it is no reason for the process to end.
    done.catch(() => this.recent(stored.ref).delete(stored.ref))
    return { ...stored, done }
  }

  async putFile(run: RunId, name: string, path: string, expiresAt: number): Promise<Stored> {
    const { bytes, sha256 } = await digestFile(path)
    const stored = { ref: makeRef(run, name, sha256), bytes, sha256 }
    await this.inTurn(stored.ref, async () => {
      if (await this.objects.isKept(stored, expiresAt)) return
      const metadata = this.objects.metadata(expiresAt)
      await this.uploads.send({ key: this.objects.keyOf(stored.ref), path, bytes, sha256, metadata })
    })
    await rm(path)
    return stored
  }

  async get(ref: string): Promise<Uint8Array | undefined> {
    if (!parseRef(ref)) return undefined
    const recent = this.recentBody(ref)
    if (recent) return recent
    const body = await this.objects.read(ref)
    if (!body) return undefined
    if (!ref.endsWith(hash('sha256', body.body).slice(0, 32)))
      throw new StoreUnavailable('the artifact store holds something else than what was stored')
    this.remember(ref, body.body, body.expiresAt)
    return body.body
  }

  async open(
    ref: string,
    range?: ByteRange,
  ): Promise<{ bytes: number; body: ReadableStream<Uint8Array> } | undefined> {
    if (!parseRef(ref)) return undefined
    const start = range?.start ?? 0
    const last = range?.end ?? Number.MAX_SAFE_INTEGER
    const recent = this.recentBody(ref)
    if (recent) {
      const part = recent.subarray(start, last + 1)
      return { bytes: part.byteLength, body: bytesStream(part) }
    }
    const first = await this.objects.readPart(ref, start, Math.min(last, start + FIRST_BYTES - 1))
    if (!first) return undefined
    const end = Math.max(start, Math.min(last + 1, first.total))
    const bytes = end - start
    if (first.bytes.byteLength >= bytes) return { bytes, body: bytesStream(first.bytes) }
    return { bytes, body: piecesStream(first.bytes, bytes, (at) => this.piece(ref, start + at, end)) }
  }

  sweep(now: number): Promise<number> {
    return this.walk.step(now, (ref) => {
      this.recent(ref).delete(ref)
      this.written.delete(ref)
    })
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.storing)
  }

  /** The next piece of a stream. */
  private async piece(ref: string, at: number, end: number): Promise<Uint8Array> {
    const part = await this.objects.readPart(ref, at, Math.min(at + PIECE_BYTES, end) - 1)
    if (!part || part.bytes.byteLength === 0)
      throw new StoreUnavailable('the artifact went while it was read')
    return part.bytes
  }

  private recent(ref: string): RecentBodies {
    return ref.includes('/input-') ? this.inputs : this.others
  }

  private recentBody(ref: string): Uint8Array | undefined {
    const recent = this.recent(ref).get(ref)
    return recent && recent.expiresAt > this.now() ? recent.body : undefined
  }

  private remember(ref: string, body: Uint8Array, expiresAt: number): void {
    if (body.byteLength > RECENT_LARGEST) return
    const known = this.recent(ref).get(ref)?.expiresAt ?? 0
    const latest = Math.max(known, expiresAt)
    this.recent(ref).set(ref, { body, expiresAt: latest }, body.byteLength + OVERHEAD_BYTES)
  }

  /** Writes of one ref follow each other, so that the later expiry stays. */
  private inTurn(ref: string, write: (isKnown: boolean) => Promise<void>): Promise<void> {
    const done = this.writes.run(ref, async () => {
      await write(this.written.get(ref) ?? false)
      this.written.set(ref, true)
    })
    this.storing.add(done)
    const over = () => this.storing.delete(done)
    done.then(over, over)
    return done
  }
}
