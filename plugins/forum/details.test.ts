import { describe, expect, test } from 'bun:test'
import type { Exchange } from 'gleaner/plugin/testing'
import { addresses, listing, queriesOf, replay, run } from './fixtures/sample.ts'

const DETAILS = 'forum.community.details'
const site = 'https://www.reddit.com/r/lamps/about'
const about = (data: object = {}) => ({ kind: 't5', data: { display_name: 'lamps', ...data } })
const sections: Record<string, Exchange> = {
  about: { request: '/r/lamps/about.json', json: about() },
  rules: { request: '/r/lamps/about/rules.json', json: { rules: [{}] } },
  moderators: {
    request: '/r/lamps/about/moderators.json',
    json: { kind: 'UserList', data: { children: [{}] } },
  },
}
const lamps = (input: object, changes: Record<string, object> = {}) =>
  run(DETAILS, { community: 'lamps', ...input }, [
    ...Object.entries(sections).map(([name, section]) => ({ ...section, ...changes[name] })),
    { request: '/api/me.json', json: { data: { name: 'ann' } } },
  ])

test('the cassette of the example: all sections', async () => {
  const { items, rest, error, issues, progress } = await replay('details-member')
  expect([items, error, issues]).toEqual([[], null, []])
  expect(rest).toEqual({
    next_cursor: null,
    about: {
      id: '2gdn1',
      fullname: 't5_2gdn1',
      display_name: 'gardening',
      display_name_prefixed: 'r/gardening',
      title: 'Gardening, slowly',
      public_description: 'For people who talk to plants.',
      description: '**Be kind.** Ask with a picture.\n\n* [Wiki](/r/gardening/wiki/index)',
      subscribers: 412877,
      active_user_count: 1204,
      created_at: '2008-05-28T18:40:00Z',
      over18: false,
      quarantine: false,
      subreddit_type: 'public',
      lang: 'en',
      icon_url: 'https://styles.redditmedia.com/t5_2gdn1/icon.png?width=256&s=c0ffee',
      banner_url: null,
      url: 'https://www.reddit.com/r/gardening/',
      wiki_enabled: true,
    },
    rules: [
      {
        short_name: 'Be kind',
        description: 'Nobody is born with green fingers.',
        kind: 'all',
        violation_reason: 'Unkind',
        priority: 0,
        created_at: '2017-07-14T02:40:00Z',
      },
      {
        short_name: 'Ask with a picture',
        description: null,
        kind: 'link',
        violation_reason: 'No picture',
        priority: 1,
        created_at: '2017-07-14T02:50:00Z',
      },
      {
        short_name: 'No sales',
        description: 'Swap in the swap thread.\n\nGiving away is fine.',
        kind: 'comment',
        violation_reason: 'Sale',
        priority: 2,
        created_at: '2020-09-13T12:26:40Z',
      },
    ],
    moderators: [
      { name: 'hedge_warden', id: 't2_hedge', permissions: ['all'], since: '2017-11-06T20:26:40Z' },
      { name: 'fern_and_moss', id: 't2_fern', permissions: ['posts', 'wiki'], since: '2022-04-15T05:20:00Z' },
    ],
  })
  expect(progress.at(-1)).toEqual({ done: 3, total: 3, message: 'sections read' })
})

describe('the sections', () => {
  test.each<[object, string[]]>([
    [{}, ['', '/rules']],
    [{ includeModerators: false }, ['', '/rules']],
    [{ includeModerators: true }, ['', '/rules', '/moderators']],
    [{ include: ['about'] }, ['']],
    [{ include: ['rules'] }, ['/rules']],
    [{ include: ['moderators', 'about'] }, ['', '/moderators']],
    [{ include: ['rules'], includeModerators: true }, ['/rules', '/moderators']],
    [{ include: ['moderators'], includeModerators: false }, ['/moderators']],
  ])('only the sections that %j chooses are requested', async (input, paths) => {
    const outcome = await lamps(input)
    expect(addresses(outcome)).toEqual(paths.map((path) => `${site}${path}.json`))
    expect(queriesOf(outcome)[0]).toEqual({ raw_json: '1' })
    const { about, rules, moderators } = outcome.rest
    expect([about !== null, rules !== null, moderators !== null]).toEqual(
      ['', '/rules', '/moderators'].map((path) => paths.includes(path)),
    )
  })
})

