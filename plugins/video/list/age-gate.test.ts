import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import type { Exchange } from 'gleaner/plugin/testing'
import { BROWSE, browse, idsOf, run, sentOf } from '../fixtures/run.ts'
import { agePage, alertPage, appended, CHANNEL, goesOn, goesOnNew } from '../fixtures/sample.ts'

describe('an age gate', () => {
  const video = (videoId: string) => ({
    playlistVideoRenderer: {
      videoId,
      title: { runs: [{ text: `Short ${videoId}` }] },
      thumbnail: { thumbnails: [] },
      lengthSeconds: '43',
      videoInfo: { runs: [{ text: '19k views' }, { text: ' • ' }, { text: '1 day ago' }] },
    },
  })
  const playlist = (...contents: unknown[]) => ({
    header: {
      playlistHeaderRenderer: { ownerEndpoint: { browseEndpoint: { canonicalBaseUrl: '/@grown-ups' } } },
    },
    contents: {
      twoColumnBrowseResultsRenderer: {
        tabs: [
          {
            tabRenderer: {
              content: { sectionListRenderer: { contents: [{ itemSectionRenderer: { contents } }] } },
            },
          },
        ],
      },
    },
  })

  test('hides the channel, but not the playlist of its Shorts', async () => {
    const list = { playlistVideoListRenderer: { contents: [video('a'), goesOn('t2')] } }
    const { items, rest, requests } = await browse(
      { pages: 2 },
      agePage,
      playlist(list),
      appended(video('b')),
    )
    expect(sentOf(requests[1]).browseId).toBe(`VLUUSH${'a'.repeat(22)}`)
    expect(items[0]).toMatchObject({
      video_id: 'a',
      title: 'Short a',
      view_count: 19_000,
      duration_seconds: 43,
      published_text: '1 day ago',
      published_at: null,
      channel_title: 'Made up for adults',
    })
    expect(idsOf(items)).toEqual(['a', 'b'])
    expect(rest).toMatchObject({
      next_cursor: null,
      sort_available: ['latest'],
      channel: {
        channel_id: CHANNEL,
        title: 'Made up for adults',
        handle: '@grown-ups',
        avatar_url: 'https://img.example/avatar.jpg',
      },
    })
  })

  test('lets the items of the playlist be read in the form of 2026', async () => {
    const lockupViewModel = {
      contentId: 'a',
      contentImage: {
        thumbnailViewModel: {
          image: { sources: [{ url: 'https://img.example/a.jpg', width: 168, height: 94 }] },
          overlays: [
            { thumbnailOverlayProgressBarViewModel: {} },
            {
              thumbnailBottomOverlayViewModel: {
                badges: [
                  { thumbnailBadgeViewModel: { text: 'CC' } },
                  { thumbnailBadgeViewModel: { text: '1:08' } },
                ],
              },
            },
          ],
        },
      },
      metadata: {
        lockupMetadataViewModel: {
          title: { content: 'Short a' },
          metadata: {
            contentMetadataViewModel: {
              metadataRows: [
                { metadataParts: [{ text: { content: 'Made up for adults' } }] },
                {
                  metadataParts: [{ text: { content: '3.2k views' } }, { text: { content: '2 months ago' } }],
                },
              ],
            },
          },
        },
      },
    }
    const { items } = await browse({}, agePage, playlist({ lockupViewModel }))
    expect(items[0]).toMatchObject({
      video_id: 'a',
      title: 'Short a',
      view_count_text: '3.2k views',
      duration_seconds: 68,
      published_text: '2 months ago',
      thumbnails: [{ url: 'https://img.example/a.jpg', width: 168, height: 94 }],
    })
  })

  test.each<[string, unknown, SourceErrorCode, string]>([
    ['no playlist', alertPage('The playlist does not exist.'), 'restricted', 'Sign in to view this channel'],
    ['a playlist without a list', { header: {} }, 'source-changed', 'the page has no contents'],
    ['a second gate', agePage, 'restricted', 'Sign in to view this channel'],
    [
      'a list of another kind',
      playlist({ newKindOfShort: {} }),
      'source-changed',
      'the list contains no Shorts but newKindOfShort',
    ],
  ])('with %s ends the run', async (_, json, code, words) => {
    const { error } = await browse({}, agePage, json)
    expect([error?.code, error?.message]).toEqual([code, words])
  })

  test.each<[string, Partial<Exchange>, SourceErrorCode]>([
    ['not found', { status: 404, json: { error: { status: 'NOT_FOUND' } } }, 'restricted'],
    ['404 of no API', { status: 404 }, 'source-changed'],
    ['400', { status: 400, json: { error: { status: 'INVALID_ARGUMENT' } } }, 'source-changed'],
    ['403', { status: 403 }, 'source-blocked'],
    ['503', { status: 503 }, 'source-unavailable'],
  ])('whose playlist is answered with %s ends the run as %s', async (_, answer, code) => {
    const { error } = await run({ channel_id: CHANNEL }, [
      { request: BROWSE, json: agePage },
      { request: BROWSE, ...answer },
    ])
    expect(error?.code).toBe(code)
  })

  const some = playlist({ playlistVideoListRenderer: { contents: [video('a'), video('b')] } })
  test('has another playlist with the most popular first', async () => {
    const { items, requests, rest } = await browse({ sort: 'popular' }, agePage, some)
    expect(sentOf(requests[1]).browseId).toBe(`VLUUPS${'a'.repeat(22)}`)
    expect([idsOf(items), rest.sort_available]).toEqual([
      ['a', 'b'],
      ['latest', 'popular'],
    ])
  })

  test('without that playlist, the latest are sorted here if the whole list was read', async () => {
    const missing = alertPage('The playlist does not exist.')
    const { items, rest } = await browse({ sort: 'popular' }, agePage, missing, some)
    expect([idsOf(items), rest.sort_available]).toEqual([['a', 'b'], ['latest']])
    const long = playlist({ playlistVideoListRenderer: { contents: [video('a'), goesOnNew('t2')] } })
    const { error, requests } = await browse({ sort: 'oldest' }, agePage, long)
    expect([error?.code, requests.length]).toEqual(['bad-input', 2])
  })

  test('lets a playlist go on after its section', async () => {
    const page = playlist(video('a'))
    page.contents.twoColumnBrowseResultsRenderer.tabs[0]!.tabRenderer.content.sectionListRenderer.contents.push(
      goesOnNew('t2') as never,
    )
    expect((await browse({}, agePage, page)).rest.next_cursor).toBe('t2')
  })
})
