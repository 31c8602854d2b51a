/**
 * Two pages share nothing, whatever their order, and neither do two people who sign in.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import type { ServerResponse } from 'node:http'
import type { Driver } from '../../src/browser/page/page.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { stack } from '../signin/browser/person.ts'
import { PAGE, startSignIns } from '../signin/browser/web.ts'
import { site } from './web.ts'

const { web, browsers, on } = startSignIns()

const WRITE = `(async () => {
  document.cookie = 'seen=1'
  localStorage.seen = sessionStorage.seen = '1'
  const open = indexedDB.open('seen', 1)
  await new Promise((go) => { open.onupgradeneeded = () => open.result.createObjectStore('s'); open.onsuccess = go })
  await fetch('/cached').then((r) => r.text())
  await navigator.serviceWorker.register('/worker.js')
  await navigator.serviceWorker.ready
  await (await caches.open('kept')).put('/kept', new Response('kept'))
  new BroadcastChannel('seen').postMessage('1')
})()`
const READ = `(async () => ({
  cookie: document.cookie, local: localStorage.seen ?? null, session: sessionStorage.seen ?? null,
  databases: (await indexedDB.databases()).length, cached: await fetch('/cached').then((r) => r.text()),
  workers: (await navigator.serviceWorker.getRegistrations()).map(({ active }) => active?.scriptURL ?? null),
  caches: await caches.keys(), heard: window.heard,
}))()`
const NOTHING = { cookie: '', local: null, session: null, databases: 0, workers: [], caches: [], heard: null }

const LASTING = { 'cache-control': 'max-age=3600' }
let served = 0
web.pages = {
  'www.site.example/': '<title>home</title>',
  'www.site.localhost/':
    '<script>var heard = null; new BroadcastChannel("seen").onmessage = ({ data }) => { heard = data }</script>',
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
  'www.site.localhost/cached': (response: ServerResponse) =>
    response.writeHead(200, { 'cache-control': 'max-age=3600', etag: '"1"' }).end(`served ${++served}`),
}

const openHome = async (): Promise<Driver> => {
  const page = await browsers.open({ site })
  await page.goto('/')
  return page
}

/** The state of an account, with its word in every kind of storage. */
const stateOf = (word: string) => ({
  cookies: [
    {
      name: 'session',
      value: `${word}-cookie`,
      domain: 'www.site.example',
      path: '/',
      expires: -1,
      httpOnly: true,
      secure: false,
      sameSite: 'Lax' as const,
    },
  ],
  origins: [
    {
      origin: 'http://www.site.example',
      localStorage: [{ name: 'state', value: `${word}-local` }],
      indexedDB: [
        {
          name: 'state',
          version: 1,
          stores: [
            { name: 's', autoIncrement: false, indexes: [], records: [{ key: 1, value: `${word}-db` }] },
          ],
        },
      ],
    },
  ],
})
/** Reads every kind of storage, the identity that the site sees, and what is served from a cache. */
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
/** A shared worker that answers each of its pages with the messages of all of them. */
const SHARED = `const all = []; onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => { all.push(data); port.postMessage(all) } }`

const SECRET = 'canary-1f7a'
/** A sign-in page: its title shows the values of the fields, and whether a script could paste. */
const FIELDS = `${stack('<input id=a>', '<input id=b>', '<button id=c>paste</button>')}<title></title><script>
  const tell = (more) => { document.title = [a.value, b.value, more].join('|') }
  oninput = () => tell('')
  c.onclick = () => {
    b.focus()
    tell(document.execCommand('paste'))
  }</script>`

