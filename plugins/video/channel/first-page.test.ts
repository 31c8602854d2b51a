import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { createMemory, type Exchange, runTask } from 'gleaner/plugin/testing'
import { channelShorts } from '../channel-shorts.ts'
import { BROWSE, browse, idsOf, PAGE, pageWith, RESOLVE, run, sentOf } from '../fixtures/run.ts'
import {
  agePage,
  alertPage,
  appended,
  CHANNEL,
  channelPage,
  goesOn,
  lockup,
  shortsPage,
  tab,
} from '../fixtures/sample.ts'
import source from '../source.ts'

describe('a channel without Shorts', () => {
  const videos = { richGridRenderer: { contents: [lockup('a')] } }

  test.each(['latest', 'popular'] as const)('%s: zero items, never those of another tab', async (sort) => {
    const page = channelPage(
      tab('Home', 'featured'),
      tab('Videos', 'videos', { selected: true, content: videos }),
    )
    const { items, error, rest } = await browse({ sort }, page)
    expect([items.length, error]).toEqual([0, null])
    expect(rest).toMatchObject({
      next_cursor: null,
      item_count: 0,
      has_more: false,
      channel: { title: 'Made up' },
    })
  })

  test('a tab of Shorts that names no address is read', async () => {
    const shorts = tab('Shorts', '', { selected: true, content: videos, endpoint: null })
    expect(idsOf((await browse({}, channelPage(tab('Home', 'featured'), shorts))).items)).toEqual(['a'])
  })

  test('an empty grid is zero items', async () => {
    const { items, error } = await browse({}, shortsPage([]))
    expect([items.length, error]).toEqual([0, null])
  })
})

describe('a tab with a message', () => {
  test.each(['latest', 'oldest'] as const)('is zero items: %s', async (sort) => {
    const messageRenderer = { text: { simpleText: "This channel doesn't have any content" } }
    const contents = [{ itemSectionRenderer: { contents: [{ messageRenderer }] } }]
    const empty = tab('Shorts', 'shorts', { selected: true, content: { sectionListRenderer: { contents } } })
    const { items, error, rest } = await browse({ sort }, channelPage(tab('Home', 'featured'), empty))
    expect([items.length, error, rest.has_more]).toEqual([0, null, false])
  })
})

describe('an answer about the channel ends the run, whichever route brings it', () => {
  const home = {
    contents: {
      twoColumnBrowseResultsRenderer: {
        tabs: [{ tabRenderer: { selected: true, tabIdentifier: 'FEwhat_to_watch', content: {} } }],
      },
    },
  }
  const notice = 'This account has been terminated.'
  const button = { alertWithButtonRenderer: { type: 'ERROR', text: { simpleText: notice } } }

  test.each<[string, object, string]>([
    ['an alert', alertPage(notice), notice],
    ['an alert with a button', { alerts: [button] }, notice],
    ['the home page', home, 'the site shows its home page instead of the channel'],
  ])('%s', async (_, json, words) => {
    for (const exchanges of [
      [{ request: BROWSE, json }],
      [
        { request: BROWSE, status: 403 },
        { request: PAGE, body: pageWith(json) },
      ],
    ]) {
      const { error } = await run({ channel_id: CHANNEL }, exchanges)
      expect([error?.code, error?.message]).toEqual(['not-found', words])
    }
  })

  test('NOT_FOUND of the API, and 404 of the page', async () => {
    const json = { error: { code: 404, status: 'NOT_FOUND', message: 'Nothing here.' } }
    const byApi = await run({ channel_id: CHANNEL }, [{ request: BROWSE, status: 404, json }])
    expect([byApi.error?.code, byApi.error?.message]).toEqual(['not-found', 'NOT_FOUND: Nothing here.'])
    const byPage = await run({ channel_id: CHANNEL }, [
      { request: BROWSE, status: 400 },
      { request: PAGE, status: 404, body: '<title>404 Not Found</title>' },
    ])
    expect(byPage.error?.code).toBe('not-found')
  })
})

