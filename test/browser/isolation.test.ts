/**
 * Two pages share nothing, in whatever order they come.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import type { ServerResponse } from 'node:http'
import type { Driver } from '../../src/browser/page.ts'
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

let served = 0
web.pages = {
  'www.site.example/':
    '<script>var heard = null; new BroadcastChannel("seen").onmessage = ({ data }) => { heard = data }</script>',
  'www.site.example/cached': (response: ServerResponse) =>
    response.writeHead(200, { 'cache-control': 'max-age=3600', etag: '"1"' }).end(`served ${++served}`),
}

const openHome = async (): Promise<Driver> => {
  const page = await browsers.open({ site })
  await page.goto('/')
  return page
}
const write = (page: Driver, name: string) => page.evaluate(WRITE.replaceAll('NAME', JSON.stringify(name)))

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