describe.skipIf(!hasBrowser)('two signed-in accounts', () => {
  const signedInAs = async (word: string): Promise<Driver> => {
    const page = await browsers.open({ site, storageState: stateOf(word) })
    await page.goto('/')
    return page
  }
  const look = (page: Driver, word: string) => page.evaluate(NETWORK.replace('WORD', JSON.stringify(word)))
  const ownOf = (word: string) => ({
    local: `${word}-local`,
    database: `${word}-db`,
    cookie: '',
    shared: [word],
    who: `session=${word}-cookie`,
    cached: `session=${word}-cookie`,
    tagged: 'no tag',
    script: `session=${word}-cookie`,
  })

  test('see nothing of each other, concurrently or later, and neither does a visitor', async () => {
    const first = await signedInAs('ann')
    expect(await look(first, 'ann')).toEqual(ownOf('ann'))
    const bob = await signedInAs('bob')
    expect(await look(bob, 'bob')).toEqual(ownOf('bob'))
    // Within the account's own page the cache works: nothing is requested again.
    web.requests.length = 0
    expect(await first.evaluate("fetch('/by-cookie').then((r) => r.text())")).toBe('session=ann-cookie')
    expect(web.requests).toEqual([])
    expect(await first.evaluate("fetch('/tagged', { cache: 'no-cache' }).then((r) => r.text())")).toBe(
      '"tag"',
    )
    const visitor = await openHome()
    expect(await visitor.evaluate("fetch('/by-cookie').then((r) => r.text())")).toBe('nobody')
    await Promise.all([first, bob, visitor].map((page) => page.close()))
    const later = await signedInAs('ann')
    expect(await look(later, 'ann')).toEqual(ownOf('ann'))
    await later.close()
  })
})

describe.skipIf(!hasBrowser)('a page', () => {
  // Subdomains of localhost may use service workers and caches without a certificate.
  const trusted = { name: 'trusted', origin: 'http://www.site.localhost' }
  const openTrusted = async (): Promise<Driver> => {
    const page = await browsers.open({ site: trusted })
    await page.goto('/')
    return page
  }

  test('sees nothing of concurrent pages, whichever was opened first, nor of an earlier page', async () => {
    const [first, second, third] = [await openTrusted(), await openTrusted(), await openTrusted()]
    await second.evaluate(WRITE)
    const before = served
    expect(await second.evaluate(READ)).toEqual({
      cookie: 'seen=1',
      local: '1',
      session: '1',
      databases: 1,
      heard: '1',
      cached: `served ${before}`,
      workers: ['http://www.site.localhost/worker.js'],
      caches: ['kept'],
    })
    expect(await first.evaluate(READ)).toEqual({ ...NOTHING, cached: `served ${before + 1}` })
    expect(await third.evaluate(READ)).toEqual({ ...NOTHING, cached: `served ${before + 2}` })
    await Promise.all([first, second, third].map((page) => page.close()))
    const later = await openTrusted()
    expect(await later.evaluate(READ)).toEqual({ ...NOTHING, cached: `served ${before + 3}` })
    await later.close()
  })
})

describe.skipIf(!hasBrowser)('a person who signs in', () => {
  test('cannot paste what another person has selected or cut', async () => {
    const one = await on({ [PAGE]: FIELDS })
    one.person.click(50, 25)
    one.person.type(SECRET)
    one.person.key('a', 2, 'KeyA')
    one.person.key('x', 2, 'KeyX')
    await one.events.title('||')
    one.person.type(SECRET)
    await one.events.title(`${SECRET}||`)
    one.person.click(50, 25, 3)

    const two = await on({ [PAGE]: FIELDS })
    const middle = {
      type: 'pointer',
      pointerType: 'mouse',
      pointerId: 1,
      modifiers: 0,
      x: 50,
      y: 75,
      clicks: 1,
    }
    two.person.click(50, 75)
    two.signIn.send({ ...middle, action: 'down', button: 1, buttons: 4 })
    two.signIn.send({ ...middle, action: 'up', button: 1, buttons: 0 })
    expect(() => two.person.key('v', 2, 'KeyV')).toThrow('not understood: key')
    expect(() => two.person.key('Insert', 8, 'Insert')).toThrow('not understood: key')
    two.person.click(50, 125)
    await two.events.title('||false')
  })
})
