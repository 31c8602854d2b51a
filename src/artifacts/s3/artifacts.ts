/**
 * The artifact store in an S3-compatible bucket. An artifact is one object, written under its ref with one request. Its
 * metadata contains its expiry, after which it is not returned. A sweep or the bucket's lifecycle rule deletes it.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import pLimit from 'p-limit'
import { BoundedCache } from '../../bounded-cache.ts'
import { ConfigError } from '../../config.ts'
import type { RunId } from '../../domain/ids.ts'
import { StoreUnavailable } from '../../log/event-log.ts'
import {
  type Artifacts,
  type ByteRange,
  CAPTURE,
  type Opened,
  type Stored,
  type Storing,
} from '../artifacts.ts'
import { parseRef, storedAs } from '../refs.ts'
import { bytesStream, measure, piecesStream } from '../streams.ts'
import { S3Client, type S3Patience, S3Refusal } from './client.ts'
import type { S3Bucket } from './settings.ts'
import { PART_BYTES, upload } from './upload.ts'

/** The size of the cache of bodies, of the largest body in it, and of an entry without its body (approximately). */
const RECENT_BYTES = 32 * 1024 * 1024
const LARGEST_RECENT_BYTES = 1024 * 1024
const OVERHEAD_BYTES = 256
/** The size of a stream's first request, and of each further one. */
const FIRST_BYTES = 256 * 1024
const PIECE_BYTES = 2 * 1024 * 1024
/** The number of concurrent uploads, which bounds memory. */
const UPLOADS = 6
/** The number of keys that one step of a sweep lists, and of its concurrent requests. */
const SWEEP_KEYS = 200
const SWEEP_AT_ONCE = 16
/** Listing a large bucket costs a request per page, so a walk starts once an hour at most. */
const SWEEP_EVERY_MS = 3_600_000
/** An object's expiry, milliseconds since 1970. As metadata it comes with every read. */
const EXPIRES = 'x-amz-meta-expires-at'

export type S3ArtifactsOptions = {
  readonly bucket: S3Bucket
  /** milliseconds since 1970 */
  readonly now: () => number
  /** see {@link S3Client} */
  readonly onFailure?: ((error: unknown) => void) | undefined
  /** the size of a file's parts, in bytes; default 8 MiB, minimum of all stores 5 MiB */
  readonly partBytes?: number
  /** timeouts of requests to the store */
  readonly patience?: S3Patience
  /** the minimum lifetime of an artifact other than a capture, in milliseconds: sweeps skip younger ones */
  readonly leastAgeMs: number
  /** how often a sweep walks through the bucket, in milliseconds; default an hour */
  readonly sweepEveryMs?: number
}

/** The required permissions on the bucket. */
const RIGHTS = 's3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload'

/**
 * Checks with one request that the bucket exists and is accessible, so that a wrong setting stops the start.
 *
 * @returns false if the store can't be reached now; requests succeed once it can
 * @throws {ConfigError} when the store's response shows that a setting is wrong
 */
export async function checkS3Bucket(bucket: S3Bucket): Promise<boolean> {
  try {
    await new S3Client(bucket, () => {}).list(bucket.prefix, 1)
    return true
  } catch (error) {
    if (!(error instanceof S3Refusal) || error.status >= 500 || error.status === 429) return false
    const status = `the store answers ${error.status} (${error.code})`
    if (error.status === 404) throw new ConfigError(`S3_URL names a bucket that does not exist: ${status}`)
    if (error.status === 403)
      throw new ConfigError(
        `S3_URL and its credentials give no access to the bucket: ${status}; needed: ${RIGHTS}`,
      )
    throw new ConfigError(
      `S3_URL can't be used: ${status}; check that it is the bucket's address and that AWS_REGION is its region`,
    )
  }
}

/** The artifacts in a bucket. No request is sent before the first use. See {@link checkS3Bucket}. */
export class S3Artifacts implements Artifacts {
  private readonly client: S3Client
  private readonly prefix: string
  /** by ref; usually read soon after they were written: an input by its worker, a result by its client */
  private readonly recent = new BoundedCache<string, Recent>(RECENT_BYTES)
  private readonly uploads = pLimit(UPLOADS)
  /** the last key that the sweep has handled; undefined between two walks */
  private swept: string | undefined
  private nextSweep = 0

  constructor(private readonly options: S3ArtifactsOptions) {
    const { bucket, patience, onFailure } = options
    this.client = new S3Client(bucket, onFailure, patience)
    this.prefix = `${bucket.prefix}artifacts/`
  }

  put(run: RunId, name: string, body: Uint8Array | string, expiresAt: number): Storing {
    const content = typeof body === 'string' ? Buffer.from(body) : body
    const stored = storedAs(run, name, content.byteLength, hash('sha256', content))
    const { ref } = stored
    // Safe before the value is durable: nobody knows its ref until then.
    this.remember(ref, content, expiresAt)
    const headers = headersOf(expiresAt)
    const done = this.client.send({ method: 'PUT', key: this.prefix + ref, body: content, headers })
    // A caller that waits for `done` gets the error. Without one it must not end the process as an unhandled rejection.
    done.catch(() => this.recent.delete(ref))
    return { ...stored, done }
  }

  async putFile(run: RunId, name: string, path: string, expiresAt: number): Promise<Stored> {
    const { partBytes = PART_BYTES } = this.options
    const { bytes, sha256 } = await measure(path)
    const stored = storedAs(run, name, bytes, sha256)
    const key = this.prefix + stored.ref
    const file = { key, path, bytes, sha256, headers: headersOf(expiresAt), partBytes }
    await this.uploads(() => upload(this.client, file))
    await rm(path)
    return stored
  }

