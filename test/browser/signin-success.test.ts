/**
 * That a person has signed in is noticed, and what they have signed in to is whole.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import type { ServerResponse } from 'node:http'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { FORM, stack } from './signin-person.ts'
import { PAGE, startSignIns } from './signin-web.ts'
import { failure } from './web.ts'

const { on } = startSignIns()

describe.skipIf(!hasBrowser)('success', () => {
  const set =
    (...cookies: string[]) =>
    (response: ServerResponse) =>
      void response.writeHead(302, { location: '/home', 'set-cookie': cookies }).end()
  const HOME = `<title>home</title><script>
    localStorage.kept = 'local'
    const open = indexedDB.open('kept', 1)
    open.onupgradeneeded = () => open.result.createObjectStore('s').put({ at: new Date(5) }, 'k')
    </script>`

  test('is noticed by the cookies, and brings the state and its end', async () => {
    const { signIn, told, person } = await on({
      [PAGE]: FORM,
      'www.site.example/in': set('session=1; Max-Age=1000; HttpOnly', 'other=2'),
      'www.site.example/home': HOME,
    })
    await told.label('Name')
    person.key('Enter')
    const { state, validUntil } = await signIn.outcome
    const { cookies, origins } = JSON.parse(state)
    expect(cookies.map(({ name }: { name: string }) => name).toSorted()).toEqual(['other', 'session'])
    expect(origins[0].localStorage).toEqual([{ name: 'kept', value: 'local' }])
    expect(origins[0].indexedDB[0].stores[0].records.length).toBe(1)
    expect(Math.abs(validUntil! - Date.now() - 1_000_000)).toBeLessThan(60_000)
    expect(JSON.stringify(told.events)).not.toContain('local')
    await signIn.closed
    expect(() => signIn.send({ type: 'back' })).toThrow('ended')
  })

  test('waits for all cookies and the address; a session’s cookie has no end', async () => {
    const login = {
      url: '/login',
      hosts: ['id.example'],
      signedIn: { cookies: ['session', 'token@id.example'], url: /\/home$/ },
    }
    const { signIn, told, person } = await on(
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
    await told.title('one')
    person.click(50, 25)
    await told.title('two')
    // It is still open.
    await signIn.frame(true)
    person.click(50, 25)
    expect((await signIn.outcome).validUntil).toBeNull()
  })

  test('that never comes ends when it is closed', async () => {
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
