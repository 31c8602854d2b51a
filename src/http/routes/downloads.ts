/**
 * Downloads of a run: its items as JSON, NDJSON or CSV, and its files, whole or in part.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import type { ByteRange } from '../../artifacts/artifacts.ts'
import { sized } from '../../artifacts/sized.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { AdmittedRun } from '../../domain/run.ts'
import { csvRow } from '../../plugin/csv-row.ts'
import { itemTexts } from '../../runs/items/page.ts'
import type { ItemParts } from '../../runs/items/parts.ts'
import { objectIn } from '../../runs/items/texts.ts'
import { filesOf } from '../../runs/run-object.ts'
import type { Runs } from '../../runs/runs.ts'
import { OneOf, Text } from '../../schema.ts'
import { pieces } from '../answers.ts'
import type { Deps } from '../deps.ts'
import type { Call, Endpoint } from '../endpoint.ts'
import { isHead } from '../head.ts'
import { ProblemSchema } from '../openapi/schemas.ts'
import { existing, invalidAt, Problem } from '../problems.ts'
import { findRun, runRoute } from './one-run.ts'

const CONTENT_TYPES = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
}
export type Format = keyof typeof CONTENT_TYPES

/** Tells a spreadsheet that a file is UTF-8. */
export const BOM = '\ufeff'

type TextOptions = {
  readonly format: Format
  readonly bom: boolean
  readonly columns?: readonly string[]
}

async function* textIn(
  { format, bom }: TextOptions,
  items: ItemParts,
  columns: readonly string[],
): AsyncGenerator<string> {
  if (format === 'csv') yield (bom ? BOM : '') + csvRow(columns)
  if (format === 'json') yield '['
  let before = ''
  for await (const group of itemTexts(items)) {
    if (format === 'csv') yield group.map((item) => csvRow(cellsOf(item, columns))).join('')
    else if (format === 'ndjson') yield group.map((item) => `${item}\n`).join('')
    else yield before + group.join()
    before = ','
  }
  if (format === 'json') yield ']'
}

function cellsOf(text: string, columns: readonly string[]) {
  const item = objectIn(text)
  return columns.map((column) => item[column])
}

export const runItems = (deps: Deps): Endpoint =>
  runRoute('GET', '/v1/runs/:run_id/items', {
    id: 'getRunItems',
    summary: 'Get the items of a run',
    description:
      'Only the items: `json` is an array, `ndjson` has one item per line, `csv` has a column for each field of the ' +
      'output schema. In CSV a nested value is JSON text, null is an empty cell, and a value that a spreadsheet would ' +
      "take for a formula is prefixed with '. While a run works, these are its items so far, and `Items-Final` is `false`: " +
      'it may start over, and a later answer may have other items. A run without a result has no items.',
    query: {
      format: OneOf(['json', 'ndjson', 'csv'], 'json (default), ndjson or csv.'),
      bom: Type.Integer({
        minimum: 0,
        maximum: 1,
        description: '1: CSV begins with a byte order mark, by which spreadsheets know that it is UTF-8.',
      }),
    },
    answers: {
      200: {
        description: 'The items.',
        headers: ['Items-Final'],
        content: {
          'application/json': Type.Array(Type.Unsafe<object>({ type: 'object' }), {
            examples: [[{ title: 'Otter', pageid: 22718 }]],
          }),
          'application/x-ndjson': Type.String({ examples: ['{"title":"Otter","pageid":22718}\n'] }),
          'text/csv': Type.String({ examples: ['title,pageid\r\nOtter,22718\r\n'] }),
        },
      },
    },
    handle: async (call) => {
      const { state } = await findRun(deps, call)
      const { format = 'json', bom } = call.query
      if (bom === 1 && format !== 'csv')
        throw invalidAt('/bom', 'conflict', 'is only possible with format=csv')
      return itemsIn(deps, state, { format, bom: bom === 1 }, call)
    },
  })

/** Answers with the items of a run. @param options.columns of CSV; default: all */
export async function itemsIn(
  deps: Deps,
  run: AdmittedRun,
  options: TextOptions,
  call: Pick<Call, 'time' | 'request' | 'requestId'>,
): Promise<Response> {
  const answer = async () => {
    const items = await deps.runs.items(run)
    const columns = options.columns ?? (await columnsOf(deps, run, items))
    return pieces(deps, call, textIn(options, items, columns), {
      contentType: CONTENT_TYPES[options.format],
      headers: { 'items-final': String(items.isFinal) },
      broken: 'A download of items broke off. Its client has an incomplete answer.',
    })
  }
  return call.time.except(answer())
}

