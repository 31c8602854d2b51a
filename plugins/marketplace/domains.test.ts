import { describe, expect, test } from 'bun:test'
import { type Exchange, runTask } from 'gleaner/plugin/testing'
import { search } from './catalog/search.ts'
import { SITES, siteOf } from './domains.ts'
import { GATEWAY, pageOf, run, tasks } from './fixtures/sample.ts'
import { memberItems } from './members/member-items.ts'
import source from './source.ts'

/** Hosts that do not belong to the source, or that are written ambiguously. */
const doubtful = [
  'vinted.co.uk.evil.example',
  'evilvinted.co.uk',
  'evil.example',
  'vinted.example',
  'm.vinted.co.uk',
  'api.vinted.co.uk',
  'api.www.vinted.com',
  'vinted.com.au',
  'vınted.co.uk',
  'ｖinted.co.uk',
  'vinted.co.uk.',
  'vinted.co.uk:443',
  'vinted.co.uk:8080',
  'user@vinted.co.uk',
  'vinted.co.uk@evil.example',
  'vinted.co.uk\\@evil.example',
  'vinted%2eco.uk',
  ' vinted.co.uk',
  '127.0.0.1',
  '2130706433',
  '0177.0.0.1',
  '0x7f.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  'localhost',
  '169.254.169.254',
  'metadata.google.internal',
]

describe('domain', () => {
  test.each([
    ['vinted.fr', 'https://www.vinted.fr'],
    ['www.vinted.fr', 'https://www.vinted.fr'],
    ['https://www.vinted.fr', 'https://www.vinted.fr'],
    ['https://vinted.fr/', 'https://www.vinted.fr'],
    ['Vinted.CO.UK', 'https://www.vinted.co.uk'],
    [undefined, 'https://www.vinted.co.uk'],
  ])('%p is read at %s, home page first', async (domain, origin) => {
    const exchanges: Exchange[] = [
      { request: `${origin}/`, body: 'home' },
      {
        request: origin + GATEWAY,
        json: { ...pageOf('items', [5], {}), pagination: { total_pages: 1 } },
      },
    ]
    const input = domain === undefined ? { query: 'lamp' } : { query: 'lamp', domain }
    const { items, error, requests } = await runTask(search, input, { source, exchanges })
    expect(error).toBeNull()
    expect(requests.map(({ url }) => new URL(url).origin)).toEqual([origin, origin])
    expect(items[0]?.url).toBe(`${origin}/items/5`)
  })

  test('the site and the API of each of the 26 domains are allowed hosts of the source', () => {
    expect(SITES.length).toBe(52)
    for (const host of SITES) {
      const { origin, apiOrigin } = siteOf(host)
      expect(source.hosts).toContain(new URL(origin).hostname)
      expect(source.hosts).toContain(new URL(apiOrigin).hostname)
    }
    expect(source.hosts?.length).toBe(78)
  })

  const withDomain = tasks.filter(([, task]) => 'domain' in task.input.properties)
  const bad = [
    ...doubtful,
    ...doubtful.map((host) => `https://${host}`),
    'https://www.vinted.co.uk/catalog',
    'https://www.vinted.co.uk/?x=1',
    'ftp://www.vinted.co.uk',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,vinted.co.uk',
    '//www.vinted.co.uk',
    'co.uk',
    '',
  ]
  test.each(withDomain)('%s refuses every other host before any request', async (_, task, input) => {
    for (const domain of bad) {
      const { issues, requests } = await run(task, { ...input, domain }, [])
      expect([domain, issues.map(({ pointer }) => pointer)]).toEqual([domain, ['/domain']])
      expect(requests).toEqual([])
    }
  })

  test('sets the language of the requests to that of the site', async () => {
    const exchanges: Exchange[] = [
      { request: 'https://www.vinted.pl/', body: 'home' },
      {
        request: `https://www.vinted.pl${GATEWAY}`,
        json: pageOf('items', [5], { total_pages: 1 }),
      },
    ]
    const { requests } = await runTask(search, { query: 'lampa', domain: 'vinted.pl' }, { source, exchanges })
    expect(requests.map(({ headers }) => headers['accept-language'])).toEqual([
      'pl-PL,pl;q=0.9',
      'pl-PL,pl;q=0.9',
    ])
    expect(requests[1]?.headers).toMatchObject({
      accept: 'application/json, text/plain, */*',
      referer: 'https://www.vinted.pl/catalog',
    })
  })
})

describe('member_url', () => {
  test.each([
    ['https://www.vinted.co.uk/member/98870513-jwilliamsx', 'https://www.vinted.co.uk', '98870513'],
    ['https://www.vinted.fr/member/3100200300', 'https://www.vinted.fr', '3100200300'],
    ['http://vinted.de/member/7-a.b_c/', 'https://www.vinted.de', '7'],
    ['https://www.vinted.es/member/7-ann?tab=closet#top', 'https://www.vinted.es', '7'],
    ['https://www.vinted.es/member/7-%C3%A1nna', 'https://www.vinted.es', '7'],
    ['https://www.vinted.es/member/9007199254740993-big', 'https://www.vinted.es', '9007199254740993'],
  ])('%s names a site and a member', async (member_url, origin, id) => {
    const exchanges: Exchange[] = [
      { request: `${origin}/`, body: 'home' },
      { request: `${origin}/api/v2/wardrobe/${id}/items`, json: pageOf('items', [5], { total_pages: 1 }) },
    ]
    const { items, error } = await runTask(memberItems, { member_url }, { source, exchanges })
    expect(error).toBeNull()
    expect([items[0]?.url, items[0]?.seller?.id]).toEqual([`${origin}/items/5`, id])
  })

  test.each([
    ...doubtful.map((host) => `https://${host}/member/7-ann`),
    'www.vinted.co.uk/member/7-ann',
    'ftp://www.vinted.co.uk/member/7-ann',
    'file:///member/7-ann',
    'javascript:alert("https://www.vinted.co.uk/member/7-ann")',
    'data:text/html,https://www.vinted.co.uk/member/7-ann',
    'https://www.vinted.co.uk/member/ann',
    'https://www.vinted.co.uk/member/07-ann',
    'https://www.vinted.co.uk/member/7ann',
    'https://www.vinted.co.uk/member/-7',
    'https://www.vinted.co.uk/member/',
    'https://www.vinted.co.uk/items/7-lamp',
    'https://www.vinted.co.uk/member/%37-ann',
    'https://www.vinted.co.uk/member/12345678901234567890-ann',
    'https://www.vinted.co.uk/',
    '7',
    '',
  ])('%p is refused before any request', async (member_url) => {
    const { issues, requests } = await run(memberItems, { member_url }, [])
    expect(issues.map(({ pointer }) => pointer)).toEqual(['/member_url'])
    expect(requests).toEqual([])
  })
})
