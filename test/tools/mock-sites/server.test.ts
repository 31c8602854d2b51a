import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { loadCatalogue } from '../../../src/catalogue/catalogue.ts'
import type { Exchange } from '../../../src/plugin/testing.ts'
import { cassettesOf } from '../../../tools/mock-sites/cassettes.ts'
import { matcherOf } from '../../../tools/mock-sites/matching.ts'
import { type MockSites, startMockSites } from '../../../tools/mock-sites/server.ts'

const folder = temporaryFolder()

describe('the most specific of all matching exchanges answers a request', () => {
  const exchanges: Exchange[] = [
    { request: '/search', body: 'any' },
    { request: 'GET /search?page=2', body: 'page 2' },
    { request: '/search?page=2&sort=new', body: 'newest, page 2' },
    { request: 'https://api.shop.example/search?page=2&sort=old', body: 'of another host' },
    { request: '/r/*/*', body: 'two wildcards' },
    { request: '/r/*/hot', body: 'one wildcard' },
    { request: '/r/lamps/hot', body: 'none' },
    { request: '/r/lamps/hot', body: 'the second of equals' },
    { request: 'POST /browse', body: 'any body' },
    { request: 'POST /browse', sent: { page: 2 }, body: 'its body' },
    { request: 'https://shop.example', body: 'home' },
  ]
  const choose = matcherOf(exchanges)
  const requests: [string, string, string, string?][] = [
    ['GET', '/search?q=x', 'any'],
    ['GET', '/search?q=x&page=2', 'page 2'],
    ['GET', '/search?sort=new&page=2&q=x', 'newest, page 2'],
    ['GET', '/search?sort=old&page=2', 'of another host'],
    ['GET', '/r/a/b', 'two wildcards'],
    ['GET', '/r/a/hot', 'one wildcard'],
    ['GET', '/r/lamps/hot', 'none'],
    ['POST', '/browse', 'any body', '{"page": 1}'],
    ['POST', '/browse', 'its body', '{"page": 2}'],
    ['GET', '/', 'home'],
  ]
  test.each(requests)('%s %s: %s', (method, path, body, sent = '') => {
    expect(choose({ method, path, body: sent })?.body).toBe(body)
    expect(choose({ method, path, body: sent })?.body).toBe(body)
  })

  test.each([
    ['POST', '/search'],
    ['GET', '/r/a'],
    ['GET', '/browse'],
  ])('%s %s: none', (method, path) => {
    expect(choose({ method, path, body: '' })).toBeUndefined()
  })

  test('matcherOf refuses an exchange with an invalid address', () => {
    expect(() => matcherOf([{ request: 'GET a b' }])).toThrow('exchange "GET a b" must be a method and a URL')
  })
})

describe('the mock sites', () => {
  const log: string[] = []
  let web: MockSites
  beforeAll(async () => {
    web = await startMockSites({
      log: (line) => log.push(line),
      families: new Map<string, Exchange[]>([
        [
          'shop',
          [
            { request: '/lamps?q=*', json: { lamps: ['é'] } },
            { request: '/lamps', json: { lamps: [] } },
            { request: '/moved', status: 302, headers: { location: 'https://shop.example/lamps' } },
            { request: '/photo', base64: 'AAEC/w==', headers: { 'content-type': 'image/png' } },
            { request: 'POST /echo', sent: { n: 1 }, status: 201, body: 'one' },
          ],
        ],
        ['forum', [{ request: '/', body: 'forum' }]],
      ]),
    })
  })
  afterAll(() => web.stop())
  const ask = (family: string, path: string, init?: RequestInit) =>
    fetch(web.originOf(family) + path, { redirect: 'manual', ...init })

  test('answer below the name of a family with the status, headers and body of the exchange, repeatedly', async () => {
    for (let i = 0; i < 3; i++) expect(await (await ask('shop', '/lamps')).json()).toEqual({ lamps: [] })
    expect(await (await ask('forum', '/')).text()).toBe('forum')
    expect(await (await ask('forum', '')).text()).toBe('forum')
    const moved = await ask('shop', '/moved')
    expect([moved.status, moved.headers.get('location')]).toEqual([302, 'https://shop.example/lamps'])
    const photo = await ask('shop', '/photo')
    expect(photo.headers.get('content-type')).toBe('image/png')
    expect(new Uint8Array(await photo.arrayBuffer())).toEqual(new Uint8Array([0, 1, 2, 255]))
    const echo = await ask('shop', '/echo', { method: 'POST', body: '{"n":1}' })
    expect([echo.status, await echo.text()]).toEqual([201, 'one'])
  })

  test('list the available exchanges when none matches, and log a line', async () => {
    log.length = 0
    const missing = await ask('shop', '/chairs?q=x')
    expect(missing.status).toBe(404)
    expect(await missing.text()).toContain('for shop:\n  /lamps?q=*\n  /lamps\n')
    const stranger = await ask('library', '/books')
    expect([stranger.status, await stranger.text()]).toEqual([
      404,
      'No exchange matches this request. Available here:\n  /shop/\n  /forum/\n',
    ])
    expect(log).toEqual([
      'no exchange matches GET /shop/chairs?q=x',
      'no exchange matches GET /library/books',
    ])
  })
})

describe('the cassettes of plugins', () => {
  const catalogueWith = async (name: string, cassettes: Record<string, unknown>) => {
    const plugin = join(folder, name, 'lamps')
    mkdirSync(join(plugin, 'fixtures', 'failures'), { recursive: true })
    writeFileSync(
      join(plugin, 'source.ts'),
      `import { defineSource, defineTask, Query, Type } from 'gleaner/plugin'
       const search = defineTask({
         key: 'lamps.search', path: '/v1/lamps/search', title: 'Lamps', description: 'Lamps.', price: 1,
         input: Type.Object({ query: Query() }), item: Type.Object({}), example: { query: 'x' },
         async *run() { return undefined },
       })
       export default defineSource({ name: 'lamps', title: 'Lamps', origin: 'https://lamps.example', tasks: [search] })`,
    )
    for (const [file, cassette] of Object.entries(cassettes))
      writeFileSync(join(plugin, 'fixtures', file), JSON.stringify(cassette))
    return loadCatalogue({ folders: [], config: { pluginsDir: join(folder, name), runLimitS: 300 } })
  }
  const cassette = { task: 'lamps.search', input: { query: 'x' }, exchanges: [{ request: '/' }] }

  test('are the files of fixtures/ in order of name, without the failures', async () => {
    const catalogue = await catalogueWith('all', {
      'b.json': cassette,
      'a ä.json': cassette,
      'failures/c.json': cassette,
      'notes.md': 'none',
    })
    const cassettes = cassettesOf(catalogue)
    expect(
      cassettes.map(({ task, file }) => [task.key, decodeURIComponent(file.pathname).split('/').at(-1)]),
    ).toEqual([
      ['lamps.search', 'a ä.json'],
      ['lamps.search', 'b.json'],
    ])
  })

  test('are refused with their file name when the source does not have their task', async () => {
    const catalogue = await catalogueWith('strange', { 'a.json': { ...cassette, task: 'chairs.search' } })
    expect(() => cassettesOf(catalogue)).toThrow('/fixtures/a.json: its source has no task chairs.search')
  })

  test('are refused with their file name when they are invalid', async () => {
    const catalogue = await catalogueWith('broken', { 'a.json': { task: 'lamps.search' } })
    expect(() => cassettesOf(catalogue)).toThrow('/fixtures/a.json is not a cassette: /input is required')
  })
})
