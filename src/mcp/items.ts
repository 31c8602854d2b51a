/**
 * The tool for items of a run, in pages that fit the size limit.
 *
 * @module
 */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { Type } from '@sinclair/typebox'
import { didYouMean } from '../catalogue/names.ts'
import { isEnded } from '../domain/run.ts'
import { checked } from '../http/input.ts'
import { decodeCursor, encodeCursor } from '../http/lists.ts'
import { invalid } from '../http/problems.ts'
import { columnsOf } from '../http/routes/downloads.ts'
import type { Item } from '../runs/items/texts.ts'
import { asData, FRAME_BYTES } from './data.ts'
import { runOf } from './runs.ts'
import {
  bytesOf,
  DEFAULT_BYTES,
  linesOf,
  MOST_BYTES,
  result,
  shownCall,
  type Tool,
  type ToolCall,
} from './tool.ts'

const DEFAULT_ITEMS = 20
const GetItems = Type.Object({
  run_id: Type.String({ maxLength: 100 }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Default 20, and 8 KiB.' })),
  fields: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: 50,
      description: 'Only these fields of each item.',
    }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
})
type ItemsQuery = (typeof GetItems)['static']

/** Maximum size of the text around the items, in bytes: the head, and the call for the next part. */
const AROUND_BYTES = FRAME_BYTES + 1_600
/** Maximum length of an id, in characters, and maximum number of ids shown of an item. */
const ID_LENGTH = 100
const MOST_IDS = 4
/** Maximum length of a source's position that is shown, in characters. */
const POSITION_LENGTH = 200

export const getItems: Tool = {
  name: 'get_items',
  description:
    'Shows items of a run, or those so far while it works, one JSON object per line, with the call for the next part, and the other fields of its result.',
  inputSchema: GetItems,
  annotations: { readOnlyHint: true },
  call: (call) => pageOfItems(call, checked(GetItems, call.args)),
}

async function pageOfItems(call: ToolCall, args: ItemsQuery): Promise<CallToolResult> {
  const { deps } = call
  const { run_id, limit, fields } = args
  const run = await runOf(call, run_id)
  const query = [deps.log.id, 'items', run.runId]
  const start = args.cursor === undefined ? 0 : (decodeCursor(query, args.cursor) as number)
  const columns = await call.time.except(columnsOf(deps, run))
  if (fields) checkFields(fields, columns)
  const at = (index: number) => encodeCursor(query, index)
  const most = (limit === undefined ? DEFAULT_BYTES : MOST_BYTES) - AROUND_BYTES
  const {
    items,
    total,
    next: following,
  } = await call.time.except(deps.runs.itemsPage(run, start, limit ?? DEFAULT_ITEMS))
  const { next_cursor: next = null, ...others } = await call.time.except(deps.runs.resultRest(run))
  const head = besides(args, others, total === 0 ? most : most / 2)
  const room = { fields, most: most - head.bytes }
  const page = fitting(items, room, (index) =>
    tooLarge(run.runId, start + index, at(start + index), limit === undefined, columns),
  )
  const end = start + page.lines.length
  const nextIndex = page.lines.length < items.length ? end : following
  const next_cursor = nextIndex === null ? null : at(nextIndex)
  const [from, to] = [page.lines.length === 0 ? 0 : start + 1, end]
  const nextCall = next_cursor && shownCall('get_items', { ...args, cursor: next_cursor })
  const position = next_cursor === null && next !== null && next.length <= POSITION_LENGTH ? next : null
  const lines = [
    ...head.lines,
    ...page.lines,
    ...(position === null ? [] : [JSON.stringify({ next_cursor: position })]),
  ]
  const words = linesOf(
    total === 0 ? `Run ${run_id} has no items.` : `Items ${from} to ${to} of ${total} of run ${run_id}.`,
    !isEnded(run) && `It has not ended (${run.status}): these are its items so far, and it may start over.`,
    !isEnded(run) && next_cursor === null && `Next: ${shownCall('get_run', { run_id })}`,
    // The call repeats the list of fields, which may be too long to show.
    nextCall &&
      `Next: ${bytesOf(nextCall) <= 1_000 ? nextCall : `the same call with cursor "${next_cursor}"`}`,
    position !== null &&
      'The source has more: run the task again with the next_cursor of the last line as its position.',
    head.lines.length > 0 && `Other fields of its result come first, one per line: ${head.lines.length}.`,
    lines.length > 0 && asData(lines.join('\n')),
    head.note,
    ...page.notes,
  )
  return result(words, { from, to, total, next_cursor })
}

