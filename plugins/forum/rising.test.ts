import { expect, test } from 'bun:test'
import { addresses, listing, names, posts, queriesOf, replay, run, taskOf } from './fixtures/sample.ts'

const RISING = 'forum.community.rising'

test('the task reports only succeeded and failed as final states', () => {
  expect(taskOf(RISING).failedOnly).toBe(true)
})

test('the cassette of the example: two pages, the second with one post', async () => {
  const outcome = await replay('rising-member')
  const { items, rest, error, issues } = outcome
  expect([error, issues]).toEqual([null, []])
  expect(names(outcome)).toEqual(['t3_1gdr01', 't3_1gdr02', 't3_1gdr03', 't3_1gdr04'])
  expect(rest).toEqual({ next_cursor: null, after: null, before: null, count: 4 })
  expect(items[1]).toMatchObject({
    url: 'https://seeds.example/catalogue?year=2026&kind=beans',
    post_hint: 'link',
    is_self: false,
    media: [],
    thumbnail: null,
  })
  expect(items[2]?.media).toEqual([
    {
      type: 'embed',
      url: 'https://videos.example/watch/compost-in-a-week',
      width: 356,
      height: 200,
      duration: null,
    },
  ])
})

test('the rising listing is requested, forward and backward', async () => {
  const request = '/r/lamps/rising.json'
  const on = await run(RISING, { community: 'lamps', limit: 2, after: 't3_p0' }, [
    { request, json: listing(posts(1, 2), 't3_p2') },
  ])
  expect([addresses(on), queriesOf(on)]).toEqual([
    ['https://www.reddit.com/r/lamps/rising.json'],
    [{ limit: '2', after: 't3_p0', count: '2', raw_json: '1' }],
  ])
  expect(on.rest).toEqual({ next_cursor: 't3_p2', after: 't3_p2', before: 't3_p1', count: 2 })
  const back = await run(RISING, { community: 'lamps', before: 't3_p3' }, [{ request, json: listing([]) }])
  expect(queriesOf(back)).toEqual([{ before: 't3_p3', count: '25', raw_json: '1' }])
})

test('an empty listing is a success', async () => {
  const { items, rest, error } = await run(RISING, { community: 'lamps' }, [
    { request: '/r/lamps/rising.json', json: listing([]) },
  ])
  expect([items, error, rest.next_cursor, rest.count]).toEqual([[], null, null, 0])
})

test('a limit above 100 is refused', async () => {
  const { issues } = await run(RISING, { community: 'lamps', limit: 101 }, [])
  expect(issues.map(({ pointer }) => pointer)).toEqual(['/limit'])
})