/**
 * The columns of a run's items: the fields of its task or, if the task is no longer in the catalogue, of its items.
 *
 * @param items of the run; read by default
 */
export async function columnsOf(
  deps: { readonly catalogue: Catalogue; readonly runs: Runs },
  run: AdmittedRun,
  items?: ItemParts,
): Promise<readonly string[]> {
  const { columns } = deps.catalogue.get(run.taskKey) ?? {}
  if (columns) return columns
  const names = new Set<string>()
  for await (const group of itemTexts(items ?? (await deps.runs.items(run))))
    for (const item of group) for (const name of Object.keys(objectIn(item))) names.add(name)
  return [...names]
}

/** A file of any type, as its plugin names it. */
const FILE = { '*/*': { type: 'string', format: 'binary' } }

export const downloadArtifact = (deps: Deps): Endpoint =>
  runRoute('GET', '/v1/runs/:run_id/artifacts/:name', {
    id: 'downloadArtifact',
    summary: 'Download a file of a run',
    description: 'Request one range of bytes to resume a download.',
    headers: {
      Range: Text('A part of the file, like `bytes=0-1023`.'),
      'If-Range': Text('The ETag of the parts that you have.'),
      'If-None-Match': Text('ETags that you have.'),
    },
    answers: {
      200: { description: 'The file.', content: FILE, headers: ['ETag'] },
      206: {
        description: 'The part that Range asked for.',
        content: FILE,
        headers: ['ETag', 'Content-Range'],
      },
      304: { description: 'Not modified: If-None-Match contains the ETag.', headers: ['ETag'] },
      416: {
        description: 'The range is outside the file: `validation-failed`.',
        content: { 'application/problem+json': ProblemSchema },
        headers: ['Content-Range'],
      },
    },
    handle: async (call) => download(deps, (await findRun(deps, call)).state, call),
  })

/** Answers with the file of a run that the path names. @throws {Problem} 404, 416 */
export async function download(deps: Deps, run: AdmittedRun, call: Call): Promise<Response> {
  const name = call.params.name ?? ''
  // File names are stored with the result and expire with it.
  const head = await call.time.except(deps.runs.head(run))
  const file = existing(filesOf(run, head).find((each) => each.name === name))
  const { headers } = call.request
  const etag = `"${file.sha256}"`
  const about = { etag, 'accept-ranges': 'bytes', 'cache-control': 'private, no-cache' }
  if (matches(headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: about })
  const whole = headers.has('if-range') && headers.get('if-range') !== etag
  const range = whole ? undefined : rangeOf(headers.get('range'), file.bytes)
  if (range === 'none') {
    const detail = `The range is outside the file, which has ${file.bytes} bytes.`
    throw new Problem('validation-failed', {
      status: 416,
      detail,
      headers: { 'content-range': `bytes */${file.bytes}` },
    })
  }
  const opened = existing(await deps.artifacts.open(file.ref, range))
  return new Response(await call.time.except(bodyOf(deps, call.request, opened)), {
    status: range ? 206 : 200,
    headers: {
      ...about,
      'content-type': file.content_type,
      'content-length': String(opened.bytes),
      'content-disposition': attachment(name),
      // A browser must never treat a file from a source as a page of this service.
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      ...(range ? { 'content-range': `bytes ${range.start}-${range.end}/${file.bytes}` } : {}),
    },
  })
}

/**
 * The body for a response with a Content-Length. Preparing it, and a reader's pause, may take longer than a connection
 * may stay idle, so the connection is held open until the file is sent.
 */
async function bodyOf(
  deps: Deps,
  request: Request,
  opened: Parameters<typeof sized>[0],
): Promise<ReadableStream<Uint8Array> | null> {
  if (isHead(request)) {
    await opened.body.cancel()
    return null
  }
  deps.hold?.(request)
  return sized(opened, request.signal)
}

const matches = (header: string | null, etag: string): boolean =>
  (header ?? '').split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)

/**
 * The single range that a Range header requests.
 *
 * @returns undefined for the whole file: the header is absent or malformed, or has several ranges; `none` if the range
 *   is outside the file
 */
function rangeOf(header: string | null, bytes: number): ByteRange | 'none' | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/i.exec(header?.replaceAll(' ', '') ?? '') ?? []
  if (from === undefined || to === undefined || from + to === '') return undefined
  if (from === '') {
    const length = Math.min(Number(to), bytes)
    return length === 0 ? 'none' : { start: bytes - length, end: bytes - 1 }
  }
  const start = Number(from)
  if (start >= bytes) return 'none'
  if (to !== '' && Number(to) < start) return undefined
  return { start, end: to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1) }
}

/** `Content-Disposition` with an ASCII name for old clients and the full name (RFC 6266). */
function attachment(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
