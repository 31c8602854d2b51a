/**
 * An answer of a source as a task reads it.
 *
 * @module
 */
import { decode } from './charset.ts'
import type { Reply } from './context.ts'
import { parseJson } from './json.ts'

/**
 * A reply whose body is read whole at the first call that needs it.
 *
 * @param url of the public site
 * @param open gives the body, decoded and kept within its size; called once
 */
export function replyOf(
  status: number,
  url: string,
  headers: Headers,
  open: () => ReadableStream<Uint8Array>,
): Reply {
  let whole: Promise<Uint8Array> | undefined
  const bytes = (): Promise<Uint8Array> => {
    whole ??= readAll(open())
    return whole
  }
  const text = async (): Promise<string> => decode(await bytes(), headers.get('content-type'))
  return {
    status,
    url,
    headers,
    bytes,
    text,
    stream: open,
    json: async (options) => parseJson(await text(), options),
  }
}

async function readAll(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
  }
  const all = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}
