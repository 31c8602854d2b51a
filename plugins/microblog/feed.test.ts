/** Lists on pages that misbehave. A fake page answers at once, where the code would wait for a real one. */
import { expect, test } from 'bun:test'
import { type BrowserPage, type Context, type Reply, SourceError } from 'gleaner/plugin'
import { collect as collected } from 'gleaner/plugin/testing'
import { collect } from './collect.ts'
import { add, entry, page, postEntry, searched, shows } from './fixtures/sample.ts'
import { POSTS } from './kinds.ts'
import type { Post } from './post.ts'

type Given = { readonly url: string; readonly status?: number; readonly json: unknown } | null

const at = (cursor?: string, product = 'Top') =>
  `https://x.com/i/api/graphql/x/SearchTimeline?variables=${encodeURIComponent(JSON.stringify({ product, cursor }))}`
const answer = (from: string | undefined, ids: readonly number[], next: string): Given => ({
  url: at(from),
  json: searched(
    page(
      ids.map((n) => postEntry(n)),
      next,
    ),
  ),
})
/** A request with its variables in the body. */
const posted = (ids: readonly number[], next: string): Given => ({
  url: 'https://x.com/i/api/graphql/x/SearchTimeline',
  json: searched(
    page(
      ids.map((n) => postEntry(n)),
      next,
    ),
  ),
})

/**
 * Collects from a page that gets these responses one after the other, and no more. Null: no response arrives in time.
 */
async function run(given: readonly Given[], limit?: number, html = '<script></script>') {
  const left = [...given]
  const calls = { scrolls: 0 }
  const stand = {
    answers: () => ({
      async next() {
        const one = left.shift() ?? null
        return (
          one && ({ status: 200, ...one, text: async () => JSON.stringify(one.json) } as unknown as Reply)
        )
      },
    }),
    goto: async () => ({ status: 200, url: 'https://x.com/search' }),
    evaluate: async () => [],
    html: async () => html,
    scroll: async () => {
      calls.scrolls++
      return true
    },
  }
  const context = {
    page: async () => stand as unknown as BrowserPage,
    progress: () => {},
  } as unknown as Context
  const kind = { ...POSTS }
  const rows: Post[] = []
  const list = collect<Post>({ context, kind, limit, path: '/search', answers: /x/, isOwn: () => true })
  try {
    const [, next] = await collected(
      (async function* () {
        for (;;) {
          const step = await list.next()
          if (step.done) return step.value
          rows.push(step.value)
          yield step.value
        }
      })(),
    )
    return { ids: rows.map(({ id }) => id), next, code: null, ...calls }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    return { ids: rows.map(({ id }) => id), next: null, code: error.code, ...calls }
  }
}

test('a list is read as long as its page requests it, and returns its position', async () => {
  const { ids, next } = await run([answer(undefined, [1, 2], 'a'), answer('a', [3], 'b')], 500)
  expect([ids, next]).toEqual([['1', '2', '3'], 'b'])
})

test('a slow page is scrolled again', async () => {
  const { ids, next, scrolls } = await run(
    [answer(undefined, [1], 'a'), null, null, answer('a', [2], 'b'), answer('b', [2], 'c')],
    500,
  )
  expect([ids, next, scrolls]).toEqual([['1', '2'], null, 4])
})

test('the first response is awaited without scrolling', async () => {
  const { scrolls } = await run([answer(undefined, [1], 'a')])
  expect(scrolls).toBe(0)
})

test.each<[string, Given]>([
  ['a page without a new post', answer('a', [1, 2], 'b')],
  ['an empty page', answer('a', [], 'b')],
  ['a repeated position', answer('a', [3], 'a')],
  ['a missing position', { url: at('a'), json: searched(add(postEntry(3))) }],
])('%s ends the list', async (_, last) => {
  const { next, code } = await run([answer(undefined, [1, 2], 'a'), last, answer('b', [9], 'c')], 500)
  expect([next, code]).toEqual([null, null])
})

