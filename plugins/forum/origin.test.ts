/** With SOURCE_FORUM_ORIGIN, every request goes to that origin, and the URLs of items are on the public site. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runTask } from 'gleaner/plugin/testing'
import { listing, post } from './fixtures/sample.ts'
import { hot } from './ranked.ts'
import source from './source.ts'

const seen: string[] = []
const thing = '<div class="thing" data-fullname="t3_p2" data-permalink="/r/lamps/comments/p2/b/"></div>'
const server = createServer(({ url = '' }, response) => {
  seen.push(url)
  if (url.startsWith('/inside/r/lamps/hot.json?after=')) {
    response.writeHead(403).end('blocked by network security')
  } else if (url.startsWith('/inside/r/lamps/hot.json')) {
    response.end(
      JSON.stringify(
        listing([post(1, { permalink: '/r/lamps/comments/p1/a/', url: '/r/lamps/comments/p1/a/' })], 't3_p1'),
      ),
    )
  } else response.end(`<html><body><div id="siteTable">${thing}</div></body></html>`)
})
beforeAll(() => new Promise<void>((done) => void server.listen(0, '127.0.0.1', done)))
afterAll(async () => {
  const closed = new Promise((done) => void server.close(done))
  server.closeAllConnections()
  await closed
})

test('JSON and fallback pages are requested from the configured origin, and item URLs stay public', async () => {
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}/inside`
  const first = await runTask(hot, { community: 'lamps' }, { source, fetch, origin })
  const second = await runTask(hot, { community: 'lamps', after: 't3_p1' }, { source, fetch, origin })
  expect([first.error, second.error]).toEqual([null, null])
  expect(seen).toEqual([
    '/inside/r/lamps/hot.json?raw_json=1',
    '/inside/r/lamps/hot.json?after=t3_p1&count=25&raw_json=1',
    '/inside/r/lamps/hot/?after=t3_p1&count=25',
  ])
  expect([first.items[0]?.url, first.items[0]?.permalink, second.items[0]?.permalink]).toEqual([
    'https://www.reddit.com/r/lamps/comments/p1/a/',
    'https://www.reddit.com/r/lamps/comments/p1/a/',
    'https://www.reddit.com/r/lamps/comments/p2/b/',
  ])
})
