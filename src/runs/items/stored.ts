/**
 * A stored result, of which only what is needed is read: its head, some of its items, or its other fields.
 *
 * @module
 */
import type { Artifacts } from '../../artifacts/artifacts.ts'
import type { StoredResult } from '../../domain/run.ts'
import { decodeHead, ITEMS_KEY, type ResultHead, type ResultRest, textOf } from '../result.ts'
import { type ItemParts, startOf } from './parts.ts'
import { objectIn } from './texts.ts'

export type OpenedResult = {
  readonly head: ResultHead
  readonly items: ItemParts
  /** Reads the fields beside the items; none if the run failed before its first item. */
  rest(): Promise<ResultRest>
}

/** Smaller results are read at once. Most heads are smaller as well; longer ones are those of hundreds of files. */
export const HEAD_BYTES = 64 * 1024

/** Reads bytes of a result. Undefined if it does not exist any more. @param end exclusive */
type Read = (start: number, end: number) => Promise<Uint8Array | undefined>

/** @returns undefined if the result does not exist any more */
export async function openResult(
  artifacts: Pick<Artifacts, 'get' | 'open'>,
  { ref, bytes }: Pick<StoredResult, 'ref' | 'bytes'>,
): Promise<OpenedResult | undefined> {
  const read = bytes <= HEAD_BYTES ? await inMemory(artifacts, ref) : byRange(artifacts, ref)
  const decoded = await readHead(read, bytes)
  if (!decoded) return undefined
  const { head, bodyAt } = decoded
  const { parts } = head
  const itemsAt = bodyAt + ITEMS_KEY.length
  const exactly = async (start: number, end: number) => {
    const part = await read(start, end)
    if (part?.length !== end - start) throw new Error('the stored result is cut off')
    return part
  }
  return {
    head,
    items: {
      parts,
      read: (from, to) => exactly(itemsAt + startOf(parts, from), itemsAt + startOf(parts, to) - 1),
    },
    async rest() {
      if (parts.length === 0) {
        const { items: _, ...rest } = objectIn(textOf(await exactly(bodyAt, bytes)))
        return rest
      }
      // Like `],"next_cursor":null}`, where a comma would follow the last part.
      const text = textOf(await exactly(itemsAt + startOf(parts, parts.length) - 1, bytes))
      return objectIn(`{${text.replace('],', '')}`)
    },
  }
}

async function inMemory(artifacts: Pick<Artifacts, 'get'>, ref: string): Promise<Read> {
  const body = await artifacts.get(ref)
  return async (start, end) => body?.subarray(start, end)
}

const byRange =
  (artifacts: Pick<Artifacts, 'open'>, ref: string): Read =>
  async (start, end) => {
    const opened = await artifacts.open(ref, { start, end: end - 1 })
    return opened && new Response(opened.body).bytes()
  }

/** @returns undefined if the result does not exist any more */
async function readHead(read: Read, bytes: number) {
  for (let length = HEAD_BYTES; ; length *= 4) {
    const start = await read(0, Math.min(length, bytes))
    const decoded = start && decodeHead(start)
    if (decoded || length >= bytes || !start) return decoded
  }
}