test('a page of invisible posts does not end the list', async () => {
  const tombs = {
    url: at('a'),
    json: searched(page([entry('tweet-9', shows({ __typename: 'TweetTombstone' }))], 'b')),
  }
  const { ids } = await run([answer(undefined, [1], 'a'), tombs, answer('b', [2], 'c')], 500)
  expect(ids).toEqual(['1', '2'])
})

test('repeated responses and responses with newer posts are ignored', async () => {
  const { ids, next } = await run(
    [
      answer(undefined, [5, 4], 'a'),
      answer(undefined, [7, 6, 5], 'z'),
      { url: at('top-a'), json: searched(page([postEntry(8)], 'y')) },
      answer('a', [3], 'b'),
      answer('a', [3], 'b'),
      answer('b', [2], 'c'),
      answer('c', [], 'd'),
    ],
    500,
  )
  expect([ids, next]).toEqual([['5', '4', '3', '2'], null])
})

test('responses to requests with the position in the body are read in order, and empty ones are skipped', async () => {
  const { ids, next } = await run([posted([1], 'a'), posted([], 'x'), posted([2], 'b')], 500)
  expect([ids, next]).toEqual([['1', '2'], 'b'])
})

test('one failed response in a list is tolerated, a second one ends the run as source-unavailable', async () => {
  const broken: Given = { url: at('a'), status: 503, json: {} }
  const once = await run([answer(undefined, [1], 'a'), broken, answer('a', [2], 'b')], 500)
  expect([once.ids, once.next, once.code]).toEqual([['1', '2'], 'b', null])
  const twice = await run([answer(undefined, [1], 'a'), broken, broken], 500)
  expect([twice.ids, twice.code]).toEqual([['1'], 'source-unavailable'])
  const first = await run([{ url: at(), status: 503, json: {} }])
  expect([first.ids, first.code]).toEqual([[], 'source-unavailable'])
})

test('a daily limit in the middle of a list keeps the earlier posts', async () => {
  const prompt = entry('messageprompt-1', { content: { bodyText: 'You have reached the limit' } })
  const limited = { url: at('a'), json: searched(page([prompt], 'b')) }
  const { ids, code } = await run([answer(undefined, [1], 'a'), limited], 500)
  expect([ids, code]).toEqual([['1'], 'source-rate-limited'])
})

test('a prompt next to posts is no limit', async () => {
  const prompt = entry('messageprompt-1', { content: { bodyText: 'Subscribe' } })
  const { ids, code } = await run([{ url: at(), json: searched(page([prompt, postEntry(1)], 'b')) }])
  expect([ids, code]).toEqual([['1'], null])
})

test('an unreadable later response ends the run as source-changed, and keeps the earlier posts', async () => {
  const { ids, code } = await run([answer(undefined, [1], 'a'), { url: at('a'), json: { data: {} } }], 500)
  expect([ids, code]).toEqual([['1'], 'source-changed'])
})

test('a page without a script ends as source-changed, and a challenge page as source-blocked', async () => {
  expect((await run([answer(undefined, [1], 'a')], 5, '<p>Hello</p>')).code).toBe('source-changed')
  expect((await run([], 5, '<title>Just a moment...</title>')).code).toBe('source-blocked')
})

test('an empty page without requests ends as source-changed, or if signed out as source-login-required', async () => {
  expect((await run([])).code).toBe('source-changed')
  expect((await run([], 5, '<script>window.__INITIAL_STATE__={"session":{}}</script>')).code).toBe(
    'source-login-required',
  )
})

test('a page that requests only newer posts ends the list', async () => {
  const newer = Array.from({ length: 200 }, () => answer(undefined, [9], 'z'))
  const { ids, next } = await run([answer(undefined, [1], 'a'), ...newer], 500)
  expect([ids, next]).toEqual([['1'], 'a'])
})

test('the position is exact for a limit inside a page, at its end, and in the next page', async () => {
  const given = [answer(undefined, [1, 2, 3], 'a'), answer('a', [3, 4, 5], 'b')]
  const at = async (limit: number) => {
    const { ids, next } = await run(given, limit)
    return [ids.length, next]
  }
  expect([await at(2), await at(3), await at(4)]).toEqual([
    [2, '+2'],
    [3, 'a'],
    [4, 'a+2'],
  ])
})