/** @throws {Problem} 422 with the nearest known names */
function checkFields(fields: readonly string[], columns: readonly string[]): void {
  const issues = fields.flatMap((field, i) => {
    if (columns.includes(field)) return []
    const detail = `is not a field of these items${didYouMean(field, columns)}`
    return [{ pointer: `/fields/${i}`, code: 'unknown-value', detail }]
  })
  if (issues.length > 0) throw invalid(issues)
}

/** The fields of a result beside its items, one per line, within `most` bytes; those that do not fit are named. */
function besides(
  { run_id, limit, cursor, fields }: ItemsQuery,
  { partial: _, ...others }: Item,
  most: number,
) {
  const lines: string[] = []
  const left: string[] = []
  let bytes = 0
  for (const [name, value] of Object.entries(cursor || fields ? {} : others)) {
    if (value === null) continue
    const line = JSON.stringify({ [name]: value })
    const fits = bytes + bytesOf(line) + 1 <= most
    if (fits) bytes += bytesOf(line) + 1
    ;(fits ? lines : left).push(fits ? line : name)
  }
  const more =
    limit === undefined ? `More fits with ${shownCall('get_items', { run_id, limit: 100 })}; whole` : 'Whole'
  const note = `Fields that do not fit: ${left.join(', ')}. ${more}: GET /v1/runs/${run_id}`
  return { lines, bytes, note: left.length > 0 && note }
}

/**
 * As many items as fit, one per line. An item that does not fit even alone is represented by its ids.
 *
 * @param most maximum size in bytes
 * @param noteOf the note for an item that is too large, given its index on the page
 */
function fitting(
  items: readonly Item[],
  { fields, most }: { readonly fields: readonly string[] | undefined; readonly most: number },
  noteOf: (index: number) => string,
) {
  const lines: string[] = []
  const notes: string[] = []
  let bytes = 0
  for (const item of items) {
    const whole = JSON.stringify(fields ? Object.fromEntries(fields.map((name) => [name, item[name]])) : item)
    const size = bytesOf(whole) + 1
    const isTooLarge = size > most
    const [line, note] = isTooLarge
      ? [JSON.stringify(idsOf(item)), `${size - 1} bytes: ${noteOf(lines.length)}`]
      : [whole]
    bytes += bytesOf(line) + 1 + (note ? bytesOf(note) + 1 : 0)
    if (bytes > most) break
    lines.push(line)
    if (note) notes.push(note)
  }
  return { lines, notes }
}

/** The fields that identify an item. */
const idsOf = (item: Item): Item =>
  Object.fromEntries(
    Object.entries(item)
      .filter(
        ([name, value]) =>
          /(id|url|key|name)$/i.test(name) &&
          name.length <= ID_LENGTH &&
          (typeof value === 'number' || (typeof value === 'string' && value.length <= ID_LENGTH)),
      )
      .slice(0, MOST_IDS),
  )

/** Explains how to get an item that did not fit. */
function tooLarge(
  run_id: string,
  index: number,
  cursor: string,
  isDefault: boolean,
  columns: readonly string[],
): string {
  const what = `item ${index + 1} does not fit, so only its ids are shown.`
  if (isDefault) return `${what} Alone: ${shownCall('get_items', { run_id, cursor, limit: 1 })}`
  const fields = columns.slice(0, 2)
  return `${what} In part: ${shownCall('get_items', { run_id, cursor, limit: 1, fields })}; whole: GET /v1/runs/${run_id}/items`
}
