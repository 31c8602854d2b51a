/**
 * Two pages share nothing, in whatever order they come.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import type { ServerResponse } from 'node:http'
import type { Driver } from '../../src/browser/page/page.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { site, startWeb } from './web.ts'

const { web, browsers } = startWeb()

const WRITE = `(async () => {
  document.cookie = 'seen=' + NAME
  localStorage.seen = sessionStorage.seen = NAME
  const open = indexedDB.open('seen', 1)
  await new Promise((go) => { open.onupgradeneeded = () => open.result.createObjectStore(NAME); open.onsuccess = go })
  await fetch('/cached').then((r) => r.text())
  new BroadcastChannel('seen').postMessage(NAME)
})()`
const READ = `(async () => ({
  cookie: document.cookie, local: localStorage.seen ?? null, session: sessionStorage.seen ?? null,
  databases: (await indexedDB.databases()).length, cached: await fetch('/cached').then((r) => r.text()),
  heard: window.heard,
}))()`
const NOTHING = { cookie: '', local: null, session: null, databases: 0, heard: null }

const LASTING = { 'cache-control': 'max-age=3600' }
let served = 0
web.pages = {
  'www.site.example/':
    '<script>var heard = null; new BroadcastChannel("seen").onmessage = ({ data }) => { heard = data }</script>',
  'www.site.localhost/': '<title>trusted</title>',
  'www.site.localhost/worker.js': (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'text/javascript' }).end('onfetch = () => {}'),
  'www.site.example/who': (response, request) => void response.end(request.headers.cookie ?? 'nobody'),
  'www.site.example/by-cookie': (response, request) =>
    void response.writeHead(200, LASTING).end(request.headers.cookie ?? 'nobody'),
  'www.site.example/tagged': (response, request) =>
    void response.writeHead(200, { etag: '"tag"' }).end(request.headers['if-none-match'] ?? 'no tag'),
  'www.site.example/script.js': (response, request) =>
    void response
      .writeHead(200, { ...LASTING, 'content-type': 'text/javascript' })
      .end(`served = ${JSON.stringify(request.headers.cookie ?? 'nobody')}`),
  'www.site.example/shared.js': (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'text/javascript' }).end(SHARED),
  'www.site.example/cached': (response: ServerResponse) =>
    response.writeHead(200, { 'cache-control': 'max-age=3600', etag: '"1"' }).end(`served ${++served}`),
}

const openHome = async (): Promise<Driver> => {
  const page = await browsers.open({ site })
  await page.goto('/')
  return page
}
const write = (page: Driver, name: string) => page.evaluate(WRITE.replaceAll('NAME', JSON.stringify(name)))

/** Two accounts, each with a word in all that a state can hold. */
const stateOf = (word: string) => ({
  cookies: [
    {
      ...{ name: 'session', value: `${word}-cookie`, domain: 'www.site.example', path: '/', expires: -1 },
      ...{ httpOnly: true, secure: false, sameSite: 'Lax' as const },
    },
  ],
  origins: [
    {
      origin: 'http://www.site.example',
      localStorage: [{ name: 'state', value: `${word}-local` }],
      indexedDB: [
        {
          ...{ name: 'state', version: 1 },
          stores: [
            { name: 's', autoIncrement: false, indexes: [], records: [{ key: 1, value: `${word}-db` }] },
          ],
        },
      ],
    },
  ],
})
/** What the network gives: who the site takes one for, and what is served from a cache. */
const NETWORK = `(async () => {
  const text = (path) => fetch(path).then((r) => r.text())
  const script = document.head.appendChild(Object.assign(document.createElement('script'), { src: '/script.js' }))
  await new Promise((go) => { script.onload = go })
  const open = indexedDB.open('state')
  await new Promise((go) => { open.onsuccess = go })
  const got = open.result.transaction('s').objectStore('s').get(1)
  await new Promise((go) => { got.onsuccess = go })
  const worker = new SharedWorker('/shared.js')
  worker.port.postMessage(WORD)
  const shared = await new Promise((go) => { worker.port.onmessage = ({ data }) => go(data) })
  return {
    local: localStorage.state, database: got.result, who: await text('/who'), cached: await text('/by-cookie'),
    tagged: await text('/tagged'), script: window.served, shared, cookie: document.cookie,
  }
})()`
/** Tells each page that it has what all of them have said. */
const SHARED = `const all = []; onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => { all.push(data); port.postMessage(all) } }`

