/** With which headers the images of sources are fetched that are read as by a browser. */
import { expect, test } from 'bun:test'
import { Images } from '../../src/images/images.ts'
import { RateLimiter } from '../../src/net/rate-limiter.ts'
import { BROWSER, defineSource } from '../../src/plugin.ts'

test('an image is asked for as by a script, not in all formats of a document', async () => {
  const asked: Request[] = []
  const images = new Images({
    config: { sourceOrigins: new Map(), contact: null },
    exits: { forRun: async () => null, ended: async () => {} },
    rateLimiter: new RateLimiter(),
    now: () => 1e12,
    async transport(request) {
      asked.push(request)
      return new Response(null, { status: 404 })
    },
  })
  const shared = {
    title: 'Lamps',
    origin: 'https://www.lamps.example',
    imageHosts: ['a.lampcdn.example'],
    tasks: [],
  }
  const url = 'https://a.lampcdn.example/7.jpg'
  await images.of(defineSource({ ...shared, name: 'lamps', userAgent: BROWSER }), url, 'acc_1')
  await images.of(defineSource({ ...shared, name: 'desks' }), url, 'acc_1')
  const seen = asked.map(({ headers }) => ['accept', 'sec-fetch-site'].map((name) => headers.get(name)))
  expect(seen).toEqual([
    ['*/*', 'cross-site'],
    [null, null],
  ])
})