describe('an answer of the API that is never zero items', () => {
  const videos = { richGridRenderer: { contents: [lockup('a')] } }
  test.each<[string, unknown]>([
    ['null', null],
    ['an empty list', []],
    ['an empty object', {}],
    ['an informational alert', { alerts: [{ alertRenderer: { type: 'INFO', text: { simpleText: 'Hi' } } }] }],
    ['no list of tabs', { contents: { twoColumnBrowseResultsRenderer: {} } }],
    ['no tabs', channelPage()],
    ['a tab without a name', channelPage({ tabRenderer: { selected: true } })],
    [
      'another tab than Shorts, which the channel has',
      channelPage(tab('Videos', 'videos', { selected: true, content: videos }), tab('Shorts', 'shorts')),
    ],
  ])('%s: the page of the site is read instead', async (_, json) => {
    const outcome = await browse({}, json)
    expect([outcome.error?.code, outcome.items.length]).toEqual(['source-changed', 0])
    const { items, route } = await run({ channel_id: CHANNEL }, [
      { request: BROWSE, json },
      { request: PAGE, body: pageWith(shortsPage([lockup('a')])) },
    ])
    expect([idsOf(items), route]).toEqual([['a'], 'page'])
  })

  test.each<[string, unknown]>([
    ['a tab without its grid', channelPage(tab('Shorts', 'shorts', { selected: true, content: {} }))],
    ['a Short without an id', shortsPage([{ richItemRenderer: { content: { shortsLockupViewModel: {} } } }])],
    ['rows of another kind', shortsPage([{ richItemRenderer: { content: { newKindOfShort: {} } } }])],
  ])('%s', async (_, json) => {
    const { error, items } = await browse({}, json)
    expect([error?.code, items.length]).toEqual(['source-changed', 0])
  })
})

describe('any refusal of the API leads to the page of the site', () => {
  const refusals: [string, Partial<Exchange>][] = [
    [
      '400 for a good id',
      { status: 400, json: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'No.' } } },
    ],
    [
      'a failed precondition',
      { status: 400, json: { error: { status: 'FAILED_PRECONDITION', message: 'No.' } } },
    ],
    ['400 without a reason', { status: 400 }],
    ['401', { status: 401, json: { error: { status: 'UNAUTHENTICATED', message: 'No.' } } }],
    ['403', { status: 403, body: 'no' }],
    ['404 without an error', { status: 404, body: '<h1>Not Found</h1>' }],
    ['404 with a captcha', { status: 404, body: '<form id="captcha-form">' }],
    ['410', { status: 410 }],
    ['503', { status: 503 }],
    ['an error with status 200', { json: { error: { code: 500, message: 'No.' } } }],
    ['an empty body', { body: '' }],
    ['broken JSON', { body: '{"contents":' }],
    ['deeply nested JSON', { body: '['.repeat(100_000) }],
    ['an HTML page', { body: '<html><title>YouTube</title></html>' }],
    ['a consent page', { body: '<form action="https://consent.youtube.com/save">' }],
    ['a captcha page', { body: '<div class="g-recaptcha">' }],
    [
      'a redirect to consent',
      { status: 302, headers: { location: 'https://consent.youtube.com/m?continue=x' } },
    ],
  ]
  const refusal = refusals[0]![1]

  test.each(refusals)('%s: it gives the version and the visitor for the next pages', async (_, answer) => {
    const page = shortsPage([lockup('a};</script'.replace('</', '<\\/')), goesOn('t2')])
    const { items, requests, error, route } = await run({ channel_id: CHANNEL, pages: 2 }, [
      { request: BROWSE, ...answer },
      { request: PAGE, body: pageWith(page) },
      { request: BROWSE, sent: { continuation: 't2' }, json: appended(lockup('b')) },
    ])
    expect([error, items.length, route]).toEqual([null, 2, 'page'])
    const { client } = sentOf(requests.at(-1)).context
    expect([client.clientVersion, client.visitorData]).toEqual(['2.20270314.09.00', 'dmlz=='])
    // Refusals are not repeated on the same route.
    const browses = requests.filter(({ method, body }) => method === 'POST' && sentOf({ body }).browseId)
    expect(browses.length).toBe(answer.status === 503 ? 3 : 1)
  })

  test('both routes give the same items', async () => {
    const json = { ...shortsPage([lockup('a', '7 views'), goesOn('t2')]), header: {} }
    const byApi = await browse({}, json)
    const byPage = await run({ channel_id: CHANNEL }, [
      { request: BROWSE, ...refusal },
      { request: PAGE, body: pageWith(json) },
    ])
    expect([byApi.route, byPage.route]).toEqual(['api', 'page'])
    expect([byPage.items, byPage.rest]).toEqual([byApi.items, byApi.rest])
  })

  test('the data of the page is found under its other name', async () => {
    const body = pageWith(shortsPage([lockup('a')])).replace('var ytInitialData', 'window["ytInitialData"]')
    const { items } = await run({ channel_id: CHANNEL }, [
      { request: BROWSE, ...refusal },
      { request: PAGE, body },
    ])
    expect(idsOf(items)).toEqual(['a'])
  })

  test('a page without its content is loaded once more', async () => {
    const incomplete = { request: PAGE, body: pageWith({ responseContext: {} }) }
    const whole = { request: PAGE, body: pageWith(shortsPage([lockup('a')])) }
    const api = { request: BROWSE, ...refusal }
    const { items } = await run({ channel_id: CHANNEL }, [api, incomplete, whole])
    expect(idsOf(items)).toEqual(['a'])
    const { error } = await run({ channel_id: CHANNEL }, [api, incomplete, incomplete])
    expect(error?.code).toBe('source-changed')
  })

  test.each<[string, Partial<Exchange>, SourceErrorCode]>([
    ['has no data', { body: '<html></html>' }, 'source-changed'],
    ['has broken data', { body: '<script>var ytInitialData = {"a":</script>' }, 'source-changed'],
    ['is a consent form', { body: '<form action="https://consent.youtube.com/save">' }, 'source-blocked'],
    ['is a captcha form', { body: '<form id="captcha-form">' }, 'source-blocked'],
    ['answers 403', { status: 403 }, 'source-blocked'],
    ['answers 400', { status: 400 }, 'source-changed'],
    ['answers 429', { status: 429 }, 'source-rate-limited'],
    [
      'sends to a captcha',
      { status: 302, headers: { location: 'https://www.google.com/sorry/index' } },
      'source-blocked',
    ],
    [
      'sends to a sign-in',
      { status: 302, headers: { location: 'https://accounts.google.com/x' } },
      'source-login-required',
    ],
    [
      'sends elsewhere',
      { status: 302, headers: { location: 'https://elsewhere.example/' } },
      'source-redirected',
    ],
  ])('the run ends if that page %s', async (_, answer, code) => {
    const { error } = await run({ channel_id: CHANNEL }, [
      { request: BROWSE, ...refusal },
      { request: PAGE, ...answer },
    ])
    expect(error?.code).toBe(code)
  })

  test('a limit of the API is no reason to ask more', async () => {
    const { error, requests } = await run({ channel_id: CHANNEL }, [{ request: BROWSE, status: 429 }])
    expect([error?.code, requests.every(({ method }) => method === 'POST')]).toEqual([
      'source-rate-limited',
      true,
    ])
  })

  test('later runs of the process read the page at once, and repeat its version', async () => {
    const memory = createMemory(Date.now)
    const page = { request: PAGE, body: pageWith(shortsPage([lockup('a')])) }
    const input = { channel_id: CHANNEL }
    // One refusal may be due to the channel: the second one closes the route.
    for (const exchanges of [1, 2].map(() => [{ request: BROWSE, ...refusal }, page]))
      await runTask(channelShorts, input, { source, exchanges, memory })
    const { requests } = await runTask(channelShorts, input, { source, exchanges: [page], memory })
    expect(requests.map(({ method }) => method)).toEqual(['GET'])
    expect(memory.get('client version')).toBe('2.20270314.09.00')
  })
})

