/** Lists on pages that misbehave. A fake page answers at once, where the code would wait for a real one. */
import { describe, expect, test } from 'bun:test'
import { type BrowserPage, type Context, type Reply, SourceError } from 'gleaner/plugin'
import { collect as collected, createMemory } from 'gleaner/plugin/testing'
import { add, entry, page, postEntry, searched, shows } from '../fixtures/sample.ts'
import type { Post } from '../items/post.ts'
import { POSTS } from '../kinds.ts'
import { collect } from './collect.ts'

type FeedAnswer = { readonly url: string; readonly status?: number; readonly json: unknown } | null

const at = (cursor?: string, product = 'Top') =>
  `https://x.com/i/api/graphql/x/SearchTimeline?variables=${encodeURIComponent(JSON.stringify({ product, cursor }))}`
const answer = (from: string | undefined, ids: readonly number[], next: string): FeedAnswer => ({
  url: at(from),
  json: searched(
    page(
      ids.map((n) => postEntry(n)),
      next,
    ),
  ),
})
/** A request with its variables in the body. */
const postAnswer = (ids: readonly number[], next: string): FeedAnswer => ({
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
async function run(feedAnswers: readonly FeedAnswer[], limit?: number, html = '<script></script>') {
  const queue = [...feedAnswers]
  const calls = { scrolls: 0, loads: 0, pauses: [] as number[] }
  const stand = {
    answers: () => ({
      async next() {
        const one = queue.shift() ?? null
        return (
          one &&
          ({
            status: 200,
            headers: new Headers(),
            text: async () => JSON.stringify(one.json),
            ...one,
          } as unknown as Reply)
        )
      },
    }),
    goto: async () => {
      calls.loads++
      return { status: 200, url: 'https://x.com/search' }
    },
    evaluate: async () => [],
    html: async () => html,
    wait: async () => true,
    scroll: async () => {
      calls.scrolls++
      return true
    },
  }
  const context = {
    page: async () => stand as unknown as BrowserPage,
    progress: () => {},
    note: () => {},
    exitMemory: createMemory(() => 0),
    async pause(ms: number) {
      calls.pauses.push(ms)
      return true
    },
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

test.each<[string, FeedAnswer]>([
  ['a page of repeated posts', answer('a', [1, 2], 'b')],
  ['an empty page with a repeated position', answer('a', [], 'a')],
  ['a repeated position', answer('a', [3], 'a')],
  ['a missing position', { url: at('a'), json: searched(add(postEntry(3))) }],
])('%s ends the list', async (_, last) => {
  const { next, code } = await run([answer(undefined, [1, 2], 'a'), last, answer('b', [9], 'c')], 500)
  expect([next, code]).toEqual([null, null])
})

describe('pages without a visible post do not end the list', () => {
  const tombs = (from: string, next: string): FeedAnswer => ({
    url: at(from),
    json: searched(page([entry('tweet-9', shows({ __typename: 'TweetTombstone' }))], next)),
  })
  test('up to two in a row', async () => {
    const pages = [answer('a', [], 'b'), tombs('b', 'c'), answer('c', [2], 'd')]
    const { ids, next } = await run(
      [answer(undefined, [1], 'a'), ...pages, tombs('d', 'e'), answer('e', [3], 'f')],
      500,
    )
    expect([ids, next]).toEqual([['1', '2', '3'], 'f'])
  })

  test('a third one does', async () => {
    const empty = [answer('a', [], 'b'), answer('b', [], 'c'), answer('c', [], 'd')]
    const { ids, next } = await run([answer(undefined, [1], 'a'), ...empty, answer('d', [2], 'e')], 500)
    expect([ids, next]).toEqual([['1'], null])
  })

  test('nor does one that is the first', async () => {
    const { ids, next } = await run([answer(undefined, [], 'a'), answer('a', [1], 'b')])
    expect([ids, next]).toEqual([['1'], 'b'])
  })

  test('but a page that then asks no more has reached the end, without the waits for a slow one', async () => {
    const { ids, next, code, scrolls } = await run([answer(undefined, [], 'a')])
    expect([ids, next, code, scrolls]).toEqual([[], null, null, 3])
  })

  test('a terminated list ends with its rows, or without any', async () => {
    const end = { type: 'TimelineTerminateTimeline', direction: 'Bottom' }
    const last = { url: at('a'), json: searched(page([postEntry(2)], 'b'), end) }
    const none = { url: at('a'), json: searched(page([], 'b'), end) }
    const after = async (part: FeedAnswer) => {
      const { ids, next } = await run([answer(undefined, [1], 'a'), part, answer('b', [3], 'c')], 500)
      return [ids, next]
    }
    expect(await after(last)).toEqual([['1', '2'], null])
    expect(await after(none)).toEqual([['1'], null])
  })
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

describe('responses to requests with the position in the body', () => {
  test('are read in order, and empty ones are skipped', async () => {
    const { ids, next } = await run([postAnswer([1], 'a'), postAnswer([], 'x'), postAnswer([2], 'b')], 500)
    expect([ids, next]).toEqual([['1', '2'], 'b'])
  })

  test('are those of newer posts if their position was seen', async () => {
    const { ids, next } = await run([postAnswer([2], 'a'), postAnswer([7], 'a'), postAnswer([1], 'b')], 500)
    expect([ids, next]).toEqual([['2', '1'], 'b'])
  })

  test('end the list after three without a new row, or when the page asks no more after one', async () => {
    const empty = [postAnswer([], 'b'), postAnswer([1], 'c'), postAnswer([], 'c')]
    const three = await run([postAnswer([1], 'a'), ...empty, postAnswer([2], 'd')], 500)
    expect([three.ids, three.next]).toEqual([['1'], null])
    const one = await run([postAnswer([1], 'a'), postAnswer([], 'a')], 500)
    expect([one.ids, one.next]).toEqual([['1'], null])
  })
})

test('pages are read two seconds apart', async () => {
  const { pauses } = await run([answer(undefined, [1], 'a'), answer('a', [2], 'b')], 2)
  expect(pauses).toEqual([2000])
})

describe('a site that sheds load', () => {
  const shed = (cursor?: string): FeedAnswer => ({
    url: at(cursor),
    json: { errors: [{ message: 'LoadShed: later, please' }], data: {} },
  })
  test('is asked again by the page, then by loading it anew after 2 and 4 seconds', async () => {
    const byPage = await run([shed(), answer(undefined, [1], 'a')])
    expect([byPage.ids, byPage.loads, byPage.pauses]).toEqual([['1'], 1, []])
    const anew = await run([shed(), null, null, null, shed(), null, null, null, answer(undefined, [1], 'a')])
    expect([anew.ids, anew.loads, anew.pauses]).toEqual([['1'], 3, [2000, 4000]])
  })

  test('ends the run as source-unavailable after three loads', async () => {
    const { ids, code, loads, scrolls } = await run([shed()])
    expect([ids, code, loads]).toEqual([[], 'source-unavailable', 3])
    expect(scrolls).toBeGreaterThan(3)
  })

  test('in the middle of a list is asked by the page only, because a new load begins anew', async () => {
    const once = await run([answer(undefined, [1], 'a'), shed('a'), answer('a', [2], 'b')], 500)
    expect([once.ids, once.next, once.code, once.loads]).toEqual([['1', '2'], 'b', null, 1])
    const twice = await run([answer(undefined, [1], 'a'), shed('a'), shed('a')], 500)
    expect([twice.ids, twice.code, twice.loads]).toEqual([['1'], 'source-unavailable', 1])
  })
})

test('a daily limit in the middle of a list keeps the earlier posts', async () => {
  const prompt = entry('messageprompt-1', { content: { bodyText: 'You have reached the limit' } })
  const limitAnswer = { url: at('a'), json: searched(page([prompt], 'b')) }
  const { ids, code } = await run([answer(undefined, [1], 'a'), limitAnswer], 500)
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

test('an empty page without requests ends as source-changed', async () => {
  expect((await run([])).code).toBe('source-changed')
})

test.each([
  ['the old client', '<script>window.__INITIAL_STATE__={"session":{}}</script>'],
  ['the new client', '<script src="https://abs.twimg.com/x-web/entry-client-logged-out-A1.js"></script>'],
])('a page of a signed-out visitor is recognized at once: %s', async (_, html) => {
  const { code, scrolls } = await run([answer(undefined, [1], 'a')], 5, html)
  expect([code, scrolls]).toEqual(['source-login-required', 0])
})

test('a page that requests only newer posts ends the list', async () => {
  const newer = Array.from({ length: 200 }, () => answer(undefined, [9], 'z'))
  const { ids, next } = await run([answer(undefined, [1], 'a'), ...newer], 500)
  expect([ids, next]).toEqual([['1'], 'a'])
})

test('the position is exact for a limit inside a page, at its end, and in the next page', async () => {
  const feedAnswers = [answer(undefined, [1, 2, 3], 'a'), answer('a', [3, 4, 5], 'b')]
  const at = async (limit: number) => {
    const { ids, next } = await run(feedAnswers, limit)
    return [ids.length, next]
  }
  expect([await at(2), await at(3), await at(4)]).toEqual([
    [2, '+2'],
    [3, 'a'],
    [4, 'a+2'],
  ])
})
