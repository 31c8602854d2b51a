/** A failure ends every task with the failure's code, and never as a success. */
import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import type { Exchange } from 'gleaner/plugin/testing'
import { names, posts, run } from './fixtures/sample.ts'

type Reply = Omit<Exchange, 'request'>
type Row = readonly [what: string, reply: Reply, code: SourceErrorCode]

/** Every task with all its requests, including the page that is requested when JSON is blocked. */
const tasks: readonly (readonly [
  key: string,
  input: Readonly<Record<string, unknown>>,
  ...requests: string[],
])[] = [
  ['forum.search', { query: 'a' }, '/search.json'],
  ['forum.posts', {}, '/best.json', 'https://old.reddit.com/best/'],
  ['forum.community.hot', { community: 'lamps' }, '/r/lamps/hot.json', 'https://old.reddit.com/r/lamps/hot/'],
  [
    'forum.community.rising',
    { community: 'lamps' },
    '/r/lamps/rising.json',
    'https://old.reddit.com/r/lamps/rising/',
  ],
  ['forum.user', { username: 'ann', type: 'comments' }, '/user/ann/comments.json'],
  ['forum.community.details', { community: 'lamps' }, '/r/lamps/about.json'],
  ['forum.community.details', { community: 'lamps', include: ['rules'] }, '/r/lamps/about/rules.json'],
  [
    'forum.community.details',
    { community: 'lamps', include: ['moderators'] },
    '/r/lamps/about/moderators.json',
  ],
  ['forum.wiki', { community: 'lamps' }, '/r/lamps/wiki/pages.json'],
  ['forum.wiki', { community: 'lamps', pageName: 'index' }, '/r/lamps/wiki/index.json'],
]

const page = (title: string, text = '') =>
  `<!doctype html><html><head><title>${title}</title></head><body>${text}</body></html>`
const to = (location: string): Reply => ({ status: 302, headers: { location } })

const alike: readonly Row[] = [
  [
    'a network policy',
    { status: 403, body: page('Blocked', '<h1>whoa there, pardner!</h1> blocked due to a network policy') },
    'source-blocked',
  ],
  [
    'network security',
    { status: 403, body: page('', "You've been blocked by network security.") },
    'source-blocked',
  ],
  [
    'network security with status 200',
    { body: page('', "You've been blocked by network security.") },
    'source-blocked',
  ],
  ['a captcha with status 200', { body: page('Reddit - Prove your humanity') }, 'source-blocked'],
  ['a captcha form', { body: page('', '<div class="g-recaptcha"></div>') }, 'source-blocked'],
  ['a browser check', { body: page('Reddit - Please wait for verification') }, 'source-blocked'],
  ['a 403 page without known words', { status: 403, body: page('No') }, 'source-blocked'],
  ['a redirect to a captcha', to('https://www.reddit.com/r/lamps/?captcha=1'), 'source-blocked'],
  ['too many requests', { status: 429, body: page('Too Many Requests') }, 'source-rate-limited'],
  [
    'too many requests with status 200',
    { body: page('Too Many Requests', 'whoa there, pardner!') },
    'source-rate-limited',
  ],
  [
    'a server error',
    { status: 500, json: { message: 'Internal Server Error', error: 500 } },
    'source-unavailable',
  ],
  [
    'a server error with status 200',
    { json: { message: 'Internal Server Error', error: 503 } },
    'source-unavailable',
  ],
  ['an error of a proxy (502)', { status: 502, body: page('Bad Gateway') }, 'source-unavailable'],
  [
    'a refusal of a proxy (400)',
    { status: 400, body: '<html><body><h1>400 Bad request</h1></body></html>' },
    'source-unavailable',
  ],
  [
    'a bad request',
    { status: 400, json: { reason: 'BAD_NUMBER', explanation: 'that is no number' } },
    'bad-input',
  ],
  ['a JSON 404', { status: 404, json: { message: 'Not Found', error: 404 } }, 'not-found'],
  ['a 404 page', { status: 404, body: page('page not found') }, 'not-found'],
  ['a JSON 404 with status 200', { json: { message: 'Not Found', error: 404 } }, 'not-found'],
  [
    'a banned community',
    { status: 404, json: { reason: 'banned', message: 'Not Found', error: 404 } },
    'not-found',
  ],
  ['a banned community with status 200', { json: { reason: 'banned', message: 'Not Found' } }, 'not-found'],
  [
    'a missing wiki page with status 200',
    { json: { reason: 'PAGE_NOT_FOUND', message: 'Not Found' } },
    'not-found',
  ],
  [
    'a bad wiki page name with status 200',
    { json: { reason: 'INVALID_PAGE_NAME', message: 'Bad Request' } },
    'bad-input',
  ],
  ['a redirect to the community search', to('https://www.reddit.com/subreddits/search?q=lamps'), 'not-found'],
  [
    'a redirect to the community search of the new site',
    to('https://www.reddit.com/search/?q=lamps&type=sr'),
    'not-found',
  ],
  ['a redirect to a foreign host', to('https://evil.example/'), 'source-redirected'],
  ['broken JSON', { body: '{"kind":"Listing","data":{' }, 'source-changed'],
  ['an empty body', { body: '' }, 'source-changed'],
  ['a blank body', { body: ' \n ' }, 'source-changed'],
  ['other text', { body: 'OK' }, 'source-changed'],
  ['null', { body: 'null' }, 'source-changed'],
  ['an empty list', { body: '[]' }, 'source-changed'],
  ['a list of listings', { body: '[{"kind":"Listing"},{"kind":"Listing"}]' }, 'source-changed'],
  ['a number', { body: '7' }, 'source-changed'],
  ['another object', { json: { kind: 'Other', data: {} } }, 'source-changed'],
  ['deeply nested JSON', { body: `${'['.repeat(200_000)}${']'.repeat(200_000)}` }, 'source-changed'],
  ['deeply nested JSON that is not closed', { body: '{"data":'.repeat(200_000) }, 'source-changed'],
  ['another page', { body: page('Reddit') }, 'source-changed'],
  ['a page of a million nodes', { body: `<html><body>${'<b>'.repeat(1_000_000)}` }, 'source-changed'],
]

