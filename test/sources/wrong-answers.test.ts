/**
 * Every task against answers that no source should give, in this process, with the HTTP client of the service over real
 * connections. `hostile.test.ts` covers one answer of each kind in worker processes and in a browser.
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
/** Without tasks that read in a browser: a browser turns each of these answers into a page. */
const tasks = (await readSources()).flatMap(({ source }) =>
  source.tasks
    .filter(({ needs }) => !needs?.browser)
    .flatMap((task) => {
      const { login } = task.needs ?? {}
      return (login === 'optional' ? [true, false] : [login === true]).map((signedIn) => ({
        source,
        task,
        signedIn,
      }))
    }),
)

let hostile: Awaited<ReturnType<typeof startHostile>>
beforeAll(async () => {
  hostile = await startHostile()
})
afterAll(() => hostile.stop())

/** The outcomes of the runs that end otherwise than expected, by task. Each task runs with its example input. */
async function others(answer: Answer, expected: readonly string[]): Promise<object> {
  hostile.answerWith(answer)
  const ends = await Promise.all(
    tasks.map(async ({ source, task, signedIn }) => {
      const origin = hostile.originOf(source)
      const { error, issues } = await runTask(task, task.example, { source, origin, fetch, signedIn })
      // A followed redirect arrives here again, whatever host it names.
      const end = error?.message.includes(FOLLOWED) ? FOLLOWED : (error?.code ?? 'succeeded')
      return [task.key, issues.length > 0 ? 'bad input' : end] as const
    }),
  )
  return Object.fromEntries(ends.filter(([, end]) => !expected.includes(end)))
}

test('most sources have tasks without a browser', () => {
  expect(new Set(tasks.map(({ source }) => source)).size).toBeGreaterThan(7)
})

describe('every task fails with a fitting code on an answer that is', () => {
  test.each<[string, Answer, readonly string[]]>([
    ['empty', page(''), NOTHING],
    ['empty and JSON', page('', JSON_TYPE), NOTHING],
    ['cut off', cut, ['source-unavailable']],
    ['a gibibyte', gibibyte(true), ['response-too-large']],
    ['a gibibyte of unknown length', gibibyte(false), ['response-too-large']],
    ['a gibibyte after decompression', bomb, ['response-too-large']],
    ['JSON of another type', page('null', JSON_TYPE), UNKNOWN],
    ['broken JSON', page('{"data": [{"id": "1", ', JSON_TYPE), UNKNOWN],
    ['an empty object', page('{}', JSON_TYPE), UNKNOWN],
    ['an empty list', page('[]', JSON_TYPE), UNKNOWN],
    ['lists in lists, 100,000 deep', page('['.repeat(1e5) + ']'.repeat(1e5), JSON_TYPE), UNKNOWN],
    [
      'objects in objects, 100,000 deep',
      page(`${'{"data":'.repeat(1e5)}1${'}'.repeat(1e5)}`, JSON_TYPE),
      UNKNOWN,
    ],
    ['not in its declared charset', page('{"data": []}', 'application/json; charset=utf-16le'), UNKNOWN],
    ['in an unknown charset', page(Buffer.from([0xff, 0xfe, 0, 0xd8]), 'text/html; charset=x-none'), UNKNOWN],
    ['an unrelated page', page('<html><title>Welcome</title><p>Hello.'), UNKNOWN],
    [
      'an unrelated page with a robots meta element',
      page('<meta name="robots"><title>Welcome</title>'),
      UNKNOWN,
    ],
    ['a captcha page', page('<title>Attention Required!</title>Please solve this captcha.'), BLOCKED],
    ['a challenge', page('<title>Just a moment...</title><script src=/cdn-cgi/x></script>'), BLOCKED],
    ['a captcha without text', page('<title>www</title><div id="px-captcha"></div>'), BLOCKED],
    ['a refusal', page('<html><title>Access Denied</title>', 'text/html', 403), BLOCKED],
  ])('%s', async (_, answer, codes) => {
    expect(await others(answer, codes)).toEqual({})
  })
})

describe('every task refuses a redirect', () => {
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
