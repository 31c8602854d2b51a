/**
 * Recorded answers of real sources as exchanges of the mock sites, from folders that list their requests in an
 * INDEX.json.
 *
 * @module
 */
import type { Exchange } from '../../src/plugin/testing.ts'
import type { Recordings } from './recordings.ts'

/** An entry of INDEX.json. */
type Entry = {
  readonly status: number
  readonly method: string
  readonly url: string
  readonly body?: unknown
}

/** A recorded answer, with the file that it comes from. */
export type RecordedExchange = { readonly file: string; readonly exchange: Exchange }

/**
 * The recorded answers whose request is known. A placeholder in a path, such as `<id>`, becomes `*`; a query parameter
 * with a placeholder is omitted.
 */
export function recordedExchanges(recordings: Recordings): RecordedExchange[] {
  const index = JSON.parse(recordings.text('INDEX.json')) as Record<string, Entry>
  return Object.entries(index).flatMap(([file, { status, method, url, body }]) => {
    const address = addressOf(url)
    if (address === undefined) return []
    const exchange: Exchange = {
      request: `${method} ${address}`,
      status,
      headers: { 'content-type': file.endsWith('.json') ? 'application/json' : 'text/html; charset=utf-8' },
      body: recordings.bytes(file),
      ...(body === undefined ? {} : { sent: body }),
    }
    return [{ file, exchange }]
  })
}

function addressOf(written: string): string | undefined {
  // A trailing text in parentheses is a remark.
  const text = written.replace(/ \(.*\)$/, '')
  if (!/^https?:\/\/\S+$/.test(text) || /\.{3}(?!")/.test(text.split('?')[0]!)) return undefined
  const url = new URL(text)
  url.pathname = url.pathname.replace(/(?<=\/)[^/]*%3C[^/]*%3E[^/]*(?=\/|$)/g, '*')
  for (const [name, value] of [...url.searchParams])
    if (/\.{3}|<.*>/.test(value)) url.searchParams.delete(name)
  return url.href
}
