/** Runs over all recorded answers. The expected values were read from the recordings by hand. */
import { describe, expect, test } from 'bun:test'
import { runTask } from 'gleaner/plugin/testing'
import { channelShorts } from '../../../plugins/video/channel-shorts.ts'
import { exchangesOf } from '../recordings.ts'
import { cases, others } from './cases.ts'

const { recordings, source } = cases

const run = (name: string) => {
  const one = cases.cases.find((each) => each.name === name)!
  return runTask(channelShorts, one.input, { source, exchanges: exchangesOf(recordings, one) })
}

/** The first and the last item of two pages of 48: id, title, views. */
const years: Record<
  string,
  [first: string[], last: string[], sorts: number, subscribers: string, videos: string]
> = {
  '2024-11': [
    ['PKnjzmH_UqU', 'My Favorite Dumplings', '745K views'],
    ['N5AKQflK1TU', 'When you impulse buy...', '8.8M views'],
    3,
    '4.02M subscribers',
    '392 videos',
  ],
  '2026-01': [
    ['l-X5WbDSH2o', 'Packing lunch for my special roommate', '895k views'],
    ['bGXP83AU3Mc', 'do u wanna get swole?', '3m views'],
    3,
    '4.32m subscribers',
    '466 videos',
  ],
  '2026-07': [
    ['Fw-iiGUW9Lg', "Cooking Korean Food for my Danish In Law's", '1.6m views'],
    ['1ivqsJSGghU', 'THREE CHILI MAPO TOFU (Vegan)', '1.3m views'],
    3,
    '4.46m subscribers',
    '484 videos',
  ],
}

