/**
 * Every task against answers that no source should give, in this process: with the HTTP client of the service, over real
 * connections. What they are in the process of a worker, and in a browser, `hostile.test.ts` shows for the kinds of them.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { networkTransport } from '../../src/net/connection/network-transport.ts'
import { runTask } from '../../src/plugin/testing.ts'
import { readSources } from './evidence.ts'
import {
  type Answer,
  bomb,
  cut,
  gibibyte,
  loop,
  NOTHING,
  page,
  place,
  REDIRECTS,
  redirect,
  secondHop,
  startHostile,
  UNKNOWN,
} from './hostile.ts'

const JSON_TYPE = 'application/json'
const BLOCKED = ['source-blocked']
const FOLLOWED = 'too many redirects'

const fetch = networkTransport({ proxyUrl: null, allowsAddress: () => true })
/** Those that read in a browser are not among them: a browser makes a page of each of these answers. */
const tasks = (await readSources()).flatMap(({ source }) =>
  source.tasks
    .filter(({ needs }) => !needs?.browser)
    .flatMap((task) => {
      const { login } = task.needs ?? {}
      return (login === 'optional' ? [true, false] : [login === true]).map((signedIn) => ({
        ...{ source, task, signedIn },
      }))
    }),
)

let hostile: Awaited<ReturnType<typeof startHostile>>
beforeAll(async () => {
  hostile = await startHostile()
})
afterAll(() => hostile.stop())

/** How the runs of all tasks end that do not end as they should, each with its example. */
async function others(answer: Answer, expected: readonly string[]): Promise<object> {
  hostile.answerWith(answer)
  const ends = await Promise.all(
    tasks.map(async ({ source, task, signedIn }) => {
      const origin = hostile.originOf(source)
      const { error, issues } = await runTask(task, task.example, { source, origin, fetch, signedIn })
      // A redirect that was followed comes here again, whatever host it named.
      const end = error?.message === FOLLOWED ? FOLLOWED : (error?.code ?? 'succeeded')
      return [task.key, issues.length > 0 ? 'bad input' : end] as const
    }),
  )
  return Object.fromEntries(ends.filter(([, end]) => !expected.includes(end)))
}

test('there are such tasks of most sources', () => {
  expect(new Set(tasks.map(({ source }) => source)).size).toBeGreaterThan(7)
})

describe('an answer that is', () => {
  test.each<[string, Answer, readonly string[]]>([
    ['empty', page(''), NOTHING],
    ['empty and JSON', page('', JSON_TYPE), NOTHING],
    ['broken off', cut, ['source-unavailable']],
    ['a gibibyte', gibibyte(true), ['response-too-large']],
    ['a gibibyte of unknown length', gibibyte(false), ['response-too-large']],
    ['a gibibyte when it is unpacked', bomb, ['response-too-large']],
    ['JSON of another kind', page('null', JSON_TYPE), UNKNOWN],
    ['broken JSON', page('{"data": [{"id": "1", ', JSON_TYPE), UNKNOWN],
    ['an empty object', page('{}', JSON_TYPE), UNKNOWN],
    ['an empty list', page('[]', JSON_TYPE), UNKNOWN],
    ['lists in lists, 100,000 deep', page('['.repeat(1e5) + ']'.repeat(1e5), JSON_TYPE), UNKNOWN],
    [
      'objects in objects, 100,000 deep',
      page(`${'{"data":'.repeat(1e5)}1${'}'.repeat(1e5)}`, JSON_TYPE),
      UNKNOWN,
    ],
    ['of a charset that it is not', page('{"data": []}', 'application/json; charset=utf-16le'), UNKNOWN],
    [
      'of a charset that is none',
      page(Buffer.from([0xff, 0xfe, 0, 0xd8]), 'text/html; charset=x-none'),
      UNKNOWN,
    ],
    ['a page of something else', page('<html><title>Welcome</title><p>Hello.'), UNKNOWN],
    ['a page of something else, for robots', page('<meta name="robots"><title>Welcome</title>'), UNKNOWN],
    ['a captcha page', page('<title>Attention Required!</title>Please solve this captcha.'), BLOCKED],
    ['a challenge', page('<title>Just a moment...</title><script src=/cdn-cgi/x></script>'), BLOCKED],
    ['a captcha without words', page('<title>www</title><div id="px-captcha"></div>'), BLOCKED],
    ['a refusal', page('<html><title>Access Denied</title>', 'text/html', 403), BLOCKED],
  ])('%s', async (_, answer, codes) => {
    expect(await others(answer, codes)).toEqual({})
  })
})

describe('a redirect', () => {
  test.each(Object.entries(REDIRECTS))('%s', async (_, target) => {
    expect(await others(redirect(place(target)), ['source-redirected'])).toEqual({})
  })

  test.each(Object.entries(REDIRECTS))('%s at the second hop', async (_, target) => {
    expect(await others(secondHop(place(target)), ['source-redirected'])).toEqual({})
  })

  test('to itself', async () => {
    expect(await others(loop, [FOLLOWED])).toEqual({})
  })
})
