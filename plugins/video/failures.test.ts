import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { BROWSE, browsed, idsOf, PAGE, run, sentOf } from './fixtures/run.ts'
import {
  alertPage,
  appended,
  CHANNEL,
  channelPage,
  goesOn,
  lockup,
  shortsPage,
  tab,
} from './fixtures/sample.ts'

describe('a channel without Shorts', () => {
  const videos = { richGridRenderer: { contents: [lockup('a')] } }

  test.each(['latest', 'popular'] as const)('%s: zero items, never those of another tab', async (sort) => {
    const page = channelPage(
      tab('Home', 'featured'),
      tab('Videos', 'videos', { selected: true, content: videos }),
    )
    const { items, error, rest } = await browsed({ sort }, page)
    expect([items.length, error]).toEqual([0, null])
    expect(rest).toMatchObject({
      next_cursor: null,
      item_count: 0,
      has_more: false,
      channel: { title: 'Made up' },
    })
  })

  test('another tab returned for a channel with Shorts ends the run as source-changed', async () => {
    const page = channelPage(
      tab('Videos', 'videos', { selected: true, content: videos }),
      tab('Shorts', 'shorts'),
    )
    expect((await browsed({}, page)).error?.code).toBe('source-changed')
  })

  test('a tab of Shorts that names no address is read', async () => {
    const shorts = tab('Shorts', '', { selected: true, content: videos, endpoint: null })
    expect(idsOf((await browsed({}, channelPage(tab('Home', 'featured'), shorts))).items)).toEqual(['a'])
  })

  test('an empty grid is zero items', async () => {
    const { items, error } = await browsed({}, shortsPage([]))
    expect([items.length, error]).toEqual([0, null])
  })
})

describe('failure pages', () => {
  test.each([['This channel does not exist.'], ['This account has been terminated.']])(
    'an alert ends the run as not-found with the text of the source: %s',
    async (text) => {
      const { error } = await browsed({}, alertPage(text))
      expect([error?.code, error?.message]).toEqual(['not-found', text])
    },
  )

  test.each<[string, unknown]>([
    ['null', null],
    ['an empty list', []],
    ['an empty object', {}],
    ['an informational alert', { alerts: [{ alertRenderer: { type: 'INFO', text: { simpleText: 'Hi' } } }] }],
    ['no list of tabs', { contents: { twoColumnBrowseResultsRenderer: {} } }],
    ['no tabs', channelPage()],
    ['a tab without a name', channelPage({ tabRenderer: { selected: true } })],
    ['a tab without its grid', channelPage(tab('Shorts', 'shorts', { selected: true, content: {} }))],
    ['a Short without an id', shortsPage([{ richItemRenderer: { content: { shortsLockupViewModel: {} } } }])],
    ['rows of another kind', shortsPage([{ richItemRenderer: { content: { newKindOfShort: {} } } }])],
  ])('%s is never zero items', async (_, json) => {
    const { error, items } = await browsed({}, json)
    expect([error?.code, items.length]).toEqual(['source-changed', 0])
  })

  test.each<[string, string, SourceErrorCode]>([
    ['an empty body', '', 'source-changed'],
    ['broken JSON', '{"contents":', 'source-changed'],
    ['deeply nested JSON', '['.repeat(100_000), 'source-changed'],
    ['an HTML page', '<html><title>YouTube</title></html>', 'source-changed'],
    ['a consent page', '<form action="https://consent.youtube.com/save">', 'source-blocked'],
    ['a captcha page', '<div class="g-recaptcha">', 'source-blocked'],
  ])('%s', async (_, body, code) => {
    const { error } = await run({ channel_id: CHANNEL }, [{ request: BROWSE, body }])
    expect(error?.code).toBe(code)
  })

  test.each<[number, string, SourceErrorCode]>([
    [400, 'INVALID_ARGUMENT', 'bad-input'],
    [404, 'NOT_FOUND', 'not-found'],
    [401, 'UNAUTHENTICATED', 'source-login-required'],
    [401, 'OTHER', 'source-blocked'],
    [400, 'constructor', 'bad-input'],
    [429, 'RESOURCE_EXHAUSTED', 'source-rate-limited'],
    [503, 'UNAVAILABLE', 'source-unavailable'],
  ])('an error of the API: %d %s', async (status, code, ends) => {
    const json = { error: { code: status, status: code, message: 'The reason.' } }
    expect((await run({ channel_id: CHANNEL }, [{ request: BROWSE, status, json }])).error?.code).toBe(ends)
  })

  test.each<[string, SourceErrorCode]>([
    ['https://consent.youtube.com/m?continue=x', 'source-blocked'],
    ['https://www.google.com/sorry/index?continue=x', 'source-blocked'],
    ['https://accounts.google.com/ServiceLogin', 'source-login-required'],
    ['https://elsewhere.example/', 'source-redirected'],
  ])('a redirect to %s', async (location, code) => {
    const { error } = await run({ channel_id: CHANNEL }, [
      { request: BROWSE, status: 302, headers: { location } },
    ])
    expect(error?.code).toBe(code)
  })
})

describe('if the API refuses the version', () => {
  const refused = [
    { request: BROWSE, status: 403, body: 'no' },
    { request: BROWSE, status: 404, body: '<h1>Not Found</h1>' },
    {
      request: BROWSE,
      status: 400,
      json: { error: { status: 'FAILED_PRECONDITION', message: 'Precondition.' } },
    },
  ]
  const script = (assigned: string, page: unknown) =>
    `<script>ytcfg.set({"INNERTUBE_CLIENT_VERSION":"2.20270314.09.00"});</script>` +
    `<script>${assigned} = ${JSON.stringify(page)};</script><script>if (window.x) {};</script>`

  test.each(refused)(
    'the page of the site is read instead, and gives the version for the next pages',
    async (exchange) => {
      const page = shortsPage([lockup('a};</script'.replace('</', '<\\/')), goesOn('t2')])
      const { items, requests, error } = await run({ channel_id: CHANNEL, pages: 2 }, [
        exchange,
        { request: PAGE, body: script('var ytInitialData', page) },
        { request: BROWSE, json: appended(lockup('b')) },
      ])
      expect(error).toBeNull()
      expect(items.length).toBe(2)
      expect(sentOf(requests[2]).context.client.clientVersion).toBe('2.20270314.09.00')
    },
  )

  test('the data of the page is found under its other name', async () => {
    const body = script('window["ytInitialData"]', shortsPage([lockup('a')]))
    const { items } = await run({ channel_id: CHANNEL }, [refused[0]!, { request: PAGE, body }])
    expect(idsOf(items)).toEqual(['a'])
  })

  test.each<[string, string, SourceErrorCode]>([
    ['no data', '<html></html>', 'source-changed'],
    ['broken data', '<script>var ytInitialData = {"a":</script>', 'source-changed'],
    ['a consent form', '<form action="https://consent.youtube.com/save">', 'source-blocked'],
    ['a captcha form', '<form id="captcha-form">', 'source-blocked'],
  ])('the run ends if the page has %s', async (_, body, code) => {
    const { error } = await run({ channel_id: CHANNEL }, [refused[0]!, { request: PAGE, body }])
    expect(error?.code).toBe(code)
  })
})
