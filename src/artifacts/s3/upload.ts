/**
 * Files of this machine on their way into a bucket, whole or in parts, of which each file has one in memory. They are
 * hashed first, since the hash is part of the artifact's ref, and again as they are sent: a file that has changed in
 * between is not stored under the ref of what it was.
 *
 * Parts that a crash leaves behind are for the bucket's own rule (docs/operations.md, S3).
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import pLimit from 'p-limit'
import { StoreUnavailable } from '../../log/event-log.ts'
import { type S3Client, textOf } from './client.ts'

export type Upload = {
  readonly key: string
  readonly path: string
  readonly bytes: number
  /** of the whole file, as lower-case hex */
  readonly sha256: string
  /** what the object is to carry */
  readonly metadata: Readonly<Record<string, string>>
}

/** The smallest part but the last that every store takes is 5 MiB. */
export const PART_BYTES = 8 * 1024 * 1024
const MOST_PARTS = 10_000
/** How much is read and hashed in one go, so that nothing else waits for long. */
const READ_BYTES = 1024 * 1024
/** Files at once, which bounds the memory. */
const FILES = 6
/** A part may be tried again for so long; a store puts a large file together in its own time. In milliseconds. */
const PART_LIMIT_MS = 30_000
const COMPLETE_LIMIT_MS = 120_000

/** The size and the SHA-256 of a file, as lower-case hex. */
export async function digestFile(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const file = await open(path, 'r')
  try {
    const hash = createHash('sha256')
    const buffer = Buffer.alloc(READ_BYTES)
    let bytes = 0
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, bytes)
      if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') }
      hash.update(buffer.subarray(0, bytesRead))
      bytes += bytesRead
    }
  } finally {
    await file.close()
  }
}

/** Sends files of any size. */
export class S3Uploads {
  private readonly slots = pLimit(FILES)

  /**
   * @param partBytes the size of a part; larger where a file would have more than 10,000 of them
   * @param onFailure told of what could not be cleared away after an upload failed
   */
  constructor(
    private readonly client: S3Client,
    private readonly partBytes: number,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /**
   * Sends a file; it is in the store when this resolves, and nothing of it when it rejects.
   *
   * @throws when the file is not what was hashed
   */
  send(upload: Upload): Promise<void> {
    return this.slots(async () => {
      const file = await open(upload.path, 'r')
      try {
        if (upload.bytes <= this.partBytes) await this.sendWhole(file, upload)
        else await this.sendParts(file, upload)
      } finally {
        await file.close()
      }
    })
  }

  private async sendWhole(file: FileHandle, { key, bytes, sha256, metadata }: Upload): Promise<void> {
    const whole = createHash('sha256')
    const part = await readPart(file, 0, new Uint8Array(bytes), (chunk) => whole.update(chunk))
    if (whole.digest('hex') !== sha256) throw changed()
    await this.client.send({ method: 'PUT', key, ...part, headers: metadata, limitMs: PART_LIMIT_MS })
  }

  private async sendParts(file: FileHandle, upload: Upload): Promise<void> {
    const { key, bytes, sha256, metadata } = upload
    const started = await this.client.send({ method: 'POST', key, query: { uploads: '' }, headers: metadata })
    const uploadId = textOf(new TextDecoder().decode(started.body), 'UploadId')
    if (!uploadId) throw new Error('the artifact store began an upload without telling its id')
    try {
      const size = Math.max(this.partBytes, Math.ceil(bytes / MOST_PARTS / READ_BYTES) * READ_BYTES)
      const buffer = new Uint8Array(size)
      const whole = createHash('sha256')
      const tags: string[] = []
      for (let at = 0; at < bytes; at += size) {
        const room = buffer.subarray(0, Math.min(size, bytes - at))
        const part = await readPart(file, at, room, (chunk) => whole.update(chunk))
        const query = { partNumber: String(tags.length + 1), uploadId }
        const { headers } = await this.client.send({
          method: 'PUT',
          key,
          query,
          ...part,
          limitMs: PART_LIMIT_MS,
        })
        const tag = headers.get('etag')
        if (!tag) throw new Error('the artifact store took a part without telling its tag')
        tags.push(tag)
      }
      if (whole.digest('hex') !== sha256) throw changed()
      await this.complete(key, uploadId, tags, bytes)
    } catch (error) {
      // The caller is to hear why the upload failed, not why its parts could not be deleted.
      await this.client
        .send({ method: 'DELETE', key, query: { uploadId }, accepts: [404] })
        .catch(this.onFailure)
      throw error
    }
  }

  private async complete(
    key: string,
    uploadId: string,
    tags: readonly string[],
    bytes: number,
  ): Promise<void> {
    const parts = tags.map(
      (tag, index) =>
        `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag.replaceAll('"', '&quot;')}</ETag></Part>`,
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
    // No such upload: an earlier try completed it, and its answer was lost.
    const { headers } = await this.client.send({ method: 'HEAD', key })
    if (headers.get('content-length') !== String(bytes))
      throw new StoreUnavailable('the artifact store lost an upload')
  }
}

/** Fills a buffer from a place in a file, and hashes it. */
async function readPart(
  file: FileHandle,
  start: number,
  body: Uint8Array,
  each: (chunk: Uint8Array) => void,
): Promise<{ readonly body: Uint8Array; readonly sha256: string }> {
  const hash = createHash('sha256')
  for (let at = 0; at < body.length; ) {
    const { bytesRead } = await file.read(body, at, Math.min(READ_BYTES, body.length - at), start + at)
    if (bytesRead === 0) throw changed()
    const chunk = body.subarray(at, at + bytesRead)
    hash.update(chunk)
    each(chunk)
    at += bytesRead
  }
  return { body, sha256: hash.digest('hex') }
}

const changed = (): Error => new Error('the file was changed while it was stored')