describe('a look-up of a handle that is refused leads to the page under the handle', () => {
  const page = (body: string): Exchange => ({ request: 'GET /@made/shorts', body })
  test.each<[string, Partial<Exchange>]>([
    ['400', { status: 400, json: { error: { status: 'INVALID_ARGUMENT' } } }],
    ['403', { status: 403 }],
    ['404 without an error', { status: 404, body: 'no' }],
    ['503', { status: 503 }],
    ['no endpoint', { json: {} }],
  ])('%s', async (_, answer) => {
    const { items, error, rest } = await run({ handle: 'made' }, [
      { request: RESOLVE, ...answer },
      page(pageWith(shortsPage([lockup('a')]))),
    ])
    expect([idsOf(items), error, rest.channel?.channel_id]).toEqual([['a'], null, CHANNEL])
  })

  const refusal = { request: RESOLVE, status: 403 }
  test('the id is read from the canonical link when the page has no details', async () => {
    const link = `<link rel="canonical" href="https://www.youtube.com/channel/${CHANNEL}">`
    const list = { onResponseReceivedActions: appended(lockup('a')).onResponseReceivedActions }
    const { requests, error } = await run({ handle: 'made' }, [
      refusal,
      page(pageWith(agePage, link)),
      { request: BROWSE, json: list },
    ])
    expect([error, sentOf(requests.at(-1)).browseId]).toEqual([null, `VLUUSH${CHANNEL.slice(2)}`])
  })

  test('a page that does not name its channel ends the run as source-changed', async () => {
    const { error } = await run({ handle: 'made' }, [{ ...refusal, status: 400 }, page(pageWith(agePage))])
    expect(error?.code).toBe('source-changed')
  })

  test('the page of an id that was found is asked for by this id', async () => {
    const { items } = await run({ handle: 'made' }, [
      { request: RESOLVE, json: { endpoint: { browseEndpoint: { browseId: CHANNEL } } } },
      { request: BROWSE, status: 400 },
      { request: PAGE, body: pageWith(shortsPage([lockup('a')])) },
    ])
    expect(idsOf(items)).toEqual(['a'])
  })
})
