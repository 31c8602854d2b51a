import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { hasBrowser, readCassette, runTask } from '../../src/plugin/testing.ts'
import { type CommandLine, commandLine } from './command-line.ts'
import source from './plugins/shop/source.ts'
import { CREDENTIALS, PHOTO, startShop } from './shop.ts'

const folder = temporaryFolder()
let line: CommandLine
let shop: Awaited<ReturnType<typeof startShop>>
beforeAll(async () => {
  line = await commandLine()
  shop = await startShop()
})
afterAll(async () => {
  line.remove()
  await shop.stop()
})

let files = 0
/** Records a run of the shop to a new file. */
async function record(task: string, input: object, ...words: string[]) {
  const file = join(folder, `${++files}.json`)
  const env = { PLUGINS_DIR: join(import.meta.dirname, 'plugins'), SOURCE_SHOP_ORIGIN: shop.origin }
  const ran = await line.gleaner(['record', task, JSON.stringify(input), '--to', file, ...words], { env })
  return { ...ran, file, env }
}

const replay = (file: string) => {
  const { task, input, exchanges } = readCassette(pathToFileURL(file))
  return runTask(source.tasks.find(({ key }) => key === task)!, input, { source, exchanges })
}

describe('a recorded run', () => {
  test('replays with the same items, although its cassette holds no credential', async () => {
    const { code, out, err, file } = await record('shop.search', { query: 'lamp' }, '--json')
    expect(code).toBe(0)
    const text = readFileSync(file, 'utf8')
    for (const credential of Object.values(CREDENTIALS)) expect(text).not.toContain(credential)
    const { items, rest, error } = await replay(file)
    expect(error).toBeNull()
    const live = out
      .replace(CREDENTIALS.mail, 'REDACTED')
      .trimEnd()
      .split('\n')
      .map((item) => JSON.parse(item))
    expect(items).toEqual(live)
    expect(items[0]?.id).toBe('7603296357641735445')
    expect(rest.next_cursor).toBeNull()
    expect(err).toContain('Replayed, it gives 3 items, 2 of them the same: check the replaced values\n')
  })

  test('reports the replaced values, and how a test replays it', async () => {
    const { err, file } = await record('shop.search', { query: 'lamp' })
    const names = /^Replaced by REDACTED or left out: (.*)\.$/m.exec(err)?.[1]?.split(', ')
    expect(names?.map((what) => what.replace(/ \(\d+\)/, '')).sort()).toEqual([
      'apiKey',
      'cookie',
      'csrf-token',
      'csrf_token',
      'e-mail address',
    ])
    expect(err).toContain(`${file}: 4 exchanges\n`)
    expect(err).toMatch(/readCassette\(new URL\('\S+\.json', import\.meta\.url\)\)/)
    expect(err).toContain(`key === 'shop.search'`)
  })

  test('is stored readably: addresses as paths, JSON as JSON, and only the relevant headers', async () => {
    const { file } = await record('shop.search', { query: 'lamp' })
    const { task, input, note, exchanges } = readCassette(pathToFileURL(file))
    expect([task, input]).toEqual(['shop.search', { query: 'lamp' }])
    expect(note).toMatch(/^Recorded on \d{4}-\d\d-\d\d\. Replaced by REDACTED/)
    expect(exchanges.map(({ request }) => request)).toEqual([
      'GET /',
      ...Array(3).fill('POST /api/search?key=REDACTED'),
    ])
    expect(exchanges[0]?.headers).toEqual({ 'content-type': 'text/html; charset=utf-8' })
    // JSON would lose digits of its id.
    expect(exchanges[1]).toMatchObject({ sent: { query: 'lamp', page: 1, csrf_token: 'REDACTED' } })
    expect(exchanges[1]?.body).toContain('7603296357641735445')
    expect(exchanges[2]).toEqual({
      request: 'POST /api/search?key=REDACTED',
      sent: { query: 'lamp', page: 2, csrf_token: 'REDACTED' },
      headers: { 'x-total-count': '3' },
      json: { wares: [{ id: '3', title: 'Floor lamp, é', seller: null }], next: 3 },
    })
  })

  test('keeps redirects with their public address, and texts of any charset', async () => {
    const { code, err, file } = await record('shop.read', { path: '/moved' })
    expect(code).toBe(0)
    expect(err).toContain('Replayed, it gives the same: 1 item\n')
    const { exchanges } = readCassette(pathToFileURL(file))
    expect(exchanges[0]).toEqual({
      request: 'GET /moved',
      status: 302,
      headers: { location: 'https://shop.example/latin' },
    })
    expect(exchanges[1]?.body).toBe('<p>äöü</p>')
    expect((await replay(file)).items).toEqual([{ text: '<p>äöü</p>' }])
  })

  test('keeps the beginning of large media, and reports it', async () => {
    const { err, file } = await record('shop.read', { path: '/photo.jpg', as: 'file' })
    expect(err).toContain(`Only the first 262144 of ${PHOTO.length} bytes of /photo.jpg are kept.\n`)
    const { files } = await replay(file)
    expect(Buffer.from(files[0]!.bytes).equals(PHOTO.subarray(0, 262_144))).toBe(true)
  })

  test.skipIf(!hasBrowser)(
    'keeps the answers that a page in a browser has loaded',
    async () => {
      const { code, out, err, file } = await record('shop.front', {}, '--json')
      expect([code, out]).toEqual([0, '{"text":"Desk lamp"}\n{"text":"Floor lamp"}\n'])
      expect(err).toContain('Replayed, it gives the same: 2 items\n')
      expect(err).toMatch(/^GET https:\/\/shop\.example\/front {2}200 {2}\d+ B {2}\d+ ms$/m)
      const text = readFileSync(file, 'utf8')
      for (const credential of [CREDENTIALS.session, CREDENTIALS.apiKey])
        expect(text).not.toContain(credential)
      const { exchanges } = readCassette(pathToFileURL(file))
      expect(exchanges.map(({ request }) => request)).toEqual(['GET /front', 'GET /api/window?key=REDACTED'])
      const { items } = await replay(file)
      expect(items).toEqual([{ text: 'Desk lamp' }, { text: 'Floor lamp' }])
    },
    60_000,
  )

  test('is kept when it failed, and replays as the same failure', async () => {
    const { code, err, file } = await record('shop.read', { path: '/gone' })
    expect(code).toBe(1)
    expect(err).toContain('failed: not-found: the source responded with 404')
    expect((await replay(file)).error?.code).toBe('not-found')
  })
})

