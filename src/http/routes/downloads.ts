/**
 * Downloads of the files that a run made, whole or in part.
 *
 * @module
 */
import type { ByteRange } from '../../artifacts/artifacts.ts'
import { sized } from '../../artifacts/sized.ts'
import type { AdmittedRun, StoredFile } from '../../domain/run.ts'
import type { KeyPrincipal } from '../../keys/principal.ts'
import type { Deps } from '../deps.ts'
import type { Call, Endpoint } from '../endpoint.ts'
import { isHead } from '../head.ts'
import { Problem } from '../problems.ts'
import { findRun, RUNS } from './find-run.ts'

export function downloadArtifact(deps: Deps): Endpoint {
  return {
    method: 'GET',
    path: '/v1/runs/:run_id/artifacts/:name',
    ...RUNS,
    doc: {
      id: 'downloadArtifact',
      tag: 'Runs',
      summary: 'Download a file of a run',
      description: 'One range of bytes can be asked for, so that a download can go on where it broke off.',
      headers: [
        {
          name: 'Range',
          description: 'A part of the file, like `bytes=0-1023`.',
          schema: { type: 'string' },
        },
        { name: 'If-Range', description: 'The ETag of the parts so far.', schema: { type: 'string' } },
        { name: 'If-None-Match', description: 'ETags that the client has.', schema: { type: 'string' } },
      ],
      answers: {
        200: {
          description: 'The file.',
          contentType: 'application/octet-stream',
          schema: { type: 'string', format: 'binary' },
        },
        206: {
          description: 'The part that Range asked for.',
          contentType: 'application/octet-stream',
          schema: { type: 'string', format: 'binary' },
        },
        304: { description: 'If-None-Match has its ETag.' },
        416: { description: 'The file has no such part.' },
      },
      problems: ['not-found'],
    },
    handle: (call: Call<KeyPrincipal>) => download(deps, call),
  }
}

async function download(deps: Deps, call: Call<KeyPrincipal>): Promise<Response> {
  const run = await findRun(deps, call)
  const name = call.params.name ?? ''
  const file = await call.time.except(fileOf(deps, run, name))
  if (!file) throw new Problem('not-found')
  const { headers } = call.request
  const etag = `"${file.sha256}"`
  const about = { etag, 'accept-ranges': 'bytes', 'cache-control': 'private, no-cache' }
  if (matches(headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: about })
  const whole = headers.has('if-range') && headers.get('if-range') !== etag
  const range = whole ? undefined : rangeOf(headers.get('range'), file.bytes)
  if (range === 'none') {
    const detail = `The range is outside of the file, which has ${file.bytes} bytes.`
    throw new Problem('validation-failed', {
      status: 416,
      detail,
      headers: { 'content-range': `bytes */${file.bytes}` },
    })
  }
  const opened = await deps.artifacts.open(file.ref, range)
  if (!opened) throw new Problem('not-found')
  return new Response(await call.time.except(bodyOf(deps, call.request, opened)), {
    status: range ? 206 : 200,
    headers: {
      ...about,
      'content-type': file.content_type,
      'content-length': String(opened.bytes),
      'content-disposition': attachment(name),
      // What a source made must never be taken for a page of ours.
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      ...(range ? { 'content-range': `bytes ${range.start}-${range.end}/${file.bytes}` } : {}),
    },
  })
}

/** What an answer with a Content-Length can carry; making it may take longer than a connection may be quiet. */
async function bodyOf(
  deps: Deps,
  request: Request,
  opened: { readonly bytes: number; readonly body: ReadableStream<Uint8Array> },
): Promise<ReadableStream<Uint8Array> | null> {
  if (isHead(request)) {
    await opened.body.cancel()
    return null
  }
  const release = deps.hold?.(request)
  try {
    return await sized(opened, request.signal)
  } finally {
    release?.()
  }
}

/** A run's file by its name. Names stand with the result and go with it. */
async function fileOf(deps: Deps, run: AdmittedRun, name: string): Promise<StoredFile | undefined> {
  const { head } = await deps.runs.result(run)
  const ref = head.files.find((file) => file.name === name)?.ref
  return run.files.find((file) => file.ref === ref)
}

const matches = (header: string | null, etag: string): boolean =>
  (header ?? '').split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)

/**
 * The one range that a Range header asks for.
 *
 * @returns undefined for the whole file: no header, one that is malformed, or several ranges; `none` when the file
 *   has nothing there
 */
function rangeOf(header: string | null, bytes: number): ByteRange | 'none' | undefined {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.replaceAll(' ', '') ?? '') ?? []
  if (from === undefined || to === undefined || from + to === '') return undefined
  if (from === '') {
    const length = Math.min(Number(to), bytes)
    return length === 0 ? 'none' : { start: bytes - length, end: bytes - 1 }
  }
  const start = Number(from)
  if (to !== '' && Number(to) < start) return undefined
  if (start >= bytes) return 'none'
  return { start, end: to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1) }
}

/** `Content-Disposition` with a plain name for old clients and the true one beside it (RFC 6266). */
function attachment(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
