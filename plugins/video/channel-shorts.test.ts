import { describe, expect, test } from 'bun:test'
import { readCassette } from 'gleaner/plugin/testing'
import { channelShorts } from './channel-shorts.ts'
import { BROWSE, browse, idsOf, run, sentOf } from './fixtures/run.ts'
import { appended, CHANNEL, goesOn, goesOnNew, lockup, reloaded, shortsPage } from './fixtures/sample.ts'

describe('a Short', () => {
  test('becomes an item with every field', async () => {
    const { items, error } = await browse({}, shortsPage([lockup('a', '1.6m views')]))
    expect(error).toBeNull()
    expect(items).toEqual([
      {
        video_id: 'a',
        url: 'https://www.youtube.com/shorts/a',
        title: 'Short a',
        view_count: 1_600_000,
        view_count_text: '1.6m views',
        thumbnail_url: 'https://img.example/a.jpg',
        thumbnails: [
          { url: 'https://img.example/a.jpg', width: 405, height: 720 },
          { url: 'https://img.example/a-frame.jpg', width: 405, height: 720 },
        ],
        duration_seconds: null,
        published_text: null,
        published_at: null,
        channel_id: CHANNEL,
        channel_title: 'Made up',
        position: 0,
        page: 1,
      },
    ])
  })

  test.each<[string | null, number | null]>([
    ['609K views', 609_000],
    ['11M views', 11_000_000],
    ['1.6m views', 1_600_000],
    ['2.35B views', 2_350_000_000],
    ['1,234 views', 1234],
    ['1 view', 1],
    ['No views', 0],
    [null, null],
  ])('with the text %p has the view count %p', async (text, count) => {
    const { items } = await browse({}, shortsPage([lockup('a', text)]))
    expect([items[0]?.view_count, items[0]?.view_count_text]).toEqual([count, text])
  })

  test.each(['✪ Members only', '2.3 Mio. Aufrufe', 'Premieres tomorrow'])(
    'with %p instead of its views has no views',
    async (text) => {
      const { items } = await browse({}, shortsPage([lockup('a', text)]))
      expect(items[0]).toMatchObject({ video_id: 'a', view_count: null, view_count_text: null })
    },
  )

  test.each(['shortsLockupViewModel', 'shortsLockupViewModelV2'])('of the kind %s is read', async (form) => {
    const { items } = await browse({}, shortsPage([lockup('a', '5 views', form)]))
    expect(items[0]).toMatchObject({ video_id: 'a', title: 'Short a', view_count: 5 })
  })

  test('of the kind of other tabs is read; one for members only has no views', async () => {
    const content = {
      contentId: 'a',
      metadata: {
        lockupMetadataViewModel: {
          title: { content: 'Short a' },
          metadata: {
            contentMetadataViewModel: {
              metadataRows: [
                { metadataParts: [{ text: { content: '3 hours ago' } }] },
                {
                  badges: [
                    { badgeViewModel: { badgeText: 'Members only', badgeStyle: 'BADGE_MEMBERS_ONLY' } },
                  ],
                },
              ],
            },
          },
        },
      },
    }
    const row = { richItemRenderer: { content: { lockupViewModel: content } } }
    const { items } = await browse({}, shortsPage([row]))
    expect(items[0]).toMatchObject({
      video_id: 'a',
      title: 'Short a',
      published_text: '3 hours ago',
      view_count: null,
      view_count_text: null,
    })
  })

  test('without an id costs its row', async () => {
    const nameless = { richItemRenderer: { content: { shortsLockupViewModel: {} } } }
    const five = ['a', 'b', 'c', 'd'].map((id) => lockup(id))
    const { items, skipped } = await browse({}, shortsPage([...five, nameless]))
    expect([items.length, skipped]).toEqual([4, 1])
  })

  test('with malformed fields keeps the other fields', async () => {
    const odd = {
      shortsLockupViewModel: {
        entityId: 'shorts-shelf-item-b',
        onTap: 7,
        overlayMetadata: { primaryText: null },
        thumbnail: {
          sources: [{ url: 'javascript:1' }, { url: 'https://img.example/b.jpg', width: 'wide' }],
        },
      },
    }
    const { items } = await browse({}, shortsPage([{ richItemRenderer: { content: odd } }]))
    expect(items[0]).toMatchObject({
      video_id: 'b',
      title: null,
      view_count: null,
      thumbnails: [{ url: 'https://img.example/b.jpg', width: null, height: null }],
    })
  })
})

