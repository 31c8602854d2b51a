/**
 * Fetches media from Instagram's media servers into an archive.
 *
 * @module
 */
import {
  type Context,
  type Reply,
  SourceError,
  Unavailable,
  urlWithin,
  type Zip,
  type ZipFile,
} from 'gleaner/plugin'
import type { Kind } from '../read/parsers/post.ts'

export const MEDIA_HOSTS = ['*.cdninstagram.com', '*.fbcdn.net']

/** A file in the archive. `content_type` has no parameters. */
export type Downloaded = ZipFile & { readonly content_type: string }
/** Why a file is missing. `status`: the status of the response; null when there was none. */
export type Missing = { readonly status: number | null; readonly message: string }

export type MediaFile = {
  readonly url: string | null
  readonly kind: Kind
  /** its name in the archive, without an extension */
  readonly name: string
  readonly at: Date
  /** called with the size of each chunk that arrives, in bytes */
  readonly onBytes: (count: number) => void
}

const FAILURES = Array.from({ length: 200 }, (_, i) => 400 + i)
/** The largest file that is exported: more than the site accepts. */
const MOST_BYTES = 8 * 1024 ** 3
const TIMEOUT_S = 900
/** Waits before the second and the third attempt, in milliseconds. */
const WAITS = [1000, 4000]

/** Extensions by content type. For other content types, such as `application/octet-stream`, the URL is used. */
export const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/heic': 'heic',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/avif': 'avif',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
}

type Failure = Missing & { readonly passing: boolean }

/**
 * Fetches an image or video into the archive. Temporary failures are retried.
 *
 * @returns the file; or why it is missing, which does not fail the run
 * @throws the errors of the archive
 */
export async function download(context: Context, zip: Zip, file: MediaFile): Promise<Downloaded | Missing> {
  let outcome = await attempt(context, zip, file)
  for (const ms of WAITS) {
    if ('name' in outcome || !outcome.passing || !(await context.pause(ms))) break
    outcome = await attempt(context, zip, file)
  }
  return 'name' in outcome ? outcome : { status: outcome.status, message: outcome.message }
}

async function attempt(context: Context, zip: Zip, file: MediaFile): Promise<Downloaded | Failure> {
  const { url, kind, name, at, onBytes } = file
  if (url === null) return failure(null, 'the source gave no URL')
  if (!urlWithin(url, MEDIA_HOSTS)) return failure(null, 'the URL is not on a media host of the source')
  try {
    const reply = await context.fetch(url, {
      as: 'fetch',
      accept: FAILURES,
      tries: 1,
      timeoutS: TIMEOUT_S,
      maxBytes: MOST_BYTES,
    })
    const form = formOf(reply, url, kind)
    if ('message' in form) {
      await reply.stream().cancel()
      return form
    }
    const content = countBytes(reply.stream(), onBytes)
    const file = await zip.add(`${name}.${form.ending}`, content, { store: true, at })
    return { ...file, content_type: form.type }
  } catch (error) {
    if (context.signal.aborted) return failure(null, 'the run was stopped')
    if (!(error instanceof SourceError)) throw error
    return failure(null, error.message, error.code === 'source-unavailable')
  }
}

const failure = (status: number | null, message: string, passing = false): Failure => ({
  status,
  message,
  passing,
})

/** The type of a response, by its content type, otherwise by the extension in its URL. */
function formOf(
  { status, headers }: Reply,
  url: string,
  kind: Kind,
): { readonly ending: string; readonly type: string } | Failure {
  if (status >= 400)
    return failure(status, `the source responded with ${status}`, status === 429 || status >= 500)
  const type = (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const ending = ENDINGS[type]
  const isOther = ending === undefined ? /html|json|xml|javascript/.test(type) : !type.startsWith(kind)
  if (isOther) return failure(status, `${type} instead of ${kind === 'image' ? 'an image' : 'a video'}`)
  return ending === undefined ? formOfPath(url, kind) : { ending, type }
}

function formOfPath(url: string, kind: Kind): { readonly ending: string; readonly type: string } {
  const extension = /\.(\w+)$/.exec(new URL(url).pathname)?.[1]?.toLowerCase().replace('jpeg', 'jpg')
  const forms = Object.entries(ENDINGS).filter(([type]) => type.startsWith(kind))
  const [type, ending] = forms.find(([, one]) => one === extension) ?? (forms[0] as [string, string])
  return { ending, type }
}

/** The extension that a file from this URL is expected to have. */
export const endingOf = (url: string, kind: Kind): string => formOfPath(url, kind).ending

/** Reports the size of each chunk. @throws {Unavailable} for empty content */
export async function* countBytes(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: MediaFile['onBytes'],
): AsyncGenerator<Uint8Array> {
  let count = 0
  for await (const chunk of chunks) {
    count += chunk.length
    onBytes(chunk.length)
    yield chunk
  }
  if (count === 0) throw new Unavailable('an empty response')
}