describe('recorded', () => {
  test.each(cases.cases.map(({ name, ends }) => [name!, ends] as const))(
    '%s ends with the expected code',
    async (name, ends) => {
      expect((await run(name)).error?.code).toBe(ends)
    },
  )

  test('every recording is used by a case or listed as not of the task', () => {
    const used = [...new Set(cases.cases.flatMap(({ files }) => files)), ...Object.keys(others)]
    expect(used.sort()).toEqual(recordings.files())
  })

  test.each(Object.entries(years))('two pages of Shorts of %s yield 96 items', async (year, facts) => {
    const [first, last, sorts, subscribers, videos] = facts
    const { items, rest } = await run(`Shorts of ${year}`)
    const shown = (i: number) => [items.at(i)?.video_id, items.at(i)?.title, items.at(i)?.view_count_text]
    expect([items.length, shown(0), shown(-1)]).toEqual([96, first, last])
    expect(items.filter(({ view_count }) => view_count === null)).toEqual([])
    expect(items[48]).toMatchObject({ position: 48, page: 2, channel_title: 'Doobydobap' })
    expect(items.every(({ thumbnails }) => thumbnails.length >= 2)).toBe(true)
    expect(rest).toMatchObject({
      sort: 'latest',
      sort_available: ['latest', 'popular', 'oldest'].slice(0, sorts),
      pages_fetched: 2,
      has_more: true,
      channel: {
        channel_id: 'UCh8gHdtzO2tXd593_bjErWg',
        handle: '@Doobydobap',
        title: 'Doobydobap',
        subscriber_count_text: subscribers,
        video_count_text: videos,
      },
    })
    expect(rest.next_cursor).toStartWith('4qmFsg')
  })

  test('views are read in both notations', async () => {
    expect((await run('Shorts of 2026-07')).items[0]?.view_count).toBe(1_600_000)
    expect((await run('Shorts of 2024-11')).items.at(-1)?.view_count).toBe(8_800_000)
  })

  test('another order yields the rows that replace the first ones', async () => {
    const { items, requests } = await run('another order, answered with rows in the place of others')
    // The token of the chip Popular ends with its code.
    expect(JSON.parse(requests[1]!.body!).continuation).toEndWith('FpUZ1lBZyUzRCUzRA%3D%3D')
    expect(items.length).toBe(100)
    expect(items[0]).toMatchObject({ video_id: '6Z5r6oxXn_M', duration_seconds: 43, view_count: 19_000 })
    expect(items[99]).toMatchObject({
      video_id: 'moDAOY2yH3c',
      duration_seconds: 29,
      published_text: '2 months ago',
    })
  })

  test('the page of the site yields the same items as the API', async () => {
    const [byApi, byPage] = [
      await run('Shorts of 2026-07'),
      await run('refused id, read from the page of the site'),
    ]
    expect([byApi.route, byPage.route]).toEqual(['api', 'page'])
    expect(byPage.items).toEqual(byApi.items.slice(0, 48))
  })

  test('two pages in the forms since June 2026 are read, made after reports', async () => {
    const { items, rest, requests } = await run('made: two pages')
    expect(items.map(({ title, view_count, page }) => [title, view_count, page]).slice(1)).toEqual([
      ['Wind test', 932, 1],
      ['Two hundred lanterns', 2_100_000, 1],
      ['Glue', 0, 2],
      ['Glue, again', 1, 2],
    ])
    expect(rest).toMatchObject({
      next_cursor: 'bWFkZS1wYWdlLTM%3D',
      sort_available: ['latest', 'popular', 'oldest'],
      channel: { handle: '@PaperLanternYard', video_count_text: '88 videos' },
    })
    expect(requests[1]?.headers['x-goog-visitor-id']).toBe('CgttYWRlVmlzaXRvciijob6p')
  })

  test('a list of orders is read, made after reports', async () => {
    const { items, rest, requests } = await run('made: a list of orders')
    expect(JSON.parse(requests[1]!.body!).continuation).toBe('bWFkZS1vbGRlc3Q%3D')
    expect([items.length, rest.sort_available]).toEqual([2, ['latest', 'popular', 'oldest']])
  })

  test('an empty tab has no items, and an answer without a list is asked for again', async () => {
    expect((await run('made: an empty tab')).items).toEqual([])
    expect((await run('made: an answer without a list, once')).items).toHaveLength(5)
    const { items, rest } = await run('made: answers without a list')
    expect([items.length, rest.partial]).toEqual([3, true])
  })

  test('a row for members only has no views', async () => {
    const { items } = await run('a row for members only')
    expect(items[0]).toMatchObject({
      video_id: 'x3pS1_qqtIs',
      duration_seconds: 725,
      published_text: '12 hours ago',
      view_count: null,
      view_count_text: null,
    })
  })

  test('a handle is resolved to an id', async () => {
    const { requests } = await run('handle looked up')
    expect(JSON.parse(requests[1]!.body!).browseId).toBe('UCwWhs_6x42TyRM4Wstoq8HA')
  })

  test('the playlist of an age-gated channel is read', async () => {
    const { items, rest } = await run('age gate, and the playlist of 2026')
    expect(items).toMatchObject([
      {
        video_id: 'IJ8ooFfuxmk',
        title: 'Something Unphorgettable Is Coming…',
        view_count: 3200,
        duration_seconds: 8,
        published_text: '2 months ago',
        channel_title: 'Laphroaig Whisky',
      },
    ])
    expect(rest).toMatchObject({ next_cursor: null, has_more: false })
  })

  test('a playlist is read to its end: 187 items on two pages', async () => {
    const { items, rest } = await run('age gate, and a playlist of 2023 in two pages')
    expect([items.length, items[0]?.video_id, items[186]?.video_id]).toEqual([
      187,
      'bGXP83AU3Mc',
      'yPZeYB6oiP4',
    ])
    expect(items[0]).toMatchObject({
      view_count: 997_000,
      duration_seconds: 53,
      published_text: '13 days ago',
    })
    expect(rest).toMatchObject({ next_cursor: null, pages_fetched: 2 })
  })

  test('a channel without Shorts yields its profile and no items', async () => {
    const { items, rest } = await run('channel without Shorts')
    expect(items).toEqual([])
    expect(rest.channel).toMatchObject({
      channel_id: 'UCB1o7_gbFp2PLsamWxFenBg',
      title: 'X22Report',
      handle: '@X22Report-y5y',
      subscriber_count_text: '901k subscribers',
      video_count_text: '3.2k videos',
    })
  })

  test.each([
    ['unknown channel', 'This channel does not exist.'],
    ['removed channel', 'This channel was removed because it violated our Community Guidelines.'],
    ['unknown handle', 'NOT_FOUND: Requested entity was not found.'],
    ['age gate without a playlist', 'Sign in to view this channel'],
    ['rows of 2024-04', 'the list contains no Shorts but reelItemRenderer'],
    [
      'page of another tab',
      'api: 400: no message; page: the channel has Shorts, but the source sent another tab',
    ],
  ])('%s: %s', async (name, words) => {
    const { error, items } = await run(name)
    expect([error?.message, items.length]).toEqual([words, 0])
  })
})