describe('the channel', () => {
  const of = async (page: object) => (await browse({}, { ...shortsPage([]), ...page })).rest.channel

  test('is read from its page', async () => {
    const metadataRows = [
      { metadataParts: [{ text: { content: '@made' } }] },
      { metadataParts: [{ text: { content: '4.02M subscribers' } }, { text: { content: '1 video' } }] },
    ]
    const pageHeaderViewModel = { metadata: { contentMetadataViewModel: { metadataRows } } }
    const metadata = {
      channelMetadataRenderer: {
        externalId: CHANNEL,
        title: 'Made up',
        description: 'Hello',
        vanityChannelUrl: 'http://www.youtube.com/@m%C3%A4de',
        avatar: { thumbnails: [{ url: 'https://img.example/avatar.jpg' }] },
      },
    }
    expect(
      await of({ metadata, header: { pageHeaderRenderer: { content: { pageHeaderViewModel } } } }),
    ).toEqual({
      channel_id: CHANNEL,
      title: 'Made up',
      handle: '@mäde',
      url: `https://www.youtube.com/channel/${CHANNEL}`,
      description: 'Hello',
      avatar_url: 'https://img.example/avatar.jpg',
      subscriber_count_text: '4.02M subscribers',
      video_count_text: '1 video',
    })
  })
})

test('requests carry the version, language and tab of the page, and a constant consent cookie', async () => {
  const { requests } = await browse({}, shortsPage([]))
  const { url, headers } = requests[0]!
  expect(url).toBe('https://www.youtube.com/youtubei/v1/browse?prettyPrint=false')
  expect(headers).toMatchObject({
    cookie: 'SOCS=CAE=',
    origin: 'https://www.youtube.com',
    'x-youtube-client-version': '2.20270308.01.00',
  })
  expect(sentOf(requests[0])).toMatchObject({
    context: { client: { clientName: 'WEB', clientVersion: '2.20270308.01.00', hl: 'en-GB', gl: 'GB' } },
    browseId: CHANNEL,
    params: 'EgZzaG9ydHPyBgUKA5oBAA%3D%3D',
  })
})