/** The failures that count as a refusal of the moderators' section, which is then omitted. */
const refused: readonly Row[] = [
  [
    'a redirect to the age question',
    to('https://old.reddit.com/over18?dest=https%3A%2F%2Fold.reddit.com'),
    'restricted',
  ],
  [
    'a quarantined community',
    { status: 403, json: { reason: 'quarantined', quarantine_message: 'Doubtful.', error: 403 } },
    'restricted',
  ],
  [
    'a private community',
    { status: 403, json: { reason: 'private', message: 'Forbidden', error: 403 } },
    'private',
  ],
  ['a 403 with a message', { status: 403, json: { message: 'Forbidden', error: 403 } }, 'private'],
  ['a 403 without a message', { status: 403, json: { error: 403 } }, 'private'],
  ['an empty 403', { status: 403, body: '' }, 'source-blocked'],
  ['a 403 with a single word', { status: 403, body: 'Forbidden' }, 'source-blocked'],
  ['a 401', { status: 401, json: { message: 'Unauthorized', error: 401 } }, 'source-login-required'],
  [
    'a redirect to the sign-in page',
    to('https://www.reddit.com/login/?dest=%2Fr%2Flamps'),
    'source-login-required',
  ],
]

describe.each(tasks)('%s %j', (key, input, ...requests) => {
  const moderators = (input.include as string[] | undefined)?.[0] === 'moderators'
  test.each([...alike, ...(moderators ? [] : refused)])('%s', async (_, reply, code) => {
    const { items, rest, error } = await run(
      key,
      input,
      requests.map((request) => ({ request, ...reply })),
    )
    expect([items, rest.partial, error?.code]).toEqual([[], true, code])
  })
})

test('a reason named like an Object property counts as unknown', async () => {
  const { error } = await run('forum.wiki', { community: 'lamps' }, [
    { request: '/r/lamps/wiki/pages.json', status: 403, json: { reason: 'constructor' } },
  ])
  expect([error?.code, error?.message]).toEqual(['private', 'constructor'])
})

describe('an error message uses the words of the site', () => {
  test.each<[Reply, string]>([
    [
      { status: 403, json: { reason: 'quarantined', quarantine_message: 'Doubtful.', message: 'Forbidden' } },
      'quarantined: Doubtful.',
    ],
    [{ status: 403, json: { reason: 'private', message: 'Forbidden', error: 403 } }, 'private: Forbidden'],
    [{ status: 403, json: { error: 403 } }, '403'],
    [{ status: 404, json: { message: 'Not Found', error: 404 } }, '404: Not Found'],
    [
      {
        status: 400,
        json: { reason: 'BAD_NUMBER', explanation: 'that is no number', message: 'Bad Request' },
      },
      'BAD_NUMBER: that is no number',
    ],
    [{ body: page('Reddit - Prove your humanity') }, 'Prove your humanity'],
    [{ body: page('lamps : secret query') }, 'a page instead of JSON, status 200'],
    [{ body: '' }, 'an empty response instead of JSON, status 200'],
    [{ status: 403, body: 'No' }, 'other text instead of JSON, status 403'],
  ])('%#', async (reply, message) => {
    const { error } = await run('forum.user', { username: 'ann', type: 'overview' }, [
      { request: '/user/*/*', ...reply },
    ])
    expect(error?.message).toBe(message)
  })
})

test('a 404 for a user ends the run as not-found', async () => {
  const { error } = await run('forum.user', { username: 'ann', type: 'overview' }, [
    { request: '/user/*/*', status: 404, json: { message: 'Not Found', error: 404 } },
  ])
  expect(error?.code).toBe('not-found')
})

describe('texts are decoded from escaped and raw responses', () => {
  const escaped = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const title = 'Fish & chips <b>, &amp; "x" \\ &lt;'
  const url = 'https://a.example/?a=1&b=2'
  const [post] = posts(1, 1)
  const answer = JSON.stringify({ data: { children: [{ ...post, data: { ...post?.data, title, url } }] } })

  test.each([
    ['escaped', escaped(answer)],
    ['escaped, with JSON escapes as some proxies write them', escaped(answer).replaceAll('&', '\\u0026')],
    ['raw', answer],
    [
      'raw, with JSON escapes as some proxies write them',
      answer.replace(/[&<>]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
    ],
  ])('%s', async (_, body) => {
    const { items } = await run('forum.community.hot', { community: 'lamps' }, [
      { request: '/r/lamps/hot.json', body },
    ])
    expect(items[0]).toMatchObject({ title, url })
  })

  test('a raw response keeps an entity that the author wrote', async () => {
    const body = JSON.stringify({
      data: {
        children: [{ kind: 't3', data: { id: 'a', title: '&amp; is an entity', selftext_html: '<p>' } }],
      },
    })
    const outcome = await run('forum.community.hot', { community: 'lamps' }, [
      { request: '/r/lamps/hot.json', body },
    ])
    expect([names(outcome), outcome.items[0]?.title]).toEqual([['t3_a'], '&amp; is an entity'])
  })
})
