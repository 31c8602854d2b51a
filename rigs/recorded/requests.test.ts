import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { startMockSites } from '../../tools/mock-sites/server.ts'
import { recordedIn } from './recordings.ts'
import { recordedExchanges } from './requests.ts'

const sources = new URL('../../../shared/sources/', import.meta.url)
const indexed = readdirSync(sources).filter((family) =>
  existsSync(new URL(`${family}/recorded/INDEX.json`, sources)),
)

test('some folders list their requests in an INDEX.json', () => {
  expect(indexed.length).toBeGreaterThan(0)
})

describe('the mock sites answer a recorded request with the recorded answer', () => {
  test.each(indexed)('%s', async (family) => {
    const recordings = recordedIn(new URL(`${family}/recorded/`, sources))
    const recorded = recordedExchanges(recordings)
    expect(recorded.length).toBeGreaterThan(0)
    const web = await startMockSites({
      families: new Map([[family, recorded.map(({ exchange }) => exchange)]]),
    })
    try {
      for (const { exchange } of recorded) {
        const [method = '', address = ''] = exchange.request.split(' ')
        const { pathname, search } = new URL(address)
        const answer = await fetch(web.originOf(family) + pathname.replaceAll('*', 'anything') + search, {
          method,
          redirect: 'manual',
          ...(exchange.sent === undefined ? {} : { body: JSON.stringify(exchange.sent) }),
        })
        // Several answers may be recorded for one address: any of them is accepted.
        const same = recorded.filter((one) => one.exchange.request === exchange.request)
        const bytes = new Uint8Array(await answer.arrayBuffer())
        const fitting = same.filter(({ file }) => Buffer.from(recordings.bytes(file)).equals(bytes))
        expect([exchange.request, fitting.length]).not.toEqual([exchange.request, 0])
        expect(fitting.map(({ exchange: { status } }) => status)).toContain(answer.status)
      }
    } finally {
      await web.stop()
    }
  })
})
