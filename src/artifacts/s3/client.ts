/**
 * Requests to a bucket: signed, each try within a time limit, tried again while that may help, answers read whole. So no
 * connection is open longer than one answer takes, and no answer that was cut off passes for a short one.
 *
 * Not by a library: `@aws-sdk/client-s3` with `lib-storage` adds 23 MB to each install, and s3mini knows neither
 * temporary credentials nor conditional writes.
 *
 * @module
 */

import { hash } from 'node:crypto'
import { setTimeout } from 'node:timers'
import { AwsV4Signer } from 'aws4fetch'
import pLimit from 'p-limit'
import { retry } from '../../async/retry.ts'
import { StoreUnavailable } from '../../log/event-log.ts'
import type { S3Bucket } from './settings.ts'

export type S3Request = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** the whole key; none for the bucket itself */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  /** names in lower case */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** the body's SHA-256 as hex, when it is known: the store refuses a body with another */
  readonly sha256?: string
  /** answers that are none of the 2xx and are given back all the same */
  readonly accepts?: readonly number[]
  /** milliseconds for one try until the answer begins, and between its parts; by default the client's */
  readonly tryMs?: number
  /** milliseconds for all tries; by default the client's. Both are longer by what a large body takes */
  readonly limitMs?: number | undefined
}

/** Which page of a list: of at most `limit` keys (1,000 at most) after a key. */
export type S3Page = {
  readonly after?: string | undefined
  readonly limit: number
  readonly limitMs?: number | undefined
}

/** Keys with the times at which they were last written, milliseconds since 1970 by the store's clock. */
export type S3List = {
  readonly objects: readonly { readonly key: string; readonly at: number }[]
  readonly isLast: boolean
}

/** How long requests are waited for that say nothing themselves, in milliseconds: one try, and all of them. */
export type S3Patience = { readonly tryMs: number; readonly limitMs: number }

export type S3Answer = { readonly status: number; readonly headers: Headers; readonly body: Uint8Array }

/** The store said no: `status` and `code` are its own. */
export class S3Refusal extends StoreUnavailable {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
  ) {
    super(message)
  }
}

