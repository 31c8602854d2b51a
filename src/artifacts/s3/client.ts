/**
 * Requests to a bucket: signed, with a timeout for each attempt and retries. Responses are read completely, so no
 * connection stays open longer than one response takes, and a truncated response is not mistaken for a short one.
 *
 * No library is used: `@aws-sdk/client-s3` with `lib-storage` adds 23 MB to each install, and s3mini supports neither
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
  /** the full key; none for the bucket itself */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  /** names in lower case */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** statuses other than 2xx that are returned instead of thrown */
  readonly accepts?: readonly number[]
  /** default: the client's */
  readonly patience?: S3Patience
}

/**
 * Timeouts in milliseconds: `tryMs` for each attempt, until the response begins and between its chunks; `limitMs` for
 * all attempts together. Both are extended for large bodies.
 */
export type S3Patience = { readonly tryMs: number; readonly limitMs: number }

export type S3Answer = { readonly status: number; readonly headers: Headers; readonly body: Uint8Array }

/** The store refused a request, with this status and error code. */
export class S3Refusal extends StoreUnavailable {
  constructor(
    { method }: S3Request,
    readonly status: number,
    readonly code: string,
  ) {
    super(`the artifact store answered ${method} with ${status} (${code})`)
  }
}

/** A request to the service must get its 503 within two seconds. */
export const PATIENCE: S3Patience = { tryMs: 700, limitMs: 1500 }
/** The minimum speed of an upload. */
const BYTES_PER_MS = 1024
/** The number of concurrent requests. Others are queued, and their timeout of an attempt does not run yet. */
const AT_ONCE = 32
/** The delay before the second attempt, in milliseconds. Each further delay is twice as long. */
const FIRST_DELAY_MS = 50
const LONGEST_DELAY_MS = 1000
/** Temporary refusals: timeouts, throttling, conflicts with other requests, server errors. */
const PASSING: ReadonlySet<number | string> = new Set([
  ...[408, 409, 425, 429, 500, 502, 503, 504],
  ...['RequestTimeout', 'SlowDown', 'InternalError'],
])

export class S3Client {
  private readonly slots = pLimit(AT_ONCE)
  /** one per day */
  private readonly signingKeys = new Map<string, ArrayBuffer>()

  /** @param onFailure called with the error of each attempt that is retried; by default a warning of the process */
  constructor(
    private readonly bucket: S3Bucket,
    readonly onFailure = (error: unknown) =>
      process.emitWarning(`a request to the bucket is tried again: ${error}`),
    private readonly patience = PATIENCE,
  ) {}

  /**
   * Sends a request, with retries for temporary failures.
   *
   * @throws {S3Refusal} when the store refuses it
   * @throws {StoreUnavailable} when the store does not respond in time; the request may or may not have taken effect
   */
  send(request: S3Request): Promise<S3Answer> {
    const { tryMs, limitMs } = request.patience ?? this.patience
    const extraMs = (request.body?.byteLength ?? 0) / BYTES_PER_MS
    const end = clock.monotonic() + limitMs + extraMs
    return retry(
      () =>
        this.slots(() => {
          const ms = Math.min(tryMs + extraMs, end - clock.monotonic())
          if (ms <= 0) throw unavailable(request, 'it timed out in the queue')
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
   * Lists up to `limit` (1,000 at most) objects with a key prefix, in key order, after a key. `at`: when the object was
   * last written, in milliseconds since 1970 by the store's clock.
   */
  async list(prefix: string, limit: number, after?: string) {
    const query = { 'list-type': '2', prefix, 'max-keys': String(limit) }
    // Continues by the last key: not all stores handle continuation tokens alike.
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
    // Restarted with each chunk of the response.
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
      // The length in a HEAD response is that of a body that is not sent.
      if (method !== 'HEAD' && announced !== null && body.byteLength !== Number(announced))
        throw new Error(`the response ended after ${body.byteLength} of ${announced} bytes`)
    } catch (cause) {
      const why = controller.signal.aborted ? `no answer within ${Math.round(ms)} ms` : messageOf(cause)
      throw unavailable(request, why, cause)
    } finally {
      clearTimeout(timer)
    }
    const { status } = response
    const refusal = refusalOf(request, status, body)
    // A missing bucket must not be mistaken for a missing artifact.
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
    // Not signed, since some proxies change it. Needed because the body must have the announced length.
    headers.set('accept-encoding', 'identity')
    return { url: signer.url, headers }
  }
}

/** The refusal in a response, if any. A 200 may contain an error, if it began before the outcome was known. */
function refusalOf(request: S3Request, status: number, body: Uint8Array): S3Refusal | undefined {
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && request.method !== 'POST') return undefined
  const text = Buffer.from(body.subarray(0, 4096)).toString()
  if (isSuccess && !/<Error[\s>]/.test(text)) return undefined
  return new S3Refusal(request, status, textOf(text, 'Code') ?? 'no code')
}

/** Whether a retry may succeed: only refusals of the store are final, unless they are temporary. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof S3Refusal) || PASSING.has(error.status) || PASSING.has(error.code)

const unavailable = ({ method }: S3Request, why: string, cause?: unknown): StoreUnavailable =>
  new StoreUnavailable(`a ${method} request to the artifact store failed: ${why}`, { cause })

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The text of the first element with a name. */
export function textOf(xml: string, name: string): string | undefined {
  const [content] = elementsOf(xml, name)
  return content && decodeXML(content)
}

/** The raw contents of all elements with a name, which must not be nested. */
function elementsOf(xml: string, name: string): string[] {
  const pattern = new RegExp(`<${name}(?:\\s[^>]*)?>([^]*?)</${name}>`, 'g')
  return [...xml.matchAll(pattern)].map(([, content = '']) => content)
}
