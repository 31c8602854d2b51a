/**
 * Sign-ins are detected, and the saved state is complete: what a site stored is restored in another page, through the
 * proxy or on a replaced origin, and later changes are saved again.
 *
 * @module
 */
import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { ServerResponse } from 'node:http'
import type { BrowserContext } from 'rebrowser-playwright'
import { checkRestored } from '../../../src/browser/page/state.ts'
import { TryAgain } from '../../../src/plugin/errors.ts'
import { hasBrowser } from '../../../src/plugin/testing.ts'
import { failure, type Pages, site } from '../../browser/web.ts'
import { FORM, stack } from './person.ts'
import { PAGE, startSignIns } from './web.ts'

const origins: Record<string, string> = {}
const { web, browsers, on } = startSignIns({ origins })

describe.skipIf(!hasBrowser)('a sign-in', () => {
  const set =
    (...cookies: string[]) =>
    (response: ServerResponse) =>
      void response.writeHead(302, { location: '/home', 'set-cookie': cookies }).end()
  const HOME = `<title>home</title><script>
    localStorage.kept = 'local'
    const open = indexedDB.open('kept', 1)
    open.onupgradeneeded = () => open.result.createObjectStore('s').put({ at: new Date(5) }, 'k')
    </script>`

  test('is detected by its cookies, and yields the state and its expiry', async () => {
    const { signIn, events, person } = await on({
      [PAGE]: FORM,
      'www.site.example/in': set('session=1; Max-Age=1000; HttpOnly', 'other=2'),
      'www.site.example/home': HOME,
    })
    await events.label('Name')
    person.key('Enter')
    const { state, validUntil } = await signIn.outcome
    const { cookies, origins } = JSON.parse(state)
    expect(cookies.map(({ name }: { name: string }) => name).toSorted()).toEqual(['other', 'session'])
    expect(origins[0].localStorage).toEqual([{ name: 'kept', value: 'local' }])
    expect(origins[0].indexedDB[0].stores[0].records.length).toBe(1)
    expect(Math.abs(validUntil! - Date.now() - 1_000_000)).toBeLessThan(60_000)
    expect(JSON.stringify(events.events)).not.toContain('local')
    await signIn.closed
    expect(() => signIn.send({ type: 'back' })).toThrow('ended')
  })

  test('succeeds only with all cookies and the address, and has no expiry if they are session cookies', async () => {
    const login = {
      url: '/login',
      hosts: ['id.example'],
      signedIn: { cookies: ['session', 'token@id.example'], url: /\/home$/ },
    }
    const { signIn, events, person } = await on(
      {
        [PAGE]: stack('<a href=/one>1</a>'),
        'www.site.example/one': (response) =>
          response
            .writeHead(200, { 'set-cookie': 'session=1' })
            .end(`<title>one</title>${stack('<a href=http://id.example/two>2</a>')}`),
        'id.example/two': (response) =>
          response
            .writeHead(200, { 'set-cookie': ['token=1', 'token=; Path=/x'] })
            .end(`<title>two</title>${stack('<a href=http://www.site.example/home>3</a>')}`),
        'www.site.example/home': HOME,
      },
      login,
    )
    person.click(50, 25)
    await events.title('one')
    person.click(50, 25)
    await events.title('two')
    // The sign-in is still open.
    await signIn.frame(true)
    person.click(50, 25)
    expect((await signIn.outcome).validUntil).toBeNull()
  })

  test('that never succeeds ends when it is closed', async () => {
    const { signIn } = await on({ [PAGE]: '<h1>x</h1>' })
    const waiting = failure(
      (async () => {
        for (;;) await signIn.frame(false)
      })(),
    )
    await signIn.close()
    expect(await waiting).toBe('closed')
    expect(await failure(signIn.outcome)).toBe('closed')
  })
})

const PAGES: Pages = {
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
  beforeAll(() => {
    origins.replaced = `http://127.0.0.1:${web.port}`
  })
  beforeEach(() => {
    web.pages = PAGES
  })

  test.each([
    ['through its proxy', site],
    ['on a replaced origin', { ...site, name: 'replaced' }],
  ])('is saved, restored and saved again %s', async (_, site) => {
    const first = await browsers.open({ site })
    await first.goto('/in')
    await first.evaluate(WRITE)
    const state = await first.state()
    await first.close()

    web.requests.length = 0
    const second = await browsers.open({ site, storageState: JSON.parse(state) })
    // Restoring the state sends no request.
    expect(web.requests).toEqual([])
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
  })

  test('a context that lacks records of its state is refused, and the task tries again', async () => {
    const withRecords = (...records: number[]) => ({
      cookies: [],
      origins: [
        { origin: 'https://a.example', localStorage: [] },
        { origin: 'https://b.example', indexedDB: [{ name: 'd', version: 1, stores: [{ records }] }] },
      ],
    })
    const restoring = (state: object) => ({ storageState: async () => state }) as unknown as BrowserContext
    const state = withRecords(1, 2)
    await expect(checkRestored(restoring(withRecords(1)), state)).rejects.toThrow(TryAgain)
    await expect(checkRestored(restoring({ origins: [] }), state)).rejects.toThrow(TryAgain)
    await checkRestored(restoring(state), state)
    await checkRestored(restoring({}), withRecords())
  })

  test('keeps cookies and local storage when a database cannot be serialized', async () => {
    const page = await browsers.open({ site })
    await page.goto('/in')
    await page.evaluate(WRITE.replace("'k'", '[new ArrayBuffer(4)]'))
    const { cookies, origins } = JSON.parse(await page.state())
    expect(cookies).toHaveLength(2)
    expect(origins[0].localStorage).toEqual([{ name: 'kept', value: 'local' }])
    await page.close()
  })
})
