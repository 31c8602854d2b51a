import { describe, expect, test } from 'bun:test'
import { runTask } from 'gleaner/plugin/testing'
import { type Input, offer, onPage, PAGE, run, trip } from './fixtures/run.ts'
import { pageWith, results } from './fixtures/sample.ts'
import { search } from './search.ts'
import source from './source.ts'

describe('the dates', () => {
  const page = pageWith([], results([offer('1')], null))

  test('the departure date defaults to four weeks from today', async () => {
    expect((await onPage(page)).rest).toMatchObject({ depart_date: '2027-03-29', return_date: null })
  })

  test.each<[string, boolean]>([
    ['2027-03-01', true],
    ['2027-02-27', false],
    ['2026-12-31', false],
  ])('departure date %s is accepted: %p', async (depart_date, isTaken) => {
    const { requests, issues } = await onPage(page, { ...trip, depart_date })
    expect([requests.length, issues[0]?.pointer]).toEqual(isTaken ? [1, undefined] : [0, '/depart_date'])
  })

  test('a date is in the past only once it is past in every time zone', async () => {
    const at = (now: string) =>
      runTask(
        search,
        { ...trip, depart_date: '2027-02-28' },
        { source, exchanges: [{ request: PAGE, body: page }], now: () => Date.parse(now) },
      )
    expect((await at('2027-03-01T11:59:59Z')).issues).toEqual([])
    expect((await at('2027-03-01T12:00:00Z')).issues.length).toBe(1)
  })
})

describe('an input that is refused before any request', () => {
  test.each<[string, Input]>([
    ['/origin', { destination: 'BBB' }],
    ['/origin', { ...trip, origin: '' }],
    ['/origin', { ...trip, origin: '  ' }],
    ['/destination', { origin: 'AAA' }],
    ['/destination', { ...trip, destination: 'x'.repeat(1001) }],
    ['/destination', { ...trip, destination: 'a\u0000b' }],
    ['/adults', { ...trip, adults: 0 }],
    ['/adults', { ...trip, adults: 10 }],
    ['/adults', { ...trip, adults: 1.5 }],
    ['/limit', { ...trip, limit: 0 }],
    ['/limit', { ...trip, limit: 501 }],
    ['/depart_date', { ...trip, depart_date: '29.03.2027' }],
    ['/depart_date', { ...trip, depart_date: '2027-02-29' }],
    ['/depart_date', { ...trip, depart_date: '2027-13-01' }],
    ['/return_date', { ...trip, depart_date: '2027-03-29', return_date: '2027-04-31' }],
    ['/return_date', { ...trip, depart_date: '2027-03-29', return_date: '2027-03-28' }],
    ['/depart_date', { ...trip, depart_date: '2027-02-20', return_date: '2027-04-02' }],
    ['/depart_date', { ...trip, return_date: '2027-03-28' }],
    ['/cursor', { ...trip, cursor: '1' } as Input],
  ])('%s in %j', async (pointer, input) => {
    const { issues, requests } = await run(input, [])
    expect([issues.map((issue) => issue.pointer), requests.length]).toEqual([[pointer], 0])
  })

  test('both days are told at once', async () => {
    const pointersOf = async (days: Input) =>
      (await run({ ...trip, ...days }, [])).issues.map(({ pointer }) => pointer)
    const both = ['/depart_date', '/return_date']
    expect(await pointersOf({ depart_date: '2020-03-29', return_date: '2019-03-29' } as Input)).toEqual(both)
    expect(await pointersOf({ depart_date: '2027-02-30', return_date: '2019-03-29' } as Input)).toEqual(both)
    expect(await pointersOf({ return_date: '2019-03-29' } as Input)).toEqual(both)
  })

  test('a return on the departure date is accepted', async () => {
    const input = { ...trip, depart_date: '2028-02-29', return_date: '2028-02-29' }
    expect((await onPage(pageWith([], results([offer('1')], null)), input)).error).toBeNull()
  })
})
