/**
 * Every task that makes several requests, with good answers to the first ones and then a bad one: a bad later answer is
 * never mistaken for the end of the data.
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
 * Replays the first `good` answers of a cassette, then answers all requests but those for media files with another
 * answer. A missing media file is reported in the result and does not end a run.
 */
async function played(
  { source, task, cassette }: (typeof cassettes)[number],
  good: number,
  then: () => Response,
) {
  const send = replay(cassette.exchanges, source.origin)
  const counts = { asked: 0, others: 0 }
  const fetch = async (request: Request) => {
    const own = await send(request).catch((error) => {
      // A bad answer may be followed by a request that is not in the cassette.
      if (error instanceof NoExchange && counts.others > 0) return undefined
      throw error
    })
    if (own && (counts.asked++ < good || mayFail(own))) return own
    counts.others++
    return then()
  }
  const { input, signedIn = task.needs?.login === true } = cassette
  return { ...(await runTask(task, input, { source, fetch, signedIn })), counts }
}

/** A media file, or an error that is in the cassette too. */
const mayFail = ({ ok, headers }: Response): boolean =>
  !ok || /^(?:image|video)\//.test(headers.get('content-type') ?? '')

describe.each(Object.entries(ANSWERS))('%s as a later answer fails a run', (_, answer) => {
  test.each(cassettes.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    const whole = await played(one, Number.POSITIVE_INFINITY, answer)
    expect(whole.error).toBeNull()
    for (let good = 1; good < whole.requests.length; good++) {
      const { error, items, rest, counts } = await played(one, good, answer)
      if (counts.others === 0) continue
      const wrong = CODES.includes(error?.code ?? '') ? undefined : (error?.code ?? 'succeeded')
      expect({ good, wrong }).toEqual({ good, wrong: undefined })
      expect(rest.partial).toBe(true)
      expect(whole.items.slice(0, items.length)).toEqual([...items])
    }
  })
})
