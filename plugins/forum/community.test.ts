import { describe, expect, test } from 'bun:test'
import { closedRoute } from 'gleaner/plugin/testing'
import { communityOf } from './community.ts'
import { listing, run } from './fixtures/sample.ts'

test.each([
  ['lamps', 'lamps'],
  ['r/lamps', 'lamps'],
  ['/r/lamps', 'lamps'],
  ['/r/lamps/', 'lamps'],
  ['R/Lamps', 'Lamps'],
  ['de', 'de'],
  ['reddit.com', 'reddit.com'],
  ['r/reddit.com', 'reddit.com'],
  ['u_ann-b', 'u_ann-b'],
  ['Lamps_and_lights_21ch', 'Lamps_and_lights_21ch'],
  ['https://www.reddit.com/r/lamps', 'lamps'],
  ['https://www.reddit.com/r/lamps/', 'lamps'],
  ['https://reddit.com/r/lamps', 'lamps'],
  ['http://old.reddit.com/r/lamps', 'lamps'],
  ['https://new.reddit.com/r/lamps/hot', 'lamps'],
  ['https://np.reddit.com/r/lamps?sort=top', 'lamps'],
  ['https://i.reddit.com/r/lamps#top', 'lamps'],
  ['https://m.reddit.com/r/lamps', 'lamps'],
  ['HTTPS://WWW.REDDIT.COM/r/Lamps', 'Lamps'],
  ['https://www.reddit.com/r/lamps/comments/1abc/a_lamp/', 'lamps'],
  ['https://www.reddit.com/r/reddit.com/top', 'reddit.com'],
])('%s names %s', (text, name) => {
  expect(communityOf(text)).toBe(name)
})

const foreign = [
  'https://reddit.com.evil.example/r/lamps',
  'https://evilreddit.com/r/lamps',
  'https://www.reddit.com.evil.example/r/lamps',
  'https://www.reddit.com@evil.example/r/lamps',
  'https://user:secret@www.reddit.com/r/lamps',
  'https://www.reddit.com:8443/r/lamps',
  'https://www.reddit.com:443/r/lamps',
  'https://www.reddit.com./r/lamps',
  'https://www.reddіt.com/r/lamps',
  'https://www.reddit。com/r/lamps',
  'https://xn--reddt-q4a.com/r/lamps',
  'https://www%2ereddit.com/r/lamps',
  'https:\\\\www.reddit.com\\r\\lamps',
  'https://www.reddit.com\\@evil.example/r/lamps',
  'https://evil.example/www.reddit.com/r/lamps',
  'https://evil.example#www.reddit.com/r/lamps',
  'https://i.redd.it/r/lamps',
  'http://127.0.0.1/r/lamps',
  'http://2130706433/r/lamps',
  'http://0177.0.0.1/r/lamps',
  'http://0x7f.1/r/lamps',
  'http://[::1]/r/lamps',
  'http://[::ffff:127.0.0.1]/r/lamps',
  'http://localhost/r/lamps',
  'http://169.254.169.254/r/lamps',
  'http://metadata.google.internal/r/lamps',
  'ftp://www.reddit.com/r/lamps',
  'file:///r/lamps',
  'javascript:alert(1)//www.reddit.com/r/lamps',
  'data:text/html,/r/lamps',
  '//evil.example/r/lamps',
  '//www.reddit.com/r/lamps',
]
const malformed = [
  ' lamps',
  'a',
  'lamps and lights',
  'a'.repeat(22),
  '-lamps',
  '../lamps',
  'r/../lamps',
  'lamps/../../user/ann',
  'lamps/hot',
  'r/r/lamps',
  'u/ann',
  'lamps%2fhot',
  'lampen_größe',
  'evilreddit.com',
  'www.reddit.com/r/lamps',
  'https://www.reddit.com/',
  'https://www.reddit.com/user/ann',
  'https://www.reddit.com/r/',
  'https://www.reddit.com/r/a',
  'https://www.reddit.com/r/%6cights',
]

/** Each field that takes a community, with the other inputs that its task requires. */
const fields = [
  ['forum.posts', '/community', {}],
  ['forum.search', '/community', { query: 'a' }],
  ['forum.community.hot', '/community', {}],
  ['forum.community.rising', '/community', {}],
  ['forum.community.details', '/community', {}],
  ['forum.community.details', '/url', {}],
  ['forum.wiki', '/community', {}],
] as const

describe.each(fields)('%s %s', (key, pointer, input) => {
  const issues = async (text: string) => {
    const outcome = await run(key, { ...input, [pointer.slice(1)]: text }, [])
    expect(outcome.requests).toEqual([])
    return outcome.issues.map((issue) => [issue.pointer, issue.code])
  }

  test.each(foreign)('refuses %s as foreign', async (text) => {
    expect(await issues(text)).toEqual([[pointer, 'foreign-url']])
  })

  test.each(malformed)('refuses %j', async (text) => {
    const [[at, code] = []] = await issues(text)
    expect(at).toBe(pointer)
    // A field that takes only URLs reports every other text as foreign.
    expect(code).toBe(
      pointer === '/url' && !text.startsWith('https://www.reddit.com/') ? 'foreign-url' : 'bad-format',
    )
  })

  test.each([
    ['', 'too-short'],
    ['a'.repeat(501), 'too-long'],
    ['lamps\u0007', 'bad-text'],
  ])('refuses %j', async (text, code) => {
    expect(await issues(text)).toEqual([[pointer, code]])
  })
})

test('a redirect to a foreign host is not followed at the second hop', async () => {
  const { error, requests } = await run('forum.community.hot', { community: 'lamps' }, [
    {
      request: '/r/lamps/hot.json',
      status: 301,
      headers: { location: 'https://old.reddit.com/r/lamps/hot.json' },
    },
    {
      request: 'https://old.reddit.com/r/lamps/hot.json',
      status: 302,
      headers: { location: 'http://127.0.0.1/' },
    },
    closedRoute('/svc/shreddit/community-more-posts/hot/', 'gone'),
  ])
  expect([error?.code, requests.length]).toEqual(['source-redirected', 3])
})

test('a redirect within the site is followed', async () => {
  const { error, rest } = await run('forum.community.hot', { community: 'lamps' }, [
    { request: '/r/lamps/hot.json', status: 301, headers: { location: '/r/Lamps/hot.json' } },
    { request: '/r/Lamps/hot.json', json: listing([]) },
  ])
  expect([error, rest.count]).toEqual([null, 0])
})
