/**
 * Artifacts as objects of a bucket: their keys, their metadata, and the single requests that artifacts are made of.
 *
 * @module
 */
import type { Stored } from '../artifacts.ts'
import type { S3Answer, S3Client } from './client.ts'

/** When an object expires, milliseconds since 1970: its readers need no other request to know. */
const EXPIRES = 'x-amz-meta-expires-at'

/** A part of an object. */
export type Part = {
  readonly bytes: Uint8Array
  /** the size of the whole object */
  readonly total: number
}

export class S3Objects {
  /** not every store knows conditional writes; one that refused one gets none any more */
  private knowsConditions = true

  /**
   * @param prefix what all keys begin with
   * @param now milliseconds since 1970
   */
  constructor(
    private readonly client: S3Client,
    private readonly prefix: string,
    private readonly now: () => number,
  ) {}

  /** The key of an artifact. */
  keyOf(ref: string): string {
    return `${this.keyPrefix}${ref}`
  }

  get keyPrefix(): string {
    return `${this.prefix}artifacts/`
  }

  /** The whole of an object; undefined when it is not there or has expired. */
  async read(ref: string): Promise<{ readonly body: Uint8Array; readonly expiresAt: number } | undefined> {
    const answer = await this.client.send({ method: 'GET', key: this.keyOf(ref), accepts: [404] })
    return this.isThere(answer) ? { body: answer.body, expiresAt: expiryOf(answer) } : undefined
  }

  /**
   * A part of an object, from `start` up to and with `end`, cut at the object's end.
   *
   * @returns undefined when the object is not there or has expired
   */
  async readPart(ref: string, start: number, end: number): Promise<Part | undefined> {
    const headers = { range: `bytes=${start}-${end}` }
    const answer = await this.client.send({
      method: 'GET',
      key: this.keyOf(ref),
      headers,
      accepts: [404, 416],
    })
    // Nothing lies there: whether because the object is that short is known by asking for its head.
    if (answer.status === 416) {
      const head = await this.head(ref)
      return head && head.expiresAt > this.now() ? { bytes: new Uint8Array(), total: head.bytes } : undefined
    }
    if (!this.isThere(answer)) return undefined
    const { from, total } = placeOf(answer)
    // Some stores send more than was asked for.
    const offset = Math.max(0, start - from)
    return { bytes: answer.body.subarray(offset, offset + end - start + 1), total }
  }

  /** Size and expiry of an object, whether it has expired or not; undefined when it is not there. */
  async head(
    ref: string,
    limitMs?: number,
  ): Promise<{ readonly bytes: number; readonly expiresAt: number } | undefined> {
    const answer = await this.client.send({ method: 'HEAD', key: this.keyOf(ref), accepts: [404], limitMs })
    if (answer.status === 404) return undefined
    return { bytes: Number(answer.headers.get('content-length')), expiresAt: expiryOf(answer) }
  }

  /** Whether an object is there already and lives as long. */
  async isKept({ ref, bytes }: Stored, expiresAt: number): Promise<boolean> {
    const head = await this.head(ref)
    return head !== undefined && head.bytes === bytes && head.expiresAt >= expiresAt
  }

  /** What a new object is to carry. */
  metadata(expiresAt: number): Record<string, string> {
    return { [EXPIRES]: String(expiresAt), 'content-type': 'application/octet-stream' }
  }

  /**
   * Writes an object. What another process wrote and what lives longer stays as it is.
   *
   * @param isKnown whether this process wrote it before, so that it is surely there
   */
  async write(stored: Stored, body: Uint8Array, expiresAt: number, isKnown: boolean): Promise<void> {
    const { ref, sha256 } = stored
    const request = { method: 'PUT', key: this.keyOf(ref), body, sha256 } as const
    const headers = this.metadata(expiresAt)
    if (isKnown || !this.knowsConditions) {
      if (isKnown && (await this.isKept(stored, expiresAt))) return
      await this.client.send({ ...request, headers })
      return
    }
    const conditional = { ...headers, 'if-none-match': '*' }
    const { status } = await this.client.send({
      ...request,
      headers: conditional,
      accepts: [400, 412, 501],
    })
    if (status < 300 || (status === 412 && (await this.isKept(stored, expiresAt)))) return
    await this.client.send({ ...request, headers })
    if (status !== 412) this.knowsConditions = false
  }

  async remove(ref: string, limitMs?: number): Promise<void> {
    await this.client.send({ method: 'DELETE', key: this.keyOf(ref), accepts: [404], limitMs })
  }

  private isThere(answer: S3Answer): boolean {
    return answer.status !== 404 && expiryOf(answer) > this.now()
  }
}

/** What somebody copied without its metadata lives for ever: better than to lose it. */
function expiryOf({ headers }: S3Answer): number {
  const text = headers.get(EXPIRES)
  return text === null ? Number.POSITIVE_INFINITY : Number(text)
}

/** Where the body of an answer begins in the object, and the object's size. */
function placeOf({ headers, body, status }: S3Answer): { readonly from: number; readonly total: number } {
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
  if (status === 200) return { from: 0, total: body.byteLength }
  if (from === undefined || total === undefined)
    throw new Error('the artifact store sent a part without its place')
  return { from: Number(from), total: Number(total) }
}
