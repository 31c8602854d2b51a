/**
 * Every task that makes several requests, with a good answer to the first ones and then something else: what follows a
 * page is never mistaken for its end.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PLUGINS } from '../../src/catalogue/catalogue.ts'
import { replay } from '../../src/plugin/testing/exchanges.ts'
import { NoExchange, readCassette, runTask } from '../../src/plugin/testing.ts'
import { readSources } from './evidence.ts'

const ANSWERS: Record<string, () => Response> = {
  nothing: () => new Response(''),
  'broken JSON': () => new Response('{"data": [', { headers: { 'content-type': 'application/json' } }),
  'an empty object': () => new Response('{}', { headers: { 'content-type': 'application/json' } }),
  'a captcha page': () =>
    new Response('<html><title>Attention Required!</title><body>Please solve this captcha.</body></html>', {
      headers: { 'content-type': 'text/html' },
    }),
}
const CODES = ['source-changed', 'source-blocked', 'source-unavailable', 'source-rate-limited']

const sources = await readSources()
const cassettes = sources.flatMap(({ source }) => {
  const folder = join(PLUGINS, source.name, 'fixtures')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => ({
      name: `${source.name}/${name}`,
      source,
      cassette: readCassette(pathToFileURL(join(folder, name))),
    }))
    .map((one) => ({ ...one, task: one.source.tasks.find(({ key }) => key === one.cassette.task)! }))
    .filter(({ task }) => !task.needs?.browser)
})

/**
 * Plays a cassette as far as its first `good` answers, then gives another one to all requests but those for media
 * files: a file that can't be had is told in the result, and ends no run.
 */
async function played(
  { source, task, cassette }: (typeof cassettes)[number],
  good: number,
  then: () => Response,
) {
  const send = replay(cassette.exchanges, source.origin)
  const seen = { asked: 0, others: 0 }
  const fetch = async (request: Request) => {
    const own = await send(request).catch((error) => {
      // What follows a strange answer may be a request that nobody foresaw.
      if (error instanceof NoExchange && seen.others > 0) return undefined
      throw error
    })
    if (own && (seen.asked++ < good || mayFail(own))) return own
    seen.others++
    return then()
  }
  const { input, signedIn = task.needs?.login === true } = cassette
  return { ...(await runTask(task, input, { source, fetch, signedIn })), seen }
}

/** A media file, or what is not there in the cassette either. */
const mayFail = ({ ok, headers }: Response): boolean =>
  !ok || /^(?:image|video)\//.test(headers.get('content-type') ?? '')

describe.each(Object.entries(ANSWERS))('%s in place of a later answer', (_, answer) => {
  test.each(cassettes.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    const whole = await played(one, Number.POSITIVE_INFINITY, answer)
    expect(whole.error).toBeNull()
    for (let good = 1; good < whole.requests.length; good++) {
      const { error, items, rest, seen } = await played(one, good, answer)
      if (seen.others === 0) continue
      const wrong = CODES.includes(error?.code ?? '') ? undefined : (error?.code ?? 'succeeded')
      expect({ good, wrong }).toEqual({ good, wrong: undefined })
      expect(rest.partial).toBe(true)
      expect(whole.items.slice(0, items.length)).toEqual([...items])
    }
  })
})
