/**
 * Messages of a process with two runs to the service, through the real executions and rate limiter on a played process:
 * no message makes them throw or reaches the other run, the reported progress matches the schema of its event, and both
 * runs end.
 *
 * @module
 */
import { isValid } from '../../src/catalogue/check.ts'
import { EVENT_TYPES } from '../../src/domain/events.ts'
import { pageOf } from '../../src/runs/items/page.ts'
import { openResult } from '../../src/runs/items/stored.ts'
import { encodeResult } from '../../src/runs/result.ts'
import { Collected } from '../../src/worker/collected.ts'
import type { ExecutionEnd } from '../../src/worker/process/execution-end.ts'
import type { RunMessage } from '../../src/worker/process/from-child.ts'
import { playProcess } from '../../test/worker/played.ts'
import { jsonMutated } from './mutate.ts'
import type { Random } from './random.ts'
import type { Opened } from './surface.ts'
import { oddValue } from './values.ts'

const COOKIE = {
  name: 'a',
  value: 'b',
  domain: '.x.example',
  path: '/',
  secure: true,
  httpOnly: false,
  sameSite: 'Lax',
  expires: -1,
}
const ITEMS = { text: '{"id":"1"},{"id":"2"}', count: 2 }
const END = {
  type: 'completed',
  run: 1,
  hasFolder: false,
  fill: { items: 2, possible: [2, 1], filled: [2, 0] },
  cookies: [COOKIE],
  usage: { requests: 3, bytes: 900 },
  ...ITEMS,
}
const GOOD: readonly object[] = [
  { type: 'alive' },
  { run: 1, type: 'items', ...ITEMS },
  { run: 1, type: 'again', reason: 'x' },
  { run: 1, type: 'progress', done: 3, total: null, message: 'page 3' },
  { run: 1, type: 'usage', requests: 2, bytes: 700 },
  { run: 1, type: 'log', message: 'x', fields: { a: 1 } },
  { run: 1, type: 'file', id: 1, name: 'a.zip', contentType: 'application/zip' },
  { run: 1, type: 'charge', id: 2, block: 1 },
  { run: 1, type: 'acquire', id: 3, host: 'x.example' },
  { run: 1, type: 'release', id: 3, pauseMs: 5 },
  {
    run: 1,
    type: 'page',
    id: 4,
    page: 1,
    call: { method: 'open', options: { load: ['data'] }, cookies: [COOKIE] },
  },
  { run: 1, type: 'page', id: 5, page: 1, call: { method: 'goto', args: ['/a', null] } },
  { ...END, end: { status: 'succeeded', rest: '{"next_cursor":null}' } },
  { ...END, end: { status: 'failed', code: 'not-found', detail: 'x' } },
  {
    ...END,
    end: {
      status: 'failed',
      code: 'source-unavailable',
      detail: 'x',
      exitFailure: { where: 'here', reason: 'SOCKS reply 5' },
    },
  },
  { ...END, end: { status: 'errored', code: 'defect', reason: 'x' } },
  { ...END, end: { status: 'stopped' } },
  { run: 1, type: 'capture', text: '{"task":"x.y","input":{},"exchanges":[]}' },
  { type: 'crashed', reason: 'x', memory: false },
]

export async function openWire(): Promise<Opened> {
  const unhandled: unknown[] = []
  const keep = (error: unknown) => void unhandled.push(error)
  process.on('unhandledRejection', keep)
  return {
    async one(random) {
      const result = await talked(random)
      if (unhandled.length > 0) throw new Error('an unhandled rejection', { cause: unhandled.pop() })
      return result.kind === 'completed' ? result.end.status : result.cause
    },
    close: async () => void process.off('unhandledRejection', keep),
  }
}

async function talked(random: Random): Promise<ExecutionEnd> {
  const messages: RunMessage[] = []
  const ofOther: RunMessage[] = []
  const played = playProcess()
  const execution = played.begin((said) => messages.push(said))
  const other = played.begin((said) => ofOther.push(said))
  const said = Array.from({ length: 1 + random.below(6) }, () => messageOf(random))
  const size = 1 + random.below(3)
  for (let i = 0; i < said.length; i += size) {
    played.says(...said.slice(i, i + size))
    await Promise.resolve()
  }
  played.exits(1)
  const [result] = await Promise.all([execution.end, other.end])
  await checkPages(check(messages, result))
  const named = new Set(said.map((message) => (message as { readonly run?: unknown } | null)?.run))
  if (ofOther.length > 0 && !named.has(other.number)) throw new Error('a message reached another run')
  return result
}

/** A message as it is received through the pipe between the processes, which carries JSON. */
function messageOf(random: Random): unknown {
  if (random.chance(0.05)) return JSON.parse(JSON.stringify(oddValue(random)))
  const good = random.pick(GOOD)
  return random.chance(0.4) ? good : JSON.parse(JSON.stringify(jsonMutated(random, good)))
}

/** @throws when a message passed through that the rest of the service does not expect */
function check(messages: readonly RunMessage[], result: ExecutionEnd): Collected {
  const collected = new Collected()
  for (const said of messages) {
    if (said.type === 'items') collected.add(said)
    if (said.type !== 'progress') continue
    const { done, total, message } = said
    const renewed = {
      run_id: 'run_1',
      attempt: 1,
      done,
      total,
      message,
      lease_until: new Date(0).toISOString(),
    }
    if (!isValid(EVENT_TYPES.RunProgressed.schema, renewed))
      throw new Error(`progress that does not match its event's schema: ${JSON.stringify(said)}`)
  }
  if (result.kind === 'completed') collected.add(result)
  collected.result(false, null, undefined)
  if (!Number.isSafeInteger(collected.count)) throw new Error(`${collected.count} items`)
  return collected
}

/** @throws when the stored items of a process that lies have no last page, or change what is stored beside them */
async function checkPages({ batches, count: total }: Collected): Promise<void> {
  const body = encodeResult({ detail: null, files: [] }, { items: batches, rest: '{"next_cursor":"x"}' })
  const open = async () => undefined
  const stored = await openResult({ get: async () => body, open }, { ref: 'run_1', bytes: body.length })
  if ((await stored?.rest())?.next_cursor !== 'x') throw new Error('items changed the fields beside them')
  for (let from = 0; ; ) {
    const { items, next } = await pageOf({ ...stored!.items, total, isFinal: true }, from, 2)
    if (items.length > 2) throw new Error(`a page of ${items.length} items`)
    if (next === null) return
    if (next <= from) throw new Error(`the page after ${from} begins at ${next}`)
    from = next
  }
}
