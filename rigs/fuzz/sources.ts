/**
 * Answers of sources: mutated recordings of every task that needs no browser. Each run ends with items that match the
 * schema or with a named failure.
 *
 * @module
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PLUGINS } from '../../src/catalogue/catalogue.ts'
import { TryAgain } from '../../src/plugin/errors.ts'
import { answerOf, type Exchange, replay } from '../../src/plugin/testing/exchanges.ts'
import { type Cassette, NoExchange, readCassette, runTask } from '../../src/plugin/testing.ts'
import type { Source, Task } from '../../src/plugin.ts'
import { readSources } from '../../test/sources/evidence.ts'
import { bytesMutated, jsonMutated, textMutated } from './mutate.ts'
import type { Random } from './random.ts'
import type { Opened } from './surface.ts'
import { oddText } from './values.ts'

type Recording = {
  readonly source: Source
  readonly task: Task
  readonly cassette: Cassette
  readonly name: string
}

/** More requests than any recording needs: a run that makes more is taken for endless. */
const MOST_REQUESTS = 300
const STATUSES = [200, 204, 206, 301, 302, 304, 400, 401, 403, 404, 410, 418, 429, 451, 500, 503, 520]
const TYPES = [
  'text/html',
  'application/json',
  'text/plain',
  'image/jpeg',
  'application/json; charset=utf-16le',
  'x',
]

export async function openSources(): Promise<Opened> {
  const recordings = (await readSources()).flatMap(({ source }) => recordingsOf(source))
  return { one: (random) => played(random, random.pick(recordings)) }
}

function recordingsOf(source: Source): Recording[] {
  const folder = join(PLUGINS, source.name, 'fixtures')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({
      name: `${source.name}/${name}`,
      cassette: readCassette(pathToFileURL(join(folder, name))),
    }))
    .map((one) => ({ ...one, source, task: source.tasks.find(({ key }) => key === one.cassette.task)! }))
    .filter(({ task }) => !task.needs?.browser)
}

async function played(random: Random, { source, task, cassette, name }: Recording): Promise<string> {
  const which = random.below(cassette.exchanges.length)
  const isMutated = (i: number) => i === which || random.chance(0.1)
  const exchanges = cassette.exchanges.map((exchange, i) =>
    isMutated(i) ? mutated(random, exchange) : exchange,
  )
  const send = replay(exchanges, source.origin)
  const spare = random.pick(exchanges)
  let requests = 0
  const fetch = async (request: Request): Promise<Response> => {
    if (++requests > MOST_REQUESTS) throw new Error(`${name}: more than ${MOST_REQUESTS} requests`)
    try {
      return await send(request)
    } catch (error) {
      // A mutated answer may lead to a request without a recording.
      if (!(error instanceof NoExchange)) throw error
      return random.chance(0.5) ? new Response('', { status: 404 }) : answerOf(spare)
    }
  }
  const { input, signedIn = task.needs?.login === true } = cassette
  let outcome = 'try again'
  try {
    const { issues, error, items } = await runTask(task, input, { source, fetch, signedIn })
    if (issues.length > 0) throw new Error(`${name}: its input was refused`)
    outcome = error?.code ?? (items.length > 0 ? 'items' : 'no items')
  } catch (error) {
    // The service starts such a run over, and finally ends it as failed.
    if (!(error instanceof TryAgain))
      throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
  }
  if (requests > MOST_REQUESTS) throw new Error(`${name}: it made ${requests} requests`)
  return outcome
}

/** A mutation of the answer. The request stays unchanged. */
function mutated(random: Random, exchange: Exchange): Exchange {
  const kind = random.below(20)
  if (kind === 0) return { ...exchange, status: random.pick(STATUSES.filter(hasBody)) }
  if (kind === 1) return { ...exchange, headers: { ...exchange.headers, 'content-type': random.pick(TYPES) } }
  if (kind === 2) return { ...exchange, headers: { ...exchange.headers, ...oddHeaders(random) } }
  const { json, body, base64, ...rest } = exchange
  if (json !== undefined) {
    if (random.chance(0.9)) return { ...rest, json: jsonMutated(random, json) }
    const type = { 'content-type': 'application/json', ...rest.headers }
    return { ...rest, headers: type, body: textMutated(random, JSON.stringify(json)) }
  }
  if (base64 !== undefined) {
    const bytes = bytesMutated(random, Buffer.from(base64, 'base64'))
    return { ...rest, base64: Buffer.from(bytes).toString('base64') }
  }
  if (body instanceof Uint8Array) return { ...rest, body: bytesMutated(random, body) }
  return { ...rest, body: bodyMutated(random, body ?? '') }
}

/** Whether an answer with this status may have a body. */
const hasBody = (status: number): boolean => ![204, 304].includes(status)

function bodyMutated(random: Random, body: string): string {
  if (random.chance(0.7)) {
    try {
      return JSON.stringify(jsonMutated(random, JSON.parse(body))) ?? ''
    } catch {
      // Not JSON.
    }
  }
  return textMutated(random, body)
}

function oddHeaders(random: Random): Record<string, string> {
  const value = oddText(random)
    .replace(/[^\x20-\x7e]/g, '')
    .trim()
  const name = random.pick([
    'location',
    'set-cookie',
    'retry-after',
    'content-length',
    'content-encoding',
    'link',
  ])
  return { [name]: value }
}