describe('pages', () => {
  const first = shortsPage([lockup('a'), lockup('b'), goesOn('t2')])

  test('without a number, one page is read, and the cursor names the next', async () => {
    const { items, rest, requests, progress } = await browse({}, first)
    expect([idsOf(items), requests.length]).toEqual([['a', 'b'], 1])
    expect(rest).toMatchObject({ next_cursor: 't2', has_more: true, pages_fetched: 1, item_count: 2 })
    expect(progress).toEqual([{ done: 1, total: 1, message: 'pages read' }])
  })

  test('several pages: overlaps are returned once, positions continue, and the last page has no cursor', async () => {
    const { items, rest, requests } = await browse(
      { pages: 20 },
      first,
      appended(lockup('b'), lockup('c'), goesOn('t3')),
      appended(lockup('d')),
    )
    expect(items.map(({ video_id, position, page }) => [video_id, position, page])).toEqual([
      ['a', 0, 1],
      ['b', 1, 1],
      ['c', 2, 2],
      ['d', 3, 3],
    ])
    expect(rest).toMatchObject({ next_cursor: null, has_more: false, pages_fetched: 3, item_count: 4 })
    expect(requests.slice(1).map((request) => sentOf(request).continuation)).toEqual(['t2', 't3'])
    expect(sentOf(requests[1]).browseId).toBeUndefined()
  })

  test('a page whose cursor leads back is the last', async () => {
    const { rest, requests } = await browse({ pages: 20 }, first, appended(lockup('c'), goesOn('t2')))
    expect([rest.next_cursor, requests.length]).toEqual([null, 2])
  })

  const command = { continuationCommand: { token: 't2' } }
  const commands = { commandExecutorCommand: { commands: [{ clickTrackingParams: 'x' }, command] } }
  const inRenderer = (content: object) => ({ continuationItemRenderer: content })
  const inModel = (continuationCommand: object) => ({ continuationItemViewModel: { continuationCommand } })
  test.each<[string, object]>([
    ['the endpoint', goesOn('t2')],
    ['the endpoint of several commands', inRenderer({ continuationEndpoint: commands })],
    ['a button', inRenderer({ button: { buttonRenderer: { command } } })],
    ['a button of several commands', inRenderer({ button: { buttonRenderer: { command: commands } } })],
    ['the new form', goesOnNew('t2')],
    ['the new form of several commands', inModel({ innertubeCommand: commands })],
    ['the new form without its inner command', inModel(command)],
    ['the shortest new form', inModel({ token: 't2' })],
    [
      'the endpoint, rather than a button before it',
      inRenderer({
        button: { buttonRenderer: { command: { continuationCommand: { token: 'x' } } } },
        continuationEndpoint: commands,
      }),
    ],
  ])('the token of the next page is found in %s', async (_, row) => {
    const { rest } = await browse({}, shortsPage([lockup('a'), row]))
    expect(rest).toMatchObject({ next_cursor: 't2', has_more: true })
  })

  test('a continuation without a token is a change of the source, unless no further page is wanted', async () => {
    const page = shortsPage([lockup('a'), inModel({})])
    const { items, error } = await browse({ pages: 3 }, page)
    expect([items.length, error?.code]).toEqual([1, 'source-changed'])
    const { rest, ...first } = await browse({ pages: 1 }, page)
    expect(first.error).toBeNull()
    expect(rest).toMatchObject({ next_cursor: null, has_more: true, pages_fetched: 1 })
  })

  test.each<[string, (...rows: object[]) => object]>([
    ['actions', appended],
    [
      'endpoints',
      (...rows) => ({ onResponseReceivedEndpoints: appended(...rows).onResponseReceivedActions }),
    ],
    [
      'a replacement among endpoints',
      (...rows) => ({ onResponseReceivedEndpoints: reloaded(...rows).onResponseReceivedActions }),
    ],
    [
      'a continued grid',
      (...rows) => ({ continuationContents: { richGridContinuation: { contents: rows } } }),
    ],
  ])('the rows of a later page are found under %s', async (_, answer) => {
    const { items, rest } = await browse({ pages: 2 }, first, answer(lockup('c'), goesOnNew('t3')))
    expect([idsOf(items), rest.next_cursor]).toEqual([['a', 'b', 'c'], 't3'])
  })

  test('every later request repeats what the source calls the visitor, in its latest form', async () => {
    const { requests } = await browse(
      { pages: 3 },
      { ...first, responseContext: { visitorData: 'v1' } },
      { ...appended(lockup('c'), goesOn('t3')), responseContext: { visitorData: 'v2' } },
      appended(lockup('d')),
    )
    expect(requests.map((request) => sentOf(request).context.client.visitorData)).toEqual([
      undefined,
      'v1',
      'v2',
    ])
    expect(requests.map(({ headers }) => headers['x-goog-visitor-id'])).toEqual([undefined, 'v1', 'v2'])
  })

  test('visitor data that cannot be a header is not repeated', async () => {
    const odd = { ...first, responseContext: { visitorData: 'a\nb' } }
    const { requests, error } = await browse({ pages: 2 }, odd, appended(lockup('c')))
    expect([error, requests[1]?.headers['x-goog-visitor-id']]).toEqual([null, undefined])
  })

  test('an answer without its list is asked for once more, with the visitor data that it brought', async () => {
    const empty = { responseContext: { visitorData: 'v2' }, trackingParams: 'x' }
    const { items, requests, error } = await browse({ pages: 2 }, first, empty, appended(lockup('c')))
    expect([idsOf(items), error]).toEqual([['a', 'b', 'c'], null])
    const [, second, third] = requests.map(sentOf)
    expect([second.continuation, third.continuation]).toEqual(['t2', 't2'])
    expect(third.context.client.visitorData).toBe('v2')
  })

  test('a failing later page keeps the earlier items', async () => {
    const exchanges = [
      { request: BROWSE, json: first },
      { request: BROWSE, status: 500 },
    ]
    const { items, error, rest } = await run({ channel_id: CHANNEL, pages: 2 }, exchanges)
    expect([idsOf(items), error?.code, rest.partial]).toEqual([['a', 'b'], 'source-unavailable', true])
  })

  test.each([
    ['no actions', {}],
    ['null', null],
    ['an empty list', []],
    ['only a header', { onResponseReceivedActions: reloaded().onResponseReceivedActions.slice(0, 1) }],
    ['rows of another kind', appended({ newKindOfShort: {} })],
  ])('%s on a later page ends the run as source-changed', async (_, json) => {
    const { error, items } = await browse({ pages: 2 }, first, json, json)
    expect([error?.code, items.length]).toEqual(['source-changed', 2])
  })

  test.each([
    [400, 'INVALID_ARGUMENT'],
    [404, 'NOT_FOUND'],
  ])('a refused token (%d) is not the fault of the input', async (status, code) => {
    const exchanges = [
      { request: BROWSE, json: first },
      { request: BROWSE, status, json: { error: { status: code, message: 'No.' } } },
    ]
    const { items, error } = await run({ channel_id: CHANNEL, pages: 2 }, exchanges)
    expect([items.length, error?.code, error?.message]).toEqual([2, 'source-changed', `${code}: No.`])
  })

  test('advertisements between Shorts are skipped', async () => {
    const ad = { richItemRenderer: { content: { adSlotRenderer: {} } } }
    expect(idsOf((await browse({}, shortsPage([ad, lockup('a')]))).items)).toEqual(['a'])
  })
})

