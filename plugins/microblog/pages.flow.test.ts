/** Whole runs in a real browser on interstitials, on failed responses, and on rendered pages without responses. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { type Exchange, hasBrowser, runTask } from 'gleaner/plugin/testing'
import { documentAt, page, postEntry, searched, searchRequest, userEntry } from './fixtures/sample.ts'
import type { User } from './items/user.ts'
import { search } from './search.ts'
import source from './source.ts'

// Each run has a separate browser context.
setDefaultTimeout(60_000)

const find = (input: object, exchanges: readonly Exchange[]) =>
  runTask(search, { query: 'lamps', ...input }, { source, exchanges })
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id)
const get = (request: string, json: unknown): Exchange => ({ request, json })

describe.skipIf(!hasBrowser)('a page', () => {
  const exchangesWith = (answer: Partial<Exchange>) => [
    documentAt('/search'),
    { request: searchRequest('Top'), ...answer },
  ]
  const errorAnswer = (code: number, message = 'words') => ({ errors: [{ code, message }] })
  const to = (location: string): Exchange[] => [{ request: '/search', status: 302, headers: { location } }]
  const pageWith = (script: string) => [
    documentAt('/search', (html) => html.replace('load()\naddEventListener', `${script}\naddEventListener`)),
  ]

  test.each<[string, readonly Exchange[], SourceErrorCode]>([
    [
      'that redirects to the sign-in page',
      to('/i/flow/login?redirect_after_login=%2Fsearch'),
      'source-login-required',
    ],
    [
      'whose script leads to the sign-in page',
      pageWith(`history.replaceState(null, '', '/i/flow/login')`),
      'source-login-required',
    ],
    [
      'of the client of signed-out visitors, at once',
      [
        {
          request: '/search',
          headers: { 'content-type': 'text/html' },
          body: '<!doctype html><html data-app-env="prod"><script type="module" src="/x-web/entry-client-logged-out-Z9y8.js"></script></html>',
        },
        // The browser may already have asked for it.
        { request: '/x-web/*', body: '' },
      ],
      'source-login-required',
    ],
    [
      'that redirects to the new sign-in page',
      to('/i/jf/onboarding/web?mode=login'),
      'source-login-required',
    ],
    ['whose operation no longer exists', exchangesWith({ status: 404, body: '' }), 'source-changed'],
    [
      'whose list is refused to the login',
      exchangesWith({ status: 403, json: errorAnswer(32) }),
      'source-login-required',
    ],
    ['whose account is locked', exchangesWith({ json: errorAnswer(326) }), 'source-login-required'],
    ['whose list is limited', exchangesWith({ status: 429, json: errorAnswer(88) }), 'source-rate-limited'],
    ['whose list has no container', exchangesWith({ json: { data: {} } }), 'source-changed'],
    [
      'that the CDN refuses with 400',
      [{ request: '/search', status: 400, headers: { 'content-type': 'text/html' }, body: '<p>No</p>' }],
      'source-blocked',
    ],
  ])('%s', async (_, exchanges, code) => {
    const { items, error } = await find({}, exchanges)
    expect([items, error?.code]).toEqual([[], code])
  })

  test('with a refused query reports the message of the site', async () => {
    const words = 'BadRequest: Query is denylisted'
    const { error } = await find({}, exchangesWith({ json: { ...errorAnswer(214, words), data: {} } }))
    expect([error?.code, error?.message]).toEqual(['bad-input', `214: ${words}`])
  })

  test('with unreadable responses is read from its rendered posts', async () => {
    const cell = (n: number) =>
      `<div data-testid="cellInnerDiv"><article data-testid="tweet"><div data-testid="User-Name"><a href="/maker_${n}">Maker ${n}</a><a href="/maker_${n}">@maker_${n}</a><a href="/maker_${n}/status/${n}"><time datetime="2026-07-08T21:59:10.000Z">8h</time></a></div><div data-testid="tweetText" lang="en">Lamp ${n}</div></article></div>`
    // As on the site, cells that are out of view are removed.
    const list = `let from = 1
      const show = () => { document.querySelector('section').innerHTML = [${[1, 2, 3, 4].map((n) => JSON.stringify(cell(n)))}].slice(from - 1, from + 1).join('') }
      show()
      addEventListener('wheel', () => { from = Math.min(3, from + 1); show() })`
    const document = documentAt('/search', (html) =>
      html.replace('load()\naddEventListener', `load()\n${list}\naddEventListener`),
    )
    const changedAnswer: Exchange = { request: searchRequest('Top'), json: { data: { moved: true } } }
    const all = await find({ max_posts: 30 }, [document, changedAnswer])
    expect([idsOf(all.items), all.error, all.rest.next_cursor]).toEqual([['1', '2', '3', '4'], null, null])
    expect(all.items[0]).toMatchObject({ text: 'Lamp 1', author: { name: 'Maker 1' }, view_count: null })
    const some = await find({ max_posts: 3 }, [document, changedAnswer])
    expect(idsOf(some.items)).toEqual(['1', '2', '3'])
  })

  test('whose list is shed is loaded anew', async () => {
    const shed: Exchange = { request: searchRequest('Top'), json: { errors: [{ message: 'LoadShed: x' }] } }
    const list = get(searchRequest('Top'), searched(page([postEntry(1)], 'further')))
    const { items, pauses, error } = await find({}, [
      documentAt('/search'),
      documentAt('/search'),
      shed,
      list,
    ])
    expect([idsOf(items), pauses, error]).toEqual([['1'], [2000], null])
  })

  test('may ask the other hosts of the site who its viewer is: without that it shows nothing', async () => {
    const cors = { 'access-control-allow-origin': '*' }
    const viewer = 'https://api.x.com/graphql/viewer_context.json'
    const document = documentAt('/search', (html) =>
      html.replace('load()\naddEventListener', `fetch('${viewer}').then(load)\naddEventListener`),
    )
    const { items, error } = await find({}, [
      document,
      { request: viewer, headers: cors, json: {} },
      get(searchRequest('Top'), searched(page([postEntry(1)], 'further'))),
    ])
    expect([idsOf(items), error]).toEqual([['1'], null])
  })

  test('that lists an account twice returns it once', async () => {
    const { items } = await find({ tab: 'people', max_posts: 30 }, [
      documentAt('/search'),
      get(searchRequest('People'), searched(page([userEntry(1), userEntry(1)], 'a'))),
      get(searchRequest('People', 'a'), searched(page([userEntry(1)], 'b'))),
    ])
    expect(idsOf(items as User[])).toEqual(['9001'])
  })
})
