/**
 * Files of this machine on their way into a bucket: hashed first, since their hash is part of their name, then sent in
 * parts, of which only a few are in memory at once. Each part is hashed again as it is sent: what has changed in
 * between never gets the name.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import type { LimitFunction } from 'p-limit'
import { StoreUnavailable } from '../log/event-log.ts'
import type { S3Client } from './s3-client.ts'
import { elementsOf, escaped, textOf } from './s3-xml.ts'

/** A file as it was when it was read: its size, its hash, and those of its parts. */
export type Digest = {
  readonly bytes: number
  readonly sha256: string
  readonly partBytes: number
  readonly parts: readonly string[]
}

export type Upload = {
  readonly key: string
  readonly path: string
  readonly digest: Digest
  /** what the object is to carry */
  readonly metadata: Readonly<Record<string, string>>
}

/** The smallest part but the last that every store takes is 5 MiB. */
export const PART_BYTES = 8 * 1024 * 1024
const MOST_PARTS = 10_000
/** How much is read and hashed in one go, so that nothing else waits for long. */
const READ_BYTES = 1024 * 1024
/** Parts of one file at once. */
const PARTS_AT_ONCE = 3
/** A part may be tried again for so long; a store puts a large file together in its own time. In milliseconds. */
const PART_LIMIT_MS = 30_000
const COMPLETE_LIMIT_MS = 120_000
/** An upload that began so long ago was left behind by a crash. */
const ORPHAN_MS = 86_400_000

/** Reads a file and hashes it, whole and by parts. */
export async function digestFile(path: string, partBytes: number): Promise<Digest> {
  const file = await open(path, 'r')
  try {
    const size = (await file.stat()).size
    const length = Math.max(partBytes, Math.ceil(size / MOST_PARTS / READ_BYTES) * READ_BYTES)
    const whole = createHash('sha256')
    const parts: string[] = []
    const buffer = Buffer.alloc(Math.min(READ_BYTES, length))
    let bytes = 0
    for (let ended = false; !ended; ) {
      const part = createHash('sha256')
      let inPart = 0
      while (inPart < length) {
        const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, length - inPart), bytes)
        ended = bytesRead === 0
        if (ended) break
        const chunk = buffer.subarray(0, bytesRead)
        whole.update(chunk)
        part.update(chunk)
        inPart += bytesRead
        bytes += bytesRead
      }
      // An empty file has one part, and no other file an empty one.
      if (inPart > 0 || parts.length === 0) parts.push(part.digest('hex'))
    }
    return { bytes, sha256: whole.digest('hex'), partBytes: length, parts }
  } finally {
    await file.close()
  }
}

/** Sends files of any size. */
export class S3Uploads {
  /** of parts that were sent, for the next ones: to make new ones costs memory faster than it is taken back */
  private readonly buffers: Uint8Array[] = []

