/** The side column of a community: what it shows of the description, and all rules. */
import { describe, expect, test } from 'bun:test'
import type { Exchange } from 'gleaner/plugin/testing'
import { BLOCKED, column, forbidden, part, rule } from '../fixtures/parts.ts'
import { addresses, replay, visit } from '../fixtures/sample.ts'

type Rule = { priority: number; short_name: string; description: string | null }

const PART = 'feeds/subreddit-right-rail'
const MODERATORS = '/r/lamps/about/moderators.json'
const HEADER = {
  name: 'Lamps',
  'prefixed-name': 'r/Lamps',
  'display-name': 'All lamps',
  'subreddit-id': 't5_l1',
}
const details = (exchanges: readonly Exchange[], input: object = {}) =>
  visit('forum.community.details', { community: 'lamps', ...input }, exchanges)
const lamps = (inner = '', attributes: object = {}) =>
  details([part(PART, column({ ...HEADER, ...attributes }, inner))])

test('the cassette of the example: one part for both sections, and the moderators are refused', async () => {
  const outcome = await replay('details')
  expect(outcome.error).toBeNull()
  expect(addresses(outcome)).toEqual([
    'https://www.reddit.com/svc/shreddit/feeds/subreddit-right-rail',
    'https://www.reddit.com/r/gardening/about/moderators.json',
  ])
  expect(outcome.rest.about).toEqual({
    id: '2gdn1',
    fullname: 't5_2gdn1',
    display_name: 'gardening',
    display_name_prefixed: 'r/gardening',
    title: 'Gardening, slowly',
    public_description: 'For people who talk to plants.',
    description: null,
    subscribers: 412877,
    active_user_count: null,
    created_at: '2008-05-28T18:40:00Z',
    over18: null,
    quarantine: null,
    subreddit_type: 'public',
    lang: null,
    icon_url: null,
    banner_url: null,
    url: 'https://www.reddit.com/r/gardening/',
    wiki_enabled: null,
  })
  expect(outcome.rest.moderators).toBeNull()
  expect(outcome.rest.rules?.[2]).toEqual({
    short_name: 'No sales',
    description: 'Swap in the swap thread.\n\nGiving away is fine.',
    kind: null,
    violation_reason: null,
    priority: 2,
    created_at: null,
  })
})

describe('the description', () => {
  test('of weekly numbers has no subscribers', async () => {
    const { rest } = await lamps('', { 'weekly-active-users': 12, 'weekly-contributions': 3 })
    expect(rest.about).toMatchObject({
      display_name: 'Lamps',
      subscribers: null,
      created_at: null,
      subreddit_type: null,
    })
  })

  test('is for adults if the header says so', async () => {
    expect((await lamps('', { nsfw: true })).rest.about?.over18).toBe(true)
  })

  test.each([
    ['<div><time datetime="2012-05-06T07:08:09.000Z"></time></div><div> Private </div>', 'private'],
    ['<div><time datetime="2012-05-06T07:08:09.000Z"></time></div><div>Public transport</div>', null],
    ['<div>Public</div>', null],
  ])('has the kind of community that stands beside its day: %s', async (inner, type) => {
    expect((await lamps(inner)).rest.about?.subreddit_type ?? null).toBe(type)
  })
})

describe('the rules', () => {
  test('have their number, name and text', async () => {
    const { rest } = await lamps(
      rule(1, 'Be bright') + rule('2', '60 watts & no more', '<p>Really.</p><p>No.</p>'),
    )
    expect(
      (rest.rules as Rule[]).map(({ priority, short_name, description }) => [
        priority,
        short_name,
        description,
      ]),
    ).toEqual([
      [0, 'Be bright', null],
      [1, '60 watts & no more', 'Really.\n\nNo.'],
    ])
  })

  test('may be none', async () => {
    expect((await lamps()).rest.rules).toEqual([])
  })

  test('one that cannot be read is no shorter list', async () => {
    const { error } = await details([
      part(PART, column(HEADER, rule(1, 'Be bright') + rule('', 'No number'))),
      { request: '/r/lamps/about.json', ...BLOCKED },
    ])
    expect(error?.code).toBe('source-changed')
  })

  test('alone are read from the same part, and the description is null', async () => {
    const { rest } = await details([part(PART, column(HEADER, rule(1, 'Be bright')))], { include: ['rules'] })
    expect([rest.about, rest.rules?.length]).toEqual([null, 1])
  })
})

test('the column of another community is source-changed', async () => {
  const { error } = await details([
    part(PART, column({ ...HEADER, name: 'lamp' })),
    { request: '/r/lamps/about.json', ...BLOCKED },
  ])
  expect(error?.code).toBe('source-changed')
})

test('a private community is private', async () => {
  const { error, requests } = await details([part(PART, forbidden('r/lamps is a private community'), 403)])
  expect([error?.code, requests.length]).toEqual(['private', 1])
})

test('a mirror that knows only JSON is read to its end', async () => {
  const { rest, error, route } = await details(
    [
      part(PART, 'no such page', 404),
      { request: '/r/lamps/about.json', json: { kind: 't5', data: { display_name: 'lamps' } } },
      { request: '/r/lamps/about/rules.json', json: { rules: [] } },
      { request: MODERATORS, json: { kind: 'UserList', data: { children: [{ name: 'ann' }] } } },
    ],
    { includeModerators: true },
  )
  expect([error, route, rest.about?.display_name, rest.moderators?.length]).toEqual([
    null,
    'visitor',
    'lamps',
    1,
  ])
})

describe('the moderators are null for visitors', () => {
  const refusals: readonly (readonly [string, Omit<Exchange, 'request'>])[] = [
    ['with a block page', BLOCKED],
    ['with a page that is no block', { status: 404, body: '<title>Reddit</title>' }],
    ['as JSON', { status: 403, json: { message: 'Forbidden', error: 403 } }],
    ['with the sign-in', { status: 302, headers: { location: '/login/?dest=x' } }],
  ]
  test.each(refusals)('refused %s, after the other sections', async (_, refusal) => {
    const { rest, error } = await details([part(PART, column(HEADER)), { request: MODERATORS, ...refusal }], {
      includeModerators: true,
    })
    expect([error, rest.about?.display_name, rest.moderators]).toEqual([null, 'Lamps', null])
  })

  test.each(refusals)('refused %s, when only they are asked for', async (_, refusal) => {
    const { rest, error } = await details([{ request: MODERATORS, ...refusal }], { include: ['moderators'] })
    expect([error, rest.about, rest.moderators]).toEqual([null, null, null])
  })

  test('unless JSON is answered', async () => {
    const { rest } = await details(
      [part(PART, column(HEADER)), { request: MODERATORS, json: { data: { children: [{ name: 'ann' }] } } }],
      { includeModerators: true },
    )
    expect(rest.moderators).toMatchObject([{ name: 'ann' }])
  })
})
