/** What a run makes of everything that is not a result: errors and warnings of the API, refusals, and pages. */
import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { closedRoute, type Exchange, runTask } from 'gleaner/plugin/testing'
import { search } from './search.ts'
import source from './source.ts'

const hit = (title: string) => ({ ns: 0, title })
const resultsFor = (...titles: string[]) => ({ query: { search: titles.map(hit) } })
const errorOf = (code: string) => ({ errors: [{ code, text: 'The reason.', module: 'query+search' }] })

type Answer = Omit<Exchange, 'request'>
const run = (answers: readonly Answer[], input = {}) =>
  runTask(
    search,
    { query: 'lamps', ...input },
    { source, exchanges: answers.map((answer) => ({ request: '/w/api.php', ...answer })) },
  )
/** The code and the message of the error, and the waits. */
const endOf = ({ error, pauses }: Awaited<ReturnType<typeof run>>) => [error?.code, error?.message, pauses]

describe('an error with status 200 has the code that fits', () => {
  test.each<[string, SourceErrorCode]>([
    ['readapidenied', 'private'],
    ['permissiondenied', 'private'],
    ['blocked', 'source-blocked'],
    ['autoblocked', 'source-blocked'],
    ['globalblocking-ipblocked', 'source-blocked'],
    ['badvalue', 'bad-input'],
    ['badinteger', 'bad-input'],
    ['missingparam', 'bad-input'],
    ['cirrussearch-query-too-long', 'bad-input'],
    ['cirrussearch-parse-error', 'bad-input'],
    ['cirrussearch-regex-syntax-error', 'bad-input'],
    ['cirrussearch-regex-too-complex-error', 'bad-input'],
    ['unknown_action', 'source-changed'],
    ['an-error-of-next-year', 'source-changed'],
  ])('%s: %s', async (code, ends) => {
    expect(endOf(await run([{ json: errorOf(code) }]))).toEqual([ends, `${code}: The reason.`, []])
    expect((await run([{ json: { error: { code, info: 'The reason.' } } }])).error?.code).toBe(ends)
  })
})

describe('a wiki that is busy is asked three times, with waits between', () => {
  test.each<[string, SourceErrorCode]>([
    ['maxlag', 'source-rate-limited'],
    ['ratelimited', 'source-rate-limited'],
    ['cirrussearch-too-busy-error', 'source-rate-limited'],
    ['cirrussearch-regex-too-busy-error', 'source-rate-limited'],
    ['cirrussearch-backend-error', 'source-unavailable'],
    ['search-error', 'source-unavailable'],
    ['search-text-disabled', 'source-unavailable'],
    ['readonly', 'source-unavailable'],
    ['internal_api_error_DBQueryError', 'source-unavailable'],
  ])('%s: %s', async (code, ends) => {
    const busy = { json: errorOf(code) }
    expect(endOf(await run([busy, busy, busy]))).toEqual([ends, `${code}: The reason.`, [5000, 10_000]])
    const { items, error } = await run([busy, busy, { json: resultsFor('Lamp') }])
    expect([items.length, error]).toEqual([1, null])
  })

  test.each<[string, number[]]>([
    ['20', [20_000, 20_000]],
    ['60', [60_000, 60_000]],
    // Longer than a run waits: the client is told at once.
    ['61', []],
    ['soon', [5000, 10_000]],
  ])('for as long as it says: Retry-After %s', async (after, waits) => {
    const busy = { json: errorOf('ratelimited'), headers: { 'retry-after': after } }
    expect(endOf(await run([busy, busy, busy]))).toEqual([
      'source-rate-limited',
      'ratelimited: The reason.',
      waits,
    ])
  })

  test('a busy wiki on a later page leaves the collected hits as a partial result', async () => {
    const busy = { json: errorOf('readonly') }
    const { items, rest, error } = await run(
      [{ json: { ...resultsFor('Lamp', 'Shade'), continue: { sroffset: 2 } } }, busy, busy, busy],
      { limit: 30 },
    )
    expect([items.length, error?.code]).toEqual([2, 'source-unavailable'])
    expect(rest).toEqual({
      next_cursor: null,
      partial: true,
      query: null,
      total_hits: null,
      suggestion: null,
    })
  })
})