  /** @param limit how many parts of all files are in memory at once */
  constructor(
    private readonly client: S3Client,
    private readonly limit: LimitFunction,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /**
   * Sends a file; it is in the store when this resolves, and nothing of it when it rejects.
   *
   * @throws when the file is not what was hashed
   */
  async send(upload: Upload): Promise<void> {
    const file = await open(upload.path, 'r')
    try {
      if (upload.digest.parts.length === 1) await this.sendWhole(file, upload)
      else await this.sendParts(file, upload)
    } finally {
      await file.close()
    }
  }

  /** Gives up uploads below a prefix that a crash left behind. @returns how many; 0 where a store can't tell */
  async sweep(prefix: string, now: number): Promise<number> {
    // A test store and some others don't list them; those delete what is left behind themselves, or have a rule for it.
    const accepts = [400, 404, 405, 501]
    const { body, status } = await this.client.send({
      method: 'GET',
      query: { uploads: '', prefix },
      accepts,
    })
    if (status !== 200) return 0
    let count = 0
    for (const upload of elementsOf(new TextDecoder().decode(body), 'Upload')) {
      const key = textOf(upload, 'Key')
      const uploadId = textOf(upload, 'UploadId')
      const began = Date.parse(textOf(upload, 'Initiated') ?? '')
      if (key === undefined || uploadId === undefined || !(now - began > ORPHAN_MS)) continue
      await this.abort(key, uploadId)
      count++
    }
    return count
  }

  private async sendWhole(file: FileHandle, { key, digest, metadata }: Upload): Promise<void> {
    await this.limit(async () => {
      const sha256 = digest.parts[0] ?? ''
      const body = await readPart(file, digest, 0, new Uint8Array(digest.bytes))
      await this.client.send({
        method: 'PUT',
        key,
        body,
        sha256,
        headers: metadata,
        limitMs: PART_LIMIT_MS,
      })
    })
  }

  private async sendParts(file: FileHandle, upload: Upload): Promise<void> {
    const { key, digest, metadata } = upload
    const { body } = await this.client.send({
      method: 'POST',
      key,
      query: { uploads: '' },
      headers: metadata,
    })
    const uploadId = textOf(new TextDecoder().decode(body), 'UploadId')
    if (!uploadId) throw new Error('the artifact store began an upload without telling its id')
    try {
      const tags = await this.allParts(file, key, uploadId, digest)
      await this.complete(key, uploadId, tags, digest.bytes)
    } catch (error) {
      // The reason for giving up is what the caller is to hear; what could not be cleared away a sweep finds.
      await this.abort(key, uploadId).catch(this.onFailure)
      throw error
    }
  }

  /** Reads and sends all parts, a few at once; after a failure no further one. @returns their tags, in order */
  private async allParts(file: FileHandle, key: string, uploadId: string, digest: Digest): Promise<string[]> {
    const tags: string[] = []
    let next = 0
    let failed = false
    const work = async () => {
      while (next < digest.parts.length && !failed) {
        const index = next++
        try {
          tags[index] = await this.limit(() => this.sendPart(file, key, uploadId, digest, index))
        } catch (error) {
          failed = true
          throw error
        }
      }
    }
    const ends = await Promise.allSettled(Array.from({ length: PARTS_AT_ONCE }, work))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    return tags
  }

  private async sendPart(
    file: FileHandle,
    key: string,
    uploadId: string,
    digest: Digest,
    index: number,
  ): Promise<string> {
    const spare = this.buffers.pop()
    const buffer = spare?.length === digest.partBytes ? spare : new Uint8Array(digest.partBytes)
    const body = await readPart(file, digest, index, buffer)
    const query = { partNumber: String(index + 1), uploadId }
    const sha256 = digest.parts[index] ?? ''
    const { headers } = await this.client.send({
      method: 'PUT',
      key,
      query,
      body,
      sha256,
      limitMs: PART_LIMIT_MS,
    })
    // Not after a failure: who knows whether something still reads it.
    if (this.buffers.length < PARTS_AT_ONCE) this.buffers.push(buffer)
    const tag = headers.get('etag')
    if (!tag) throw new Error('the artifact store took a part without telling its tag')
    return tag
  }

  private async complete(
    key: string,
    uploadId: string,
    tags: readonly string[],
    bytes: number,
  ): Promise<void> {
    const parts = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
    )
    const xml = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`
    const { status } = await this.client.send({
      method: 'POST',
      key,
      query: { uploadId },
      body: Buffer.from(xml),
      headers: { 'content-type': 'application/xml' },
      accepts: [404],
      tryMs: COMPLETE_LIMIT_MS / 2,
      limitMs: COMPLETE_LIMIT_MS,
    })
    if (status !== 404) return
    // No such upload: it was complete with a try before, whose answer was lost.
    const { headers } = await this.client.send({ method: 'HEAD', key })
    if (headers.get('content-length') !== String(bytes))
      throw new StoreUnavailable('the artifact store lost an upload')
  }

  private async abort(key: string, uploadId: string): Promise<void> {
    await this.client.send({ method: 'DELETE', key, query: { uploadId }, accepts: [404] })
  }
}

/**
 * Reads a part into a buffer.
 *
 * @throws when it is not what was hashed
 */
async function readPart(
  file: FileHandle,
  { bytes, partBytes, parts }: Digest,
  index: number,
  buffer: Uint8Array,
): Promise<Uint8Array> {
  const start = index * partBytes
  const body = buffer.subarray(0, Math.min(partBytes, bytes - start))
  const part = createHash('sha256')
  for (let at = 0; at < body.length; ) {
    const { bytesRead } = await file.read(body, at, Math.min(READ_BYTES, body.length - at), start + at)
    if (bytesRead === 0) break
    part.update(body.subarray(at, at + bytesRead))
    at += bytesRead
  }
  if (part.digest('hex') !== parts[index]) throw new Error('the file was changed while it was stored')
  return body
}