describe('the cassette', () => {
  const { input, exchanges } = readCassette(new URL('./fixtures/channel-shorts.json', import.meta.url))

  test('two overlapping pages of a channel', async () => {
    expect(input).toEqual(channelShorts.example)
    const { items, rest, error } = await run(input, exchanges)
    expect(error).toBeNull()
    expect(items.map(({ title, view_count, page }) => [title, view_count, page])).toEqual([
      ['Folding a boat that floats', 1_600_000, 1],
      ['A crane in forty seconds', 439_000, 1],
      ['Paper lamp, no glue', 1204, 1],
      ['The hat everyone gets wrong', 0, 2],
      ['Members see this kite first', null, 2],
    ])
    expect(rest).toMatchObject({
      next_cursor: null,
      pages_fetched: 2,
      sort_available: ['latest', 'popular', 'oldest'],
      channel: {
        handle: '@PaperBoatStudio',
        subscriber_count_text: '48.1k subscribers',
        video_count_text: '212 videos',
      },
    })
  })

  test.each<['popular' | 'oldest', string]>([
    ['popular', 'Folding a boat that floats'],
    ['oldest', 'Members see this kite first'],
  ])('sorted by %s', async (sort, title) => {
    const { items } = await run({ ...input, sort }, exchanges)
    expect([items.length, items[0]?.title]).toEqual([5, title])
  })
})

test.each([
  ['shorts-by-page', 'page', ['mdLoaf00001', 'mdLoaf00002', 'mdLoaf00003']],
  ['shorts-handle-by-page', 'page', ['mdGate00002', 'mdGate00001']],
  ['shorts-age-gate', 'api', ['mdCask00001', 'mdCask00002', 'mdCask00003']],
  ['shorts-own-order', 'api', ['mdClock0300', 'mdClock0299']],
  ['shorts-list-of-orders', 'api', ['mdClub00001', 'mdClub00002']],
])('the cassette %s is read by the route %s', async (name, by, ids) => {
  const { input, exchanges } = readCassette(new URL(`./fixtures/${name}.json`, import.meta.url))
  const { items, route, error } = await run(input, exchanges)
  expect([error, route, idsOf(items)]).toEqual([null, by, ids])
})