  async get(ref: string): Promise<Uint8Array | undefined> {
    if (!parseRef(ref)) return undefined
    const recent = this.remembered(ref)
    if (recent) return recent
    const { status, headers, body } = await this.client.send({
      method: 'GET',
      key: this.prefix + ref,
      accepts: [404],
    })
    const expiresAt = expiryOf(headers)
    if (status === 404 || expiresAt <= this.options.now()) return undefined
    if (!ref.endsWith(hash('sha256', body).slice(0, 32)))
      throw new StoreUnavailable('the artifact store returned other bytes than were stored')
    this.remember(ref, body, expiresAt)
    return body
  }

  async open(ref: string, range?: ByteRange): Promise<Opened | undefined> {
    if (!parseRef(ref)) return undefined
    const start = range?.start ?? 0
    const last = range?.end ?? Number.MAX_SAFE_INTEGER
    const recent = this.remembered(ref)
    if (recent) {
      const part = recent.subarray(start, last + 1)
      return { bytes: part.byteLength, body: bytesStream(part) }
    }
    const first = await this.part(ref, start, Math.min(last, start + FIRST_BYTES - 1))
    if (!first || first.expiresAt <= this.options.now()) return undefined
    const bytes = Math.max(0, Math.min(last + 1, first.total) - start)
    if (first.body.byteLength >= bytes) return { bytes, body: bytesStream(first.body) }
    const next = async (at: number) => {
      if (at === 0) return first.body
      const part = await this.part(ref, start + at, start + Math.min(at + PIECE_BYTES, bytes) - 1)
      if (!part?.body.byteLength) throw new StoreUnavailable('the artifact was deleted while it was read')
      return part.body
    }
    return { bytes, body: piecesStream(bytes, next) }
  }

  async remove(ref: string): Promise<void> {
    if (!parseRef(ref)) return
    await this.client.send({ method: 'DELETE', key: this.prefix + ref, accepts: [404] })
    this.recent.delete(ref)
  }

  /** Continues the walk through the bucket until a page had something to delete, or to the end. */
  async sweep(now: number, signal?: AbortSignal): Promise<number> {
    const { sweepEveryMs = SWEEP_EVERY_MS } = this.options
    if (this.swept === undefined) {
      if (now < this.nextSweep) return 0
      this.nextSweep = now + sweepEveryMs
    }
    for (;;) {
      const { objects, isLast } = await this.client.list(this.prefix, SWEEP_KEYS, this.swept)
      const old = objects.filter(({ key, at }) => at + this.leastAgeMs(key) <= now)
      const removed = await pLimit(SWEEP_AT_ONCE).map(old, ({ key }) =>
        this.removeExpired(key.slice(this.prefix.length), now),
      )
      this.swept = isLast ? undefined : objects.at(-1)?.key
      const count = removed.filter(Boolean).length
      // A walk through a large bucket takes minutes.
      if (count > 0 || this.swept === undefined || signal?.aborted) return count
    }
  }

  /** Asks for an object that does not exist. */
  check(): Promise<unknown> {
    return this.client.send({ method: 'HEAD', key: `${this.prefix}check`, accepts: [404] })
  }

  async close(): Promise<void> {}

  private remember(ref: string, body: Uint8Array, expiresAt: number): void {
    if (body.byteLength <= LARGEST_RECENT_BYTES)
      this.recent.set(ref, { body, expiresAt }, body.byteLength + OVERHEAD_BYTES)
  }

  private remembered(ref: string): Uint8Array | undefined {
    const recent = this.recent.get(ref)
    return recent && recent.expiresAt > this.options.now() ? recent.body : undefined
  }

  /** How old an object is at least when it expires, in milliseconds. */
  private leastAgeMs(key: string): number {
    const { leastAgeMs } = this.options
    return key.includes(`/${CAPTURE.name}-`) ? Math.min(leastAgeMs, CAPTURE.keptMs) : leastAgeMs
  }

  private async removeExpired(ref: string, now: number): Promise<boolean> {
    const key = this.prefix + ref
    const { status, headers } = await this.client.send({ method: 'HEAD', key, accepts: [404] })
    if (status === 404 || expiryOf(headers) > now) return false
    await this.remove(ref)
    return true
  }

  /** The existing bytes from `start` to `end` inclusive, and the total size. Undefined if there is no artifact. */
  private async part(ref: string, start: number, end: number): Promise<Part | undefined> {
    const { status, headers, body } = await this.client.send({
      method: 'GET',
      key: this.prefix + ref,
      headers: { range: `bytes=${start}-${end}` },
      accepts: [404, 416],
    })
    if (status === 404) return undefined
    const expiresAt = expiryOf(headers)
    // The range is beyond the artifact's end.
    if (status === 416) return { body: new Uint8Array(), total: 0, expiresAt }
    const total = status === 200 ? body.byteLength : Number(headers.get('content-range')?.split('/')[1])
    // Some stores send more than the requested range.
    const from = status === 200 ? start : 0
    return { body: body.subarray(from, from + end - start + 1), total, expiresAt }
  }
}

type Recent = { readonly body: Uint8Array; readonly expiresAt: number }
type Part = Recent & { readonly total: number }

const headersOf = (expiresAt: number): Record<string, string> => ({
  [EXPIRES]: String(expiresAt),
  'content-type': 'application/octet-stream',
})

/** An object that was copied without its metadata never expires, which is better than losing it. */
const expiryOf = (headers: Headers): number => Number(headers.get(EXPIRES) ?? Number.POSITIVE_INFINITY)
