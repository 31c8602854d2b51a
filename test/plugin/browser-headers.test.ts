/** The headers of a browser: which values a request has of its own, and what a redirect changes. */
import { describe, expect, test } from 'bun:test'
import { browserHeaders, inBrowserOrder, redirectBrowserHeaders } from '../../src/plugin/browser-headers.ts'

const ORIGIN = 'https://www.lamps.co.uk'

const headersOf = (
  as: 'document' | 'fetch',
  own: Record<string, string>,
  url = `${ORIGIN}/a`,
  method = 'GET',
) => browserHeaders(new Headers(own), { as, url: new URL(url), method, origin: ORIGIN })

/** What they say about the page that the request comes from. */
const pageIn = (headers: Headers) => ['sec-fetch-site', 'referer', 'origin'].map((name) => headers.get(name))

test('a document without a referer was typed, and one with a referer was clicked', () => {
  const typed = headersOf('document', {})
  expect(pageIn(typed)).toEqual(['none', null, null])
  const clicked = headersOf('document', { referer: `${ORIGIN}/list?page=2#top` })
  expect(pageIn(clicked)).toEqual(['same-origin', `${ORIGIN}/list?page=2`, null])
  for (const { get } of [typed, clicked].map((each) => ({ get: (name: string) => each.get(name) })))
    expect([get('sec-fetch-dest'), get('sec-fetch-mode'), get('sec-fetch-user')]).toEqual([
      'document',
      'navigate',
      '?1',
    ])
})

test.each([
  [`${ORIGIN}/data`, 'same-origin', `${ORIGIN}/list`, null],
  ['https://api.lamps.co.uk/data', 'same-site', `${ORIGIN}/`, ORIGIN],
  ['https://lamps.co.uk/data', 'same-site', `${ORIGIN}/`, ORIGIN],
  ['http://www.lamps.co.uk/data', 'cross-site', `${ORIGIN}/`, ORIGIN],
  ['https://www.desks.co.uk/data', 'cross-site', `${ORIGIN}/`, ORIGIN],
  ['https://lamps.com/data', 'cross-site', `${ORIGIN}/`, ORIGIN],
])('a script asks %s as %s, with no more of its page than a browser tells', (url, site, referer, origin) => {
  expect(pageIn(headersOf('fetch', { referer: `${ORIGIN}/list` }, url))).toEqual([site, referer, origin])
})

test('a script is one of the front page unless the request says otherwise, and a POST names its origin', () => {
  expect(pageIn(headersOf('fetch', {}))).toEqual(['same-origin', `${ORIGIN}/`, null])
  expect(pageIn(headersOf('fetch', {}, undefined, 'POST'))).toEqual(['same-origin', `${ORIGIN}/`, ORIGIN])
})

test('the request’s own values win', () => {
  const own = { accept: 'application/json', 'accept-language': 'pl-PL,pl;q=0.9', 'user-agent': 'Mine' }
  expect(Object.fromEntries(headersOf('fetch', own))).toMatchObject(own)
})

describe('a redirect', () => {
  const after = (headers: Headers, ...urls: string[]) => {
    for (const url of urls) redirectBrowserHeaders(headers, new URL(url))
    return pageIn(headers)
  }

  // Measured: Chromium sends the same for a request that is redirected from its own origin to another host of its site.
  test('to another host of the site leaves of the page its origin', () => {
    const headers = headersOf('fetch', { referer: `${ORIGIN}/list` })
    expect(after(headers, 'https://api.lamps.co.uk/')).toEqual(['same-site', `${ORIGIN}/`, ORIGIN])
  })

  test('never brings a request nearer', () => {
    const headers = headersOf('document', { referer: `${ORIGIN}/list` })
    expect(after(headers, 'https://desks.com/', `${ORIGIN}/b`)).toEqual(['cross-site', `${ORIGIN}/`, null])
  })

  test('changes nothing about an address that was typed, or a request that is none of a browser', () => {
    expect(after(headersOf('document', {}), 'https://desks.com/')).toEqual(['none', null, null])
    const plain = new Headers({ referer: `${ORIGIN}/list` })
    expect(after(plain, 'https://desks.com/')).toEqual([null, `${ORIGIN}/list`, null])
  })
})

test('no header is lost in a browser’s order, and other requests keep theirs', () => {
  const own = { ...Object.fromEntries(headersOf('fetch', { 'x-b': '1', 'x-a': '2' })), cookie: 'a=b' }
  const sent = inBrowserOrder(own, { host: 'lamps.co.uk', bytes: 0 })
  const lower = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]))
  expect(lower).toEqual({ ...own, host: 'lamps.co.uk', connection: 'keep-alive', 'content-length': '0' })
  const plain = { accept: '*/*', 'user-agent': 'Gleaner/1' }
  expect(inBrowserOrder(plain, { host: 'lamps.co.uk', bytes: undefined })).toBe(plain)
})