/** A request to the service must have its 503 within two seconds. */
export const PATIENCE: S3Patience = { tryMs: 700, limitMs: 1500 }
/** The slowest connection that a body is waited for on. */
const BYTES_PER_MS = 1024
/** Requests at once; the others wait, and their time for an answer does not run yet. */
const AT_ONCE = 32
/** The delay before the second try, in milliseconds; each further one is twice as long. */
const FIRST_DELAY_MS = 50
const LONGEST_DELAY_MS = 1000
/** Statuses that pass: too slow, too many, in conflict with another request, broken. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504])
const PASSING_CODES: ReadonlySet<string> = new Set(['RequestTimeout', 'SlowDown', 'InternalError'])
const EMPTY_SHA256 = hash('sha256', '')

export class S3Client {
  private readonly slots = pLimit(AT_ONCE)
  /** one for each day */
  private readonly signingKeys = new Map<string, ArrayBuffer>()

  /** @param onFailure told of each try that failed and is followed by another */
  constructor(
    private readonly bucket: S3Bucket,
    private readonly onFailure: (error: unknown) => void,
    private readonly patience = PATIENCE,
  ) {}

  /**
   * Sends a request, again when that may help.
   *
   * @throws {S3Refusal} when the store refuses it
   * @throws {StoreUnavailable} when the store does not answer in time: what was asked may have happened or not
   */
  send(request: S3Request): Promise<S3Answer> {
    const extraMs = (request.body?.byteLength ?? 0) / BYTES_PER_MS
    const end = performance.now() + (request.limitMs ?? this.patience.limitMs) + extraMs
    return retry(
      () =>
        this.slots(() => {
          const tryMs = Math.min((request.tryMs ?? this.patience.tryMs) + extraMs, end - performance.now())
          if (tryMs <= 0) throw unavailable(request, 'its time was up before it was its turn')
          return this.once(request, tryMs)
        }),
      {
        when: (error) => mayPass(error) && performance.now() < end,
        firstMs: FIRST_DELAY_MS,
        longestMs: LONGEST_DELAY_MS,
        onRetry: this.onFailure,
      },
    )
  }

  /** A page of the objects whose keys begin with a prefix, in the order of their keys. */
  async list(prefix: string, { after, limit, limitMs }: S3Page): Promise<S3List> {
    const query = {
      'list-type': '2',
      prefix,
      'max-keys': String(limit),
      // By the last key and not by a token, which not all stores take alike.
      ...(after === undefined ? {} : { 'start-after': after }),
    }
    const { body } = await this.send({ method: 'GET', query, limitMs })
    const xml = new TextDecoder().decode(body)
    const objects = elementsOf(xml, 'Contents').map((entry) => ({
      key: textOf(entry, 'Key') ?? '',
      at: Date.parse(textOf(entry, 'LastModified') ?? ''),
    }))
    return { objects, isLast: textOf(xml, 'IsTruncated') !== 'true' || objects.length === 0 }
  }

  private async once(request: S3Request, tryMs: number): Promise<S3Answer> {
    const { method, body, accepts = [] } = request
    const { url, headers } = await this.signed(request)
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), tryMs)
    let answer: S3Answer
    try {
      const { signal } = controller
      const init = { method, headers, signal, redirect: 'manual', ...(body ? { body } : {}) } as const
      const response = await fetch(url, init as RequestInit)
      timer.refresh()
      answer = {
        status: response.status,
        headers: response.headers,
        body: await whole(request, response, timer),
      }
    } catch (cause) {
      if (cause instanceof StoreUnavailable) throw cause
      if (!controller.signal.aborted) throw unavailable(request, messageOf(cause), cause)
      throw unavailable(request, `no answer within ${Math.round(tryMs)} ms`, cause)
    } finally {
      clearTimeout(timer)
    }
    const refusal = refusalOf(request, answer)
    // A bucket that is gone is no artifact that is not there.
    if (!refusal || (accepts.includes(answer.status) && refusal.code !== 'NoSuchBucket')) return answer
    throw refusal
  }

  private async signed(request: S3Request): Promise<{ readonly url: URL; readonly headers: Headers }> {
    const { method, key = '', query = {}, body } = request
    const { region, accessKeyId, secretAccessKey, sessionToken } = this.bucket
    const url = new URL(`${this.bucket.address}/${key}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const sha256 = request.sha256 ?? (body ? hash('sha256', body) : EMPTY_SHA256)
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...request.headers, 'x-amz-content-sha256': sha256 },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
      service: 's3',
      region,
      cache: this.signingKeys,
    })
    const { headers } = await signer.sign()
    // Not signed, since some in between change it: what comes must have the length that it is said to have.
    headers.set('accept-encoding', 'identity')
    return { url: signer.url, headers }
  }
}

/** The whole body; each part of it has the time that a try has. */
async function whole(
  request: S3Request,
  response: Response,
  timer: ReturnType<typeof setTimeout>,
): Promise<Uint8Array> {
  const { method } = request
  const announced = response.headers.get('content-length')
  // Of an answer to HEAD the length is that of a body that does not come.
  if (method === 'HEAD' || announced === null) return new Uint8Array(await response.arrayBuffer())
  const body = new Uint8Array(Number(announced))
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    timer.refresh()
    if (bytes + chunk.byteLength <= body.byteLength) body.set(chunk, bytes)
    bytes += chunk.byteLength
  }
  if (bytes !== body.byteLength)
    throw unavailable(request, `the answer ended after ${bytes} of ${announced} bytes`)
  return body
}

/** Why an answer is none; a 200 may hold an error too, when it began before its end was known. */
function refusalOf(request: S3Request, { status, body }: S3Answer): S3Refusal | undefined {
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && request.method !== 'POST') return undefined
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, 4096)).toString()
  if (isSuccess && !/<Error[\s>]/.test(text)) return undefined
  const code = textOf(text, 'Code') ?? 'no code'
  const message = `the artifact store answered ${request.method} with ${status} (${code})`
  return new S3Refusal(message, status, code)
}

/** Whether another try may succeed: nothing but the store's own refusals is final. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof S3Refusal) || PASSING.has(error.status) || PASSING_CODES.has(error.code)

const unavailable = ({ method }: S3Request, why: string, cause?: unknown): StoreUnavailable =>
  new StoreUnavailable(`the artifact store could not be asked (${method}): ${why}`, { cause })

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The text of the first element with that name. */
export function textOf(xml: string, name: string): string | undefined {
  const [content] = elementsOf(xml, name)
  return content?.replaceAll(/&(quot|#34|apos|lt|gt|amp);/g, (all, entity: string) => ENTITIES[entity] ?? all)
}

/** The contents of all elements with that name, as they stand there. Such elements must not lie inside each other. */
function elementsOf(xml: string, name: string): string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?>([^]*?)</${name}>`, 'g')
  return [...xml.matchAll(pattern)].map(([, content = '']) => content)
}

const ENTITIES: Readonly<Record<string, string>> = {
  quot: '"',
  '#34': '"',
  apos: "'",
  lt: '<',
  gt: '>',
  amp: '&',
}
