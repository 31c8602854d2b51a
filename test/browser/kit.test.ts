/**
 * `context.page` in the tests of plugins: a real browser with canned responses.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { type Exchange, hasBrowser, NoExchange, runTask } from '../../src/plugin/testing.ts'
import {
  type Context,
  defineSource,
  defineTask,
  Nullable,
  type SourceErrorCode,
  Type,
} from '../../src/plugin.ts'

const source = defineSource({
  name: 'site',
  title: 'Site',
  origin: 'https://www.site.example',
  hosts: ['api.site.example'],
  assetHosts: ['*.cdn.example'],
  interstitials: [
    { url: /\/login/, ends: 'source-login-required' },
    { url: /^https:\/\/consent\./, ends: 'source-blocked' },
  ],
  tasks: [],
})

/** Runs a task that yields the result of `work`. */
async function on(exchanges: readonly Exchange[], work: (context: Context) => Promise<unknown>) {
  const task = defineTask({
    key: 'site.read',
    path: '/v1/site/read',
    title: 'Read',
    description: 'A page.',
    price: 1,
    input: Type.Object({}),
    item: Type.Object({ value: Nullable(Type.Unknown()) }),
    example: {},
    needs: { browser: true },
    async *run(context) {
      yield { value: (await work(context)) ?? null }
      return undefined
    },
  })
  const { items, error, requests } = await runTask(task, {}, { source, exchanges })
  return { value: items[0]?.value, error, requests }
}

const html = (request: string, body: string): Exchange => ({
  request,
  body,
  headers: { 'content-type': 'text/html' },
})

describe.skipIf(!hasBrowser)('context.page of runTask', () => {
  test('opens an address, runs its scripts, and answers every request from an exchange', async () => {
    const { value, error, requests } = await on(
      [
        html('/list?page=2', '<h1></h1><script src="https://x.cdn.example/app.js"></script>'),
        {
          request: 'https://x.cdn.example/app.js',
          body: 'fetch("/names").then((r) => r.json()).then((n) => { document.querySelector("h1").textContent = n[0] })',
        },
        { request: '/names', json: ['Lamp'] },
      ],
      async (context) => {
        const page = await context.page()
        const answers = page.answers(/\/names/)
        const opened = await page.goto('/list', { query: { page: 2, none: null } })
        const names = await (await answers.next())?.json()
        const isThere = await page.wait('h1')
        return [
          opened,
          names,
          isThere,
          await page.evaluate('document.querySelector("h1").textContent'),
          await page.url(),
        ]
      },
    )
    expect(error).toBeNull()
    expect(value).toEqual([
      { status: 200, url: 'https://www.site.example/list?page=2' },
      ['Lamp'],
      true,
      'Lamp',
      'https://www.site.example/list?page=2',
    ])
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET https://www.site.example/list?page=2',
      'GET https://x.cdn.example/app.js',
      'GET https://www.site.example/names',
    ])
  })

  test('goto ends with the same errors as fetch', async () => {
    const to = (request: string, location: string): Exchange => ({
      request,
      status: 302,
      headers: { location },
    })
    const cases: [what: string, exchange: Exchange, end: SourceErrorCode | 404][] = [
      ['an interstitial at the second hop', to('/hop', '/login?next=a'), 'source-login-required'],
      ['an interstitial on another host', to('/3', 'https://consent.site.example/x'), 'source-blocked'],
      ['a foreign host', to('/4', 'https://www.site.example.evil.example/'), 'source-redirected'],
      ['an asset host, which has no documents', to('/5', 'https://x.cdn.example/'), 'source-redirected'],
      ['404', { request: '/6', status: 404, body: 'none' }, 'not-found'],
      ['403', { request: '/8', status: 403, body: 'no' }, 'source-blocked'],
      ['429', { request: '/9', status: 429, body: 'later' }, 'source-rate-limited'],
      ['404 without a body', { request: '/7', status: 404 }, 'not-found'],
      ['500', { request: '/10', status: 500 }, 'source-unavailable'],
      ['a status of accept', { ...html('/11', 'x'), status: 404 }, 404],
    ]
    const { value, error } = await on(
      [to('/a', '/hop'), ...cases.map(([, exchange]) => exchange)],
      async (context) => {
        const page = await context.page()
        const ends = []
        for (const [what, { request }] of cases) {
          const path = request === '/hop' ? '/a' : request
          const gone = page.goto(path, what === 'a status of accept' ? { accept: [404] } : {})
          const end = await gone.then(
            ({ status }) => status,
            ({ code }) => code,
          )
          ends.push([what, end])
        }
        return [...ends, await page.evaluate('document.body.textContent')]
      },
    )
    expect(error).toBeNull()
    expect(value).toEqual([...cases.map(([what, , code]) => [what, code]), 'x'])
  })

  test('a request without an exchange fails the run with NoExchange, which names the request', async () => {
    const run = on([html('/a', '<script src=/gone.js></script><h1>x</h1>')], async (context) => {
      const page = await context.page()
      await page.goto('/a')
      return page.html()
    })
    const error = await run.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(NoExchange)
    expect((error as Error).message).toStartWith('no exchange for GET https://www.site.example/gone.js')
  })
})
