import { describe, expect, test } from 'bun:test'
import { readCassette } from 'gleaner/plugin/testing'
import { channelShorts } from './channel-shorts.ts'
import { BROWSE, browsed, idsOf, run, sentOf } from './fixtures/run.ts'
import { appended, CHANNEL, goesOn, lockup, reel, reloaded, shortsPage } from './fixtures/sample.ts'

describe('a Short', () => {
  test('becomes an item with every field', async () => {
    const { items, error } = await browsed({}, shortsPage([lockup('a', '1.6m views')]))
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

  test('of the older kind has its duration and its age', async () => {
    const overlay = {
      reelPlayerOverlayRenderer: {
        reelPlayerHeaderSupportedRenderers: {
          reelPlayerHeaderRenderer: { timestampText: { simpleText: '1 day ago' } },
        },
      },
    }
    const more = {
      navigationEndpoint: { reelWatchEndpoint: { overlay, thumbnail: { thumbnails: [{ url: '' }] } } },
    }
    const { items } = await browsed(
      {},
      shortsPage([reel('a', 'Short – a – 1 minute, 1 second – play video', more)]),
    )
    expect(items[0]).toMatchObject({
      video_id: 'a',
      title: 'Short a',
      view_count: 1_200_000,
      thumbnails: [{ url: 'https://img.example/a.jpg' }],
      duration_seconds: 61,
      published_text: '1 day ago',
    })
  })

  test.each([
    ['Title – 46 seconds – play video', 46],
    ['Title - 1 minute - play video', 60],
    ['Title – 1 hour, 2 minutes – play video', 3720],
    ['10 – 20 seconds later – play Short', null],
    ['Title – soon – play video', null],
    ['', null],
  ])('labelled %p lasts %p seconds', async (label, seconds) => {
    expect((await browsed({}, shortsPage([reel('a', label)]))).items[0]?.duration_seconds).toBe(seconds)
  })

  test.each<[string | null, number | null]>([
    ['609K views', 609_000],
    ['11M views', 11_000_000],
    ['1.6m views', 1_600_000],
    ['2.35B views', 2_350_000_000],
    ['1,234 views', 1234],
    ['1 view', 1],
    ['No views', 0],
    ['2.3 Mio. Aufrufe', null],
    [null, null],
  ])('with the text %p has the view count %p', async (text, count) => {
    const { items } = await browsed({}, shortsPage([lockup('a', text)]))
    expect([items[0]?.view_count, items[0]?.view_count_text]).toEqual([count, text])
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
    const { items } = await browsed({}, shortsPage([{ richItemRenderer: { content: odd } }]))
    expect(items[0]).toMatchObject({
      video_id: 'b',
      title: null,
      view_count: null,
      thumbnails: [{ url: 'https://img.example/b.jpg', width: null, height: null }],
    })
  })
})

describe('the channel', () => {
  const of = async (page: object) => (await browsed({}, { ...shortsPage([]), ...page })).rest.channel

  test('is read from newer pages', async () => {
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

  test('is read from older pages', async () => {
    const header = {
      c4TabbedHeaderRenderer: {
        title: 'Made up',
        channelHandleText: { runs: [{ text: '@made' }] },
        subscriberCountText: { simpleText: '3K subscribers' },
        videosCountText: { runs: [{ text: '248' }, { text: ' videos' }] },
      },
    }
    expect(await of({ metadata: {}, header })).toEqual({
      channel_id: CHANNEL,
      title: 'Made up',
      handle: '@made',
      url: `https://www.youtube.com/channel/${CHANNEL}`,
      description: null,
      avatar_url: null,
      subscriber_count_text: '3K subscribers',
      video_count_text: '248 videos',
    })
  })
})

test('requests carry the version, language and tab of the page, and a constant consent cookie', async () => {
  const { requests } = await browsed({}, shortsPage([]))
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
    const { items, rest, requests, progress } = await browsed({}, first)
    expect([idsOf(items), requests.length]).toEqual([['a', 'b'], 1])
    expect(rest).toMatchObject({ next_cursor: 't2', has_more: true, pages_fetched: 1, item_count: 2 })
    expect(progress).toEqual([{ done: 1, total: 1, message: 'pages read' }])
  })

  test('several pages: overlaps are returned once, positions continue, and the last page has no cursor', async () => {
    const { items, rest, requests } = await browsed(
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
    const { rest, requests } = await browsed({ pages: 20 }, first, appended(lockup('c'), goesOn('t2')))
    expect([rest.next_cursor, requests.length]).toEqual([null, 2])
  })

  test('a token among other commands is found; a continuation without a token ends as source-changed', async () => {
    const among = (command: object) => ({
      continuationItemRenderer: {
        continuationEndpoint: { commandExecutorCommand: { commands: [{}, command] } },
      },
    })
    const token = among({ continuationCommand: { token: 't2' } })
    expect((await browsed({}, shortsPage([lockup('a'), token]))).rest.next_cursor).toBe('t2')
    expect((await browsed({}, shortsPage([lockup('a'), among({})]))).error?.code).toBe('source-changed')
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
    expect((await browsed({ pages: 2 }, first, json)).error?.code).toBe('source-changed')
  })

  test.each([400, 404])('a refused token (%d) is not the fault of the input', async (status) => {
    const exchanges = [
      { request: BROWSE, json: first },
      { request: BROWSE, status, json: { error: { status: 'INVALID_ARGUMENT', message: 'No.' } } },
    ]
    const { items, error } = await run({ channel_id: CHANNEL, pages: 2 }, exchanges)
    expect([items.length, error?.code, error?.message]).toEqual([
      2,
      'source-changed',
      'INVALID_ARGUMENT: No.',
    ])
  })

  test('advertisements between Shorts are skipped', async () => {
    const ad = { richItemRenderer: { content: { adSlotRenderer: {} } } }
    expect(idsOf((await browsed({}, shortsPage([ad, lockup('a')]))).items)).toEqual(['a'])
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
