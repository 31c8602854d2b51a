/**
 * Requests to a bucket: signed, each try within a time limit, tried again while that may help, answers read whole. So no
 * connection is open longer than one answer takes, and no answer that was cut off passes for a short one.
 *
 * Not by a library: `@aws-sdk/client-s3` with `lib-storage` adds 23 MB to each install, and s3mini knows neither
 * temporary credentials nor conditional writes.
 *
 * @module
 */
import { AwsV4Signer } from 'aws4fetch'
import { decodeXML } from 'entities'
import pLimit from 'p-limit'
import { clock } from '../../async/clock.ts'
import { retry } from '../../async/retry.ts'
import { clearTimeout, setTimeout } from '../../async/timers.ts'
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
  /** answers that are none of the 2xx and are given back all the same */
  readonly accepts?: readonly number[]
  /** by default the client's */
  readonly patience?: S3Patience
}

/**
 * How long requests are waited for, in milliseconds: one try until the answer begins, and between its parts; and all
 * tries. Both are longer by what a large body takes.
 */
export type S3Patience = { readonly tryMs: number; readonly limitMs: number }

export type S3Answer = { readonly status: number; readonly headers: Headers; readonly body: Uint8Array }

/** The store said no: `status` and `code` are its own. */
export class S3Refusal extends StoreUnavailable {
  constructor(
    { method }: S3Request,
    readonly status: number,
    readonly code: string,
  ) {
    super(`the artifact store answered ${method} with ${status} (${code})`)
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
/** Refusals that pass: too slow, too many, in conflict with another request, broken. */
const PASSING: ReadonlySet<number | string> = new Set([
  ...[408, 409, 425, 429, 500, 502, 503, 504],
  ...['RequestTimeout', 'SlowDown', 'InternalError'],
])

export class S3Client {
  private readonly slots = pLimit(AT_ONCE)
  /** one for each day */
  private readonly signingKeys = new Map<string, ArrayBuffer>()

  /** @param onFailure told of each try that failed and is followed by another; a warning of the process by default */
  constructor(
    private readonly bucket: S3Bucket,
    readonly onFailure = (error: unknown) => process.emitWarning(`the bucket is asked again: ${error}`),
    private readonly patience = PATIENCE,
  ) {}

  /**
   * Sends a request, again when that may help.
   *
   * @throws {S3Refusal} when the store refuses it
   * @throws {StoreUnavailable} when the store does not answer in time: what was asked may have happened or not
   */
  send(request: S3Request): Promise<S3Answer> {
    const { tryMs, limitMs } = request.patience ?? this.patience
    const extraMs = (request.body?.byteLength ?? 0) / BYTES_PER_MS
    const end = clock.monotonic() + limitMs + extraMs
    return retry(
      () =>
        this.slots(() => {
          const ms = Math.min(tryMs + extraMs, end - clock.monotonic())
          if (ms <= 0) throw unavailable(request, 'its time was up before it was its turn')
          return this.once(request, ms)
        }),
      {
        when: (error) => mayPass(error) && clock.monotonic() < end,
        firstMs: FIRST_DELAY_MS,
        longestMs: LONGEST_DELAY_MS,
        onRetry: this.onFailure,
      },
    )
  }

  /**
   * A page of at most `limit` (1,000 at most) objects whose keys begin with a prefix, in their order, after a key; `at`:
   * when it was last written, in milliseconds since 1970 by the store's clock.
   */
  async list(prefix: string, limit: number, after?: string) {
    const query = { 'list-type': '2', prefix, 'max-keys': String(limit) }
    // By the last key and not by a token, which not all stores take alike.
    const { body } = await this.send({
      method: 'GET',
      query: after === undefined ? query : { ...query, 'start-after': after },
    })
    const xml = new TextDecoder().decode(body)
    const objects = elementsOf(xml, 'Contents').map((entry) => ({
      key: textOf(entry, 'Key') ?? '',
      at: Date.parse(textOf(entry, 'LastModified') ?? ''),
    }))
    return { objects, isLast: textOf(xml, 'IsTruncated') !== 'true' || objects.length === 0 }
  }

  private async once(request: S3Request, ms: number): Promise<S3Answer> {
    const { method, body: sent, accepts = [] } = request
    const { url, headers } = await this.signed(request)
    const controller = new AbortController()
    // It begins anew with each part of the answer.
    const timer = setTimeout(() => controller.abort(), ms)
    let response: Response
    let body: Uint8Array
    try {
      const init = { method, headers, signal: controller.signal, redirect: 'manual' } as const
      response = await fetch(url, (sent ? { ...init, body: sent } : init) as RequestInit)
      timer.refresh()
      const chunks: Uint8Array[] = []
      for await (const chunk of response.body ?? []) {
        timer.refresh()
        chunks.push(chunk)
      }
      body = Buffer.concat(chunks)
      const announced = response.headers.get('content-length')
      // Of an answer to HEAD the length is that of a body that does not come.
      if (method !== 'HEAD' && announced !== null && body.byteLength !== Number(announced))
        throw new Error(`the answer ended after ${body.byteLength} of ${announced} bytes`)
    } catch (cause) {
      const why = controller.signal.aborted ? `no answer within ${Math.round(ms)} ms` : messageOf(cause)
      throw unavailable(request, why, cause)
    } finally {
      clearTimeout(timer)
    }
    const { status } = response
    const refusal = refusalOf(request, status, body)
    // A bucket that is gone is no artifact that is not there.
    if (!refusal || (accepts.includes(status) && refusal.code !== 'NoSuchBucket'))
      return { status, headers: response.headers, body }
    throw refusal
  }

  private async signed(request: S3Request): Promise<{ readonly url: URL; readonly headers: Headers }> {
    const { method, key = '', query = {}, body = new Uint8Array() } = request
    const url = new URL(`${this.bucket.address}/${key}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const sha256 = await crypto.subtle.digest('SHA-256', body as Uint8Array<ArrayBuffer>)
    const signer = new AwsV4Signer({
      ...this.bucket,
      method,
      url: url.href,
      headers: { ...request.headers, 'x-amz-content-sha256': Buffer.from(sha256).toString('hex') },
      service: 's3',
      cache: this.signingKeys,
    })
    const { headers } = await signer.sign()
    // Not signed, since some in between change it: what comes must have the length that it is said to have.
    headers.set('accept-encoding', 'identity')
    return { url: signer.url, headers }
  }
}

/** Why an answer is none; a 200 may hold an error too, when it began before its end was known. */
function refusalOf(request: S3Request, status: number, body: Uint8Array): S3Refusal | undefined {
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && request.method !== 'POST') return undefined
  const text = Buffer.from(body.subarray(0, 4096)).toString()
  if (isSuccess && !/<Error[\s>]/.test(text)) return undefined
  return new S3Refusal(request, status, textOf(text, 'Code') ?? 'no code')
}

/** Whether another try may succeed: nothing but the store's own refusals is final. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof S3Refusal) || PASSING.has(error.status) || PASSING.has(error.code)

const unavailable = ({ method }: S3Request, why: string, cause?: unknown): StoreUnavailable =>
  new StoreUnavailable(`the artifact store could not be asked (${method}): ${why}`, { cause })

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The text of the first element with that name. */
export function textOf(xml: string, name: string): string | undefined {
  const [content] = elementsOf(xml, name)
  return content && decodeXML(content)
}

/** The contents of all elements with that name, as they stand there. Such elements must not lie inside each other. */
function elementsOf(xml: string, name: string): string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?>([^]*?)</${name}>`, 'g')
  return [...xml.matchAll(pattern)].map(([, content = '']) => content)
}