describe('record writes nothing', () => {
  test('over an existing file without --force, and checks that before the first request', async () => {
    const { file, env } = await record('shop.read', { path: '/latin' })
    writeFileSync(file, 'mine')
    const words = ['record', 'shop.read', '{"path": "/latin"}', '--to', file]
    const refused = await line.gleaner(words, { env })
    expect([refused.code, readFileSync(file, 'utf8')]).toEqual([1, 'mine'])
    expect(refused.err).toContain(`${file} already exists`)
    expect(refused.err).not.toContain('GET')
    expect((await line.gleaner([...words, '--force'], { env })).code).toBe(0)
    expect(readCassette(pathToFileURL(file)).exchanges).toHaveLength(1)
  })

  test('for a run without any answer', async () => {
    const { code, err, file } = await record('shop.read', { path: '/drops' })
    expect(code).toBe(1)
    expect(err).toContain('no request was answered: nothing was written')
    expect(existsSync(file)).toBe(false)
  })

  test('for a run that was stopped', async () => {
    const stop = new AbortController()
    const file = join(folder, 'stopped.json')
    const env = { PLUGINS_DIR: join(import.meta.dirname, 'plugins'), SOURCE_SHOP_ORIGIN: shop.origin }
    const { code, err } = await line.gleaner(['record', 'shop.endless', '{"heeds": true}', '--to', file], {
      env,
      signal: stop.signal,
      hear: (text) => text.startsWith('GET') && stop.abort(),
    })
    expect(code).toBe(1)
    expect(err).toContain('the run was stopped before its end: nothing was written')
    expect(existsSync(file)).toBe(false)
  })
})
