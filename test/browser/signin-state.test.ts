/**
 * A signed-in state is whole: what a site has kept comes back in another page, by whatever way it goes to the site, and
 * what has changed by then is saved again.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { Browsers } from '../../src/browser/browsers.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { executable, site, startWeb } from './web.ts'

const { web, browsers } = startWeb()
web.pages = {
  '*/': '<title>x</title>',
  '*/again': (response) => response.writeHead(200, { 'set-cookie': 'session=2; HttpOnly' }).end('again'),
  '*/in': (response) =>
    response
      .writeHead(302, { location: '/', 'set-cookie': ['session=1; HttpOnly; Max-Age=1000', 'seen=1'] })
      .end(),
  '*/who': (response, request) => response.end(request.headers.cookie ?? 'nobody'),
}

const WRITE = `(async () => {
  localStorage.kept = 'local'
  const open = indexedDB.open('kept', 3)
  await new Promise((go) => { open.onupgradeneeded = () => open.result.createObjectStore('s'); open.onsuccess = go })
  const store = open.result.transaction('s', 'readwrite').objectStore('s')
  await new Promise((go) => { store.put({ at: new Date(5), list: [1] }, 'k').onsuccess = go })
})()`
const READ = `(async () => {
  const open = indexedDB.open('kept')
  await new Promise((go) => { open.onsuccess = go })
  if (!open.result.objectStoreNames.contains('s')) return 'no store'
  const asked = open.result.transaction('s').objectStore('s').get('k')
  await new Promise((go) => { asked.onsuccess = go })
  const { at, list } = asked.result
  return [localStorage.kept, open.result.version, at.getTime(), list, await fetch('/who').then((r) => r.text())]
})()`

describe.skipIf(!hasBrowser)('a state', () => {
  test.each(['through its proxy', 'on a replaced origin'])('is kept and restored %s', async (way) => {
    const replaced = way === 'on a replaced origin'
    const own = replaced
      ? new Browsers({
          executable: () => executable,
          origins: { site: `http://127.0.0.1:${web.port}` },
          proxyUrl: null,
          most: 4,
          onFailure: () => {},
        })
      : browsers
    const first = await own.open({ site })
    await first.goto('/in')
    await first.evaluate(WRITE)
    const state = await first.state()
    await first.close()

    web.asked.length = 0
    const second = await own.open({ site, storageState: JSON.parse(state) })
    // Restoring it asks nobody.
    expect(web.asked).toEqual([])
    await second.goto('/')
    expect(await second.evaluate(READ)).toEqual(['local', 3, 5, [1], 'session=1; seen=1'])
    await second.goto('/again')
    await second.evaluate("localStorage.kept = 'more'")
    const rotated = JSON.parse(await second.state())
    expect(rotated.cookies.find(({ name }: { name: string }) => name === 'session').value).toBe('2')
    expect(rotated.origins).toHaveLength(1)
    expect(rotated.origins[0].localStorage).toEqual([{ name: 'kept', value: 'more' }])
    expect(rotated.origins[0].indexedDB).toEqual(JSON.parse(state).origins[0].indexedDB)
    await second.close()

    const other = await own.open({ site })
    await other.goto('/who')
    expect(await other.evaluate('document.body.innerText')).toBe('nobody')
    await other.close()
    if (replaced) await own.stop()
  })

  test('with what can’t be written down goes without its databases', async () => {
    const page = await browsers.open({ site })
    await page.goto('/in')
    await page.evaluate(WRITE.replace("'k'", '[new ArrayBuffer(4)]'))
    const { cookies, origins } = JSON.parse(await page.state())
    expect(cookies).toHaveLength(2)
    expect(origins[0].localStorage).toEqual([{ name: 'kept', value: 'local' }])
    await page.close()
  })
})
