/** With SOURCE_FORUM_ORIGIN, every request goes to that origin, and the URLs of items are on the public site. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runTask } from 'gleaner/plugin/testing'
import { listing, post } from './fixtures/sample.ts'
import { hot } from './ranked.ts'
import source from './source.ts'

const urls: string[] = []
const path = '/r/lamps/comments/p1/a/'
/** A mirror that knows JSON and tokens, and no parts. */
const server = createServer(({ url = '' }, response) => {
  urls.push(url)
  if (url.startsWith('/inside/svc/')) response.writeHead(404).end('no such page')
  else if (url === '/inside/api/v1/access_token') response.end('{"access_token":"tok"}')
  else response.end(JSON.stringify(listing([post(1, { permalink: path, url: path })])))
})
beforeAll(() => new Promise<void>((done) => void server.listen(0, '127.0.0.1', done)))
afterAll(async () => {
  const closed = new Promise((done) => void server.close(done))
  server.closeAllConnections()
  await closed
})

async function urlsOf(options: object): Promise<string[]> {
  urls.length = 0
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}/inside`
  const { error, items } = await runTask(hot, { community: 'lamps' }, { source, fetch, origin, ...options })
  const url = `https://www.reddit.com${path}`
  expect([error, items[0]]).toMatchObject([null, { url, permalink: url }])
  return urls
}

test('parts and JSON are requested from the configured origin, and item URLs stay public', async () => {
  expect(await urlsOf({})).toEqual([
    '/inside/svc/shreddit/community-more-posts/hot/?name=lamps&feedLength=25',
    '/inside/r/lamps/hot.json?raw_json=1',
  ])
})

test('the token and the API’s JSON too', async () => {
  expect(await urlsOf({ credentials: { OAUTH_CLIENT_ID: 'a', OAUTH_CLIENT_SECRET: 'b' } })).toEqual([
    '/inside/api/v1/access_token',
    '/inside/r/lamps/hot?raw_json=1',
  ])
})
