/**
 * Uploads of local files to a bucket, whole or in parts, with one part per file in memory. Files are hashed as they are
 * sent: a file that has changed since it was measured is not stored under the ref of its former content.
 *
 * The bucket's lifecycle rule deletes parts that a crash leaves behind (docs/operations.md, S3).
 *
 * @module
 */
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { StoreUnavailable } from '../../log/event-log.ts'
import { type S3Client, textOf } from './client.ts'

export type Upload = {
  readonly key: string
  readonly path: string
  readonly bytes: number
  /** of the whole file, in lower-case hex */
  readonly sha256: string
  /** of the object */
  readonly headers: Readonly<Record<string, string>>
  /** the size of a part; larger if a file would have more than 10,000 of them */
  readonly partBytes: number
}

/** All stores accept parts of 5 MiB and more. Only the last part may be smaller. */
export const PART_BYTES = 8 * 1024 * 1024
const MOST_PARTS = 10_000
/** How much is read and hashed at once, which bounds how long it blocks the event loop. */
const READ_BYTES = 1024 * 1024
/** The timeouts of a part, and of completing an upload: assembling a large file takes a store a while. */
const PART = { tryMs: 700, limitMs: 30_000 }
const COMPLETE = { tryMs: 60_000, limitMs: 120_000 }

/**
 * Uploads a file of any size. The object is stored when this resolves. If it fails, the uploaded parts are deleted.
 *
 * @throws when the file differs from what was measured
 */
export async function upload(client: S3Client, file: Upload): Promise<void> {
  const { key, bytes, headers } = file
  const hash = createHash('sha256')
  if (bytes <= file.partBytes) {
    const body = await partOf(file, 0, bytes, hash)
    assertUnchanged(file, hash)
    await client.send({ method: 'PUT', key, body, headers, patience: PART })
    return
  }
  const started = await client.send({ method: 'POST', key, query: { uploads: '' }, headers })
  const uploadId = textOf(new TextDecoder().decode(started.body), 'UploadId')
  if (!uploadId) throw new Error('the artifact store started an upload without returning its id')
  try {
    const size = Math.max(file.partBytes, Math.ceil(bytes / MOST_PARTS))
    const tags: string[] = []
    for (let at = 0; at < bytes; at += size) {
      const body = await partOf(file, at, Math.min(at + size, bytes), hash)
      const query = { partNumber: String(tags.length + 1), uploadId }
      const answer = await client.send({ method: 'PUT', key, query, body, patience: PART })
      const tag = answer.headers.get('etag')
      if (!tag) throw new Error('the artifact store accepted a part without returning its ETag')
      tags.push(tag)
    }
    assertUnchanged(file, hash)
    await complete(client, file, uploadId, tags)
  } catch (error) {
    // The caller must get the error of the upload, not that of the cleanup.
    await client.send({ method: 'DELETE', key, query: { uploadId }, accepts: [404] }).catch(client.onFailure)
    throw error
  }
}

async function complete(
  client: S3Client,
  { key, bytes }: Upload,
  uploadId: string,
  tags: readonly string[],
): Promise<void> {
  const parts = tags.map(
    (tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${tag.replaceAll('"', '&quot;')}</ETag></Part>`,
  )
  const xml = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`
  const { status } = await client.send({
    method: 'POST',
    key,
    query: { uploadId },
    body: Buffer.from(xml),
    headers: { 'content-type': 'application/xml' },
    accepts: [404],
    patience: COMPLETE,
  })
  if (status !== 404) return
  // No such upload: an earlier attempt completed it, and its response was lost.
  const { headers } = await client.send({ method: 'HEAD', key })
  if (headers.get('content-length') !== String(bytes))
    throw new StoreUnavailable('the artifact store lost an upload')
}

/** Reads a file from `start` up to but excluding `end`, and adds it to the hash of the whole file. */
async function partOf({ path }: Upload, start: number, end: number, hash: Hash): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  if (end > start)
    for await (const chunk of createReadStream(path, { start, end: end - 1, highWaterMark: READ_BYTES })) {
      hash.update(chunk)
      chunks.push(chunk)
    }
  return Buffer.concat(chunks)
}

function assertUnchanged({ sha256 }: Upload, hash: Hash): void {
  if (hash.digest('hex') !== sha256) throw new Error('the file changed while it was being stored')
}