describe('the about section of a community', () => {
  const field = async (data: object) => (await lamps({}, { about: { json: about(data) } })).rest.about

  test('has null for missing fields', async () => {
    expect(await field({ icon_img: '', title: '', active_user_count: null })).toMatchObject({
      id: null,
      display_name: 'lamps',
      display_name_prefixed: 'r/lamps',
      title: null,
      subscribers: null,
      active_user_count: null,
      over18: false,
      icon_url: null,
      url: 'https://www.reddit.com/r/lamps/',
      wiki_enabled: null,
    })
  })

  test.each<[object, object]>([
    [{ accounts_active: 7 }, { active_user_count: 7 }],
    [{ active_user_count: 8, accounts_active: 7 }, { active_user_count: 8 }],
    [{ community_icon: '', icon_img: 'https://i.example/a.png' }, { icon_url: 'https://i.example/a.png' }],
    [
      { community_icon: 'https://i.example/b.png', icon_img: 'https://i.example/a.png' },
      { icon_url: 'https://i.example/b.png' },
    ],
    [
      { banner_background_image: '', banner_img: 'https://i.example/a.png' },
      { banner_url: 'https://i.example/a.png' },
    ],
    [
      // The site escapes these two even in responses whose texts are not escaped.
      {
        description_html: '<p>Lamps</p>',
        community_icon: 'https://i.example/b.png?width=256&amp;s=1',
        banner_background_image: 'https://i.example/c.png?width=4000&amp;s=2',
      },
      {
        icon_url: 'https://i.example/b.png?width=256&s=1',
        banner_url: 'https://i.example/c.png?width=4000&s=2',
      },
    ],
    [{ wiki_enabled: false }, { wiki_enabled: false }],
  ])('%j', async (data, expected) => {
    expect(await field(data)).toMatchObject(expected)
  })

  test('an empty listing in its place ends the run as not-found', async () => {
    expect((await lamps({}, { about: { json: listing([]) } })).error?.code).toBe('not-found')
  })
})

describe('the moderators', () => {
  test.each<[string, object]>([
    ['a 403 without a message', { status: 403, json: { error: 403 } }],
    ['a 403 with a message', { status: 403, json: { message: 'Forbidden', error: 403 } }],
    ['a 403 with a reason', { status: 403, json: { reason: 'private', message: 'Forbidden', error: 403 } }],
    ['an empty 403', { status: 403, body: '' }],
    ['a 403 with a single word', { status: 403, body: 'Forbidden' }],
    ['a 401', { status: 401, json: { message: 'Unauthorized', error: 401 } }],
    [
      'a redirect to the sign-in page',
      { status: 302, headers: { location: 'https://www.reddit.com/login/?dest=x' } },
    ],
  ])('are null if they are refused with %s, and the other sections are read', async (_, refusal) => {
    const { json, ...answer } = refusal as { json?: unknown }
    const { rest, error } = await lamps({ includeModerators: true }, { moderators: { json, ...answer } })
    expect(error).toBeNull()
    expect([rest.about?.display_name, rest.rules?.length, rest.moderators]).toEqual(['lamps', 1, null])
  })

  test('a block page in their place ends the run as source-blocked', async () => {
    const blockPage = { status: 403, json: undefined, body: '<h1>blocked by network security</h1>' }
    expect((await lamps({ includeModerators: true }, { moderators: blockPage })).error?.code).toBe(
      'source-blocked',
    )
  })

  test('have an empty list of permissions if the source lists none', async () => {
    expect((await lamps({ include: ['moderators'] })).rest.moderators).toEqual([
      { name: null, id: null, permissions: [], since: null },
    ])
  })
})

describe('the community', () => {
  test('may be given as a URL', async () => {
    const { rest, error } = await lamps({ community: undefined, url: 'https://new.reddit.com/r/lamps/about' })
    expect([error, rest.about?.display_name]).toEqual([null, 'lamps'])
  })

  test.each<[object, string, string]>([
    [{}, '/community', 'is required unless url is sent'],
    [
      { community: 'lamps', url: 'https://www.reddit.com/r/lamps' },
      '/url',
      'cannot be combined with community',
    ],
    [
      { community: 'All' },
      '/community',
      'must be a single community: all and popular cover all communities and have no details',
    ],
    [
      { url: 'https://www.reddit.com/r/popular/' },
      '/url',
      'must be a single community: all and popular cover all communities and have no details',
    ],
    [
      { url: 'lamps' },
      '/url',
      'must be an http(s) URL on www.reddit.com, old.reddit.com, new.reddit.com, np.reddit.com, reddit.com or another host of the source',
    ],
    [
      { url: 'https://www.reddit.com/user/ann' },
      '/url',
      'must be a community: its name, r/name, or its address, such as https://www.reddit.com/r/name',
    ],
    [{ community: 'lamps', include: [] }, '/include', 'must be an array of 1 to 3 entries'],
    [{ community: 'lamps', include: ['rules', 'rules'] }, '/include', 'must not contain duplicates'],
    [{ community: 'lamps', include: 'rules' }, '/include', 'must be an array of 1 to 3 entries'],
    [{ community: 'lamps', include: ['wiki'] }, '/include/0', 'must be one of about, rules, moderators'],
    [{ community: 'lamps', includeModerators: 'yes' }, '/includeModerators', 'must be true or false'],
  ])('%j is refused before any request', async (input, pointer, detail) => {
    const { issues, requests } = await run(DETAILS, { ...input }, [])
    expect(issues.map((issue) => [issue.pointer, issue.detail])).toEqual([[pointer, detail]])
    expect(requests).toEqual([])
  })
})

test('the banner of a community is the wide picture, or the older one if no wide one exists', async () => {
  const banner = async (data: object) =>
    (await lamps({}, { about: { json: about(data) } })).rest.about?.banner_url
  const older = 'https://img.example/old.png'
  expect(await banner({ banner_img: older })).toBe(older)
  const wide = 'https://img.example/wide.png'
  expect(await banner({ banner_img: older, banner_background_image: wide })).toBe(wide)
})