describe('hits of a search that timed out are no result', () => {
  const words = 'The search timed out, so only some results are here.'
  test.each<[string, unknown, string]>([
    [
      'listed with codes',
      [
        { code: 'unrecognizedparams', text: 'Unrecognized.', module: 'main' },
        { code: 'cirrussearch-timed-out', text: words, module: 'query+search' },
      ],
      `cirrussearch-timed-out: ${words}`,
    ],
    [
      'with a code in another language',
      [{ code: 'cirrussearch-regex-timed-out', text: 'Zu langsam.', module: 'query+search' }],
      'cirrussearch-regex-timed-out: Zu langsam.',
    ],
    ['by module', { search: { warnings: words } }, words],
    ['by module in format version 1', { search: { '*': words } }, words],
  ])('%s', async (_, warnings, message) => {
    const late = { json: { ...resultsFor('Lamp'), warnings } }
    const whole = { json: resultsFor('Lamp', 'Shade') }
    expect(endOf(await run([late, late, late]))).toEqual(['source-unavailable', message, [5000, 10_000]])
    expect((await run([late, whole])).items.length).toBe(2)
  })

  test('other warnings change nothing', async () => {
    const warnings = [{ code: 'badinteger-toohigh', text: 'srlimit may not be over 500.', module: 'x' }]
    const { items, error, requests } = await run([{ json: { ...resultsFor('Lamp'), warnings } }])
    expect([items.length, error, requests.length]).toEqual([1, null, 1])
  })
})

describe('a refusal is told in the words of the site, and never as a fault of the input', () => {
  test('403 with a sentence', async () => {
    const body = 'Please name a contact; see https://wiki.example/robots.\n'
    const outcome = await run([{ status: 403, body, headers: { 'content-type': 'text/plain' } }])
    expect(endOf(outcome)).toEqual([
      'source-blocked',
      'Please name a contact; see https://wiki.example/robots.',
      [],
    ])
    expect(outcome.requests.length).toBe(1)
  })

  test('403 with a page', async () => {
    expect(endOf(await run([closedRoute('/w/api.php')])).slice(0, 2)).toEqual([
      'source-blocked',
      'Access denied',
    ])
  })

  test('403 without a body', async () => {
    expect((await run([{ status: 403 }])).error?.message).toBe('the source responded with 403')
  })

  test.each<[number, SourceErrorCode, number]>([
    [429, 'source-rate-limited', 3],
    [503, 'source-unavailable', 3],
    [404, 'source-changed', 1],
    [410, 'source-changed', 1],
    [418, 'source-changed', 1],
  ])('%d: %s after %d requests', async (status, code, tries) => {
    const { error, requests } = await run([{ status, body: 'Sorry.' }])
    expect([error?.code, requests.length]).toEqual([code, tries])
  })
})

describe('a response without the list of hits is an error, never zero items', () => {
  test.each([
    ['no query', { batchcomplete: true }],
    ['no search', { query: { general: {} } }],
    ['an array', ['a', [], [], []]],
    ['null', null],
    ['a hit without title', { query: { search: [{ ns: 0 }] } }],
  ])('%s', async (_, json) => {
    expect((await run([{ json }])).error?.code).toBe('source-changed')
  })

  test.each<[string, SourceErrorCode]>([
    ['<html><head><title>Wiki</title></head></html>', 'source-changed'],
    ['<html><title>Attention</title>Complete the CAPTCHA</html>', 'source-blocked'],
    ['<html><title>Access denied</title></html>', 'source-blocked'],
    ['', 'source-changed'],
    ['{"query":', 'source-changed'],
  ])('%s', async (body, code) => {
    expect((await run([{ body }])).error?.code).toBe(code)
  })
})

test('requests keep to the pace that Wikimedia asks for, with and without a contact, and other wikis to their own', () => {
  expect(source.pace).toEqual({
    perSecond: 1,
    concurrent: 1,
    together: true,
    withoutContact: { perSecond: 1 / 6, concurrent: 1 },
    replaced: { perSecond: 5, concurrent: 2 },
  })
})