describe.skipIf(!hasBrowser)('of two accounts that are signed in', () => {
  const signedInAs = async (word: string): Promise<Driver> => {
    const page = await browsers.open({ site, storageState: stateOf(word) })
    await page.goto('/')
    return page
  }
  const look = (page: Driver, word: string) => page.evaluate(NETWORK.replace('WORD', JSON.stringify(word)))
  const ownOf = (word: string) => ({
    ...{ local: `${word}-local`, database: `${word}-db`, cookie: '', shared: [word] },
    who: `session=${word}-cookie`,
    cached: `session=${word}-cookie`,
    tagged: 'no tag',
    script: `session=${word}-cookie`,
  })

  test.each([
    ['ann', 'bob'],
    ['bob', 'ann'],
  ])('%s comes first, and %s sees nothing of them after it', async (first, second) => {
    for (const word of [first, second]) {
      const page = await signedInAs(word)
      expect(await look(page, word)).toEqual(ownOf(word))
      await page.close()
    }
  })

  test('neither sees anything of the other while both look, nor does a visitor', async () => {
    const pages = [await signedInAs('ann'), await signedInAs('bob')] as const
    expect(await look(pages[0], 'ann')).toEqual(ownOf('ann'))
    expect(await look(pages[1], 'bob')).toEqual(ownOf('bob'))
    const visitor = await openHome()
    expect(await visitor.evaluate("fetch('/by-cookie').then((r) => r.text())")).toBe('nobody')
    await Promise.all([...pages, visitor].map((page) => page.close()))
  })

  test('a cache of the same account is used within its page: there is something to be seen', async () => {
    const page = await signedInAs('ann')
    await look(page, 'ann')
    web.asked.length = 0
    expect(await page.evaluate("fetch('/by-cookie').then((r) => r.text())")).toBe('session=ann-cookie')
    expect(web.asked).toEqual([])
    expect(await page.evaluate("fetch('/tagged', { cache: 'no-cache' }).then((r) => r.text())")).toBe('"tag"')
    await page.close()
  })
})

describe.skipIf(!hasBrowser)('on a site that is trusted with workers', () => {
  // Names below localhost are, without a certificate.
  const trusted = { name: 'trusted', origin: 'http://www.site.localhost' }
  const kept = `(async () => ({
    workers: (await navigator.serviceWorker.getRegistrations()).map(({ active }) => active?.scriptURL ?? null),
    caches: await caches.keys(),
  }))()`
  const keep = `(async () => {
    await navigator.serviceWorker.register('/worker.js')
    await navigator.serviceWorker.ready
    await (await caches.open('kept')).put('/kept', new Response('kept'))
  })()`

  test('a service worker and a cache are gone with the page that made them, and are in no other', async () => {
    const first = await browsers.open({ site: trusted })
    await first.goto('/')
    await first.evaluate(keep)
    const there = { workers: ['http://www.site.localhost/worker.js'], caches: ['kept'] }
    expect(await first.evaluate(kept)).toEqual(there)
    for (const isBeside of [true, false]) {
      const other = await browsers.open({ site: trusted })
      await other.goto('/')
      expect(await other.evaluate(kept)).toEqual({ workers: [], caches: [] })
      await other.close()
      if (isBeside) await first.close()
    }
  })
})

describe.skipIf(!hasBrowser)('a page sees nothing of', () => {
  test('one that was open before it', async () => {
    const first = await openHome()
    await write(first, 'first')
    await first.close()
    const before = served
    const second = await openHome()
    expect(await second.evaluate(READ)).toEqual({ ...NOTHING, cached: `served ${before + 1}` })
    await second.close()
  })

  test.each([
    ['the one that was opened first', 0],
    ['the one that was opened later', 1],
  ])('another one beside it, when it is %s', async (_, reader) => {
    const pages = [await openHome(), await openHome()] as const
    await write(pages[1 - reader]!, 'other')
    const before = served
    expect(await pages[reader]!.evaluate(READ)).toEqual({ ...NOTHING, cached: `served ${before + 1}` })
    await Promise.all(pages.map((page) => page.close()))
  })

  test('nobody, but a signed-in state that it is given', async () => {
    const expires = Date.now() / 1000 + 3600
    const cookie = { name: 'session', value: 's', domain: 'www.site.example', path: '/', expires }
    const storageState = {
      cookies: [{ ...cookie, httpOnly: false, secure: false, sameSite: 'Lax' as const }],
      origins: [],
    }
    const page = await browsers.open({ site, storageState })
    await page.goto('/')
    expect(await page.evaluate('document.cookie')).toBe('session=s')
    await page.close()
    const other = await openHome()
    expect(await other.evaluate('document.cookie')).toBe('')
    await other.close()
  })
})
