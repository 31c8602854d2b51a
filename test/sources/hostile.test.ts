/**
 * Every task against answers that no source should give, through real worker processes: each run ends as failed with a
 * code that says what was wrong, within its limits of time and memory.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { PLUGINS } from '../../src/catalogue/catalogue.ts'
import type { AccountId } from '../../src/domain/ids.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import type { Source } from '../../src/plugin.ts'
import { openStand, type Stand } from '../worker/stand.ts'
import {
  type Answer,
  bomb,
  cut,
  gibibyte,
  loop,
  page,
  redirect,
  secondHop,
  silence,
  startHostile,
  trickle,
} from './hostile.ts'

/** The memory that the process of a run may take, in MiB: a task's own limit unless it declares another. */
const MOST_MB = 512
const JSON_TYPE = 'application/json'
const UNKNOWN = ['source-changed', 'source-blocked']
const BLOCKED = ['source-blocked']
const NOTHING = [...UNKNOWN, 'source-unavailable', 'source-rate-limited']

let stand: Stand
let hasty: Stand
let hostile: Awaited<ReturnType<typeof startHostile>>
/** One that is signed in at every source that has a login, and one that is not. */
type Accounts = { readonly member: AccountId; readonly visitor: AccountId }
let accounts: Accounts
let hastyAccounts: Accounts
let peakMb = 0
let watching: ReturnType<typeof setInterval>

beforeAll(async () => {
  hostile = await startHostile()
  const pace = { perSecond: 10_000, concurrent: 100 }
  stand = await openStand({ plugins: PLUGINS, pace })
  hasty = await openStand({ plugins: PLUGINS, pace, runLimitS: 1 })
  const origins = new Map(
    stand.catalogue.tasks.map(({ source: { name, origin } }) => [
      name,
      // The host's name stands in the path, so that answers can be made of it.
      `${hostile.origin}/${new URL(origin).hostname}`,
    ]),
  )
  for (const each of [stand, hasty]) await each.startWorker({ sourceOrigins: origins, workerConcurrency: 4 })
  accounts = await openAccounts(stand)
  hastyAccounts = await openAccounts(hasty)
  watching = setInterval(() => {
    peakMb = Math.max(peakMb, ...peaksOfChildren())
  }, 50)
})
afterAll(async () => {
  clearInterval(watching)
  await stand.close()
  await hasty.close()
  await hostile.stop()
})

async function openAccounts(at: Stand): Promise<Accounts> {
  const [member, visitor] = [await at.openAccount(), await at.openAccount()]
  for (const source of new Set(at.catalogue.tasks.map((task) => task.source))) {
    if (!source.login) continue
    const ref = await at.vault.save(member, source.name, stateOf(source))
    const cause = { correlationId: 'test', causationId: 'test', now: at.now() }
    await at.logins.complete(member, source.name, { ref, validUntil: null, startedAt: at.now() }, cause)
  }
  return { member, visitor }
}

/** A state with the cookies by which a person is known to be signed in. */
const stateOf = ({ origin, login }: Source): string =>
  JSON.stringify({
    cookies: login?.signedIn.cookies.map((name) => ({
      ...{ name, value: 'x', domain: new URL(origin).hostname, path: '/', expires: -1 },
      ...{ httpOnly: true, secure: true, sameSite: 'Lax' },
    })),
    origins: [],
  })

/** The most memory that each child process has had, in MiB; nothing where the system does not say. */
function peaksOfChildren(): number[] {
  const children = `/proc/${process.pid}/task/${process.pid}/children`
  return readOr(children)
    .split(' ')
    .map((pid) => Number(/^VmHWM:\s+(\d+) kB/m.exec(readOr(`/proc/${pid}/status`))?.[1] ?? 0) / 1024)
}

/** Processes come and go. */
function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/**
 * How the runs of all tasks end, each with its example: `<end> <code>` by task; of those that do with a login and
 * without one, both.
 *
 * @param inBrowser whether those are among them that read in a browser
 */
async function endsWith(
  answer: Answer,
  at: Stand,
  { member, visitor }: Accounts,
  inBrowser = hasBrowser,
): Promise<[string, string][]> {
  hostile.answerWith(answer)
  const tasks = at.catalogue.tasks.filter(({ task }) => inBrowser || !task.needs?.browser)
  const runs = tasks.flatMap(({ key, task }) => {
    const { login } = task.needs ?? {}
    const who = login === 'optional' ? [member, visitor] : [login ? member : visitor]
    return who.map((account) => ({ key, account, input: task.example }))
  })
  return Promise.all(
    runs.map(async ({ key, account, input }): Promise<[string, string]> => {
      const { run_status, error } = await at.ended(await at.request(account, key, input))
      return [key, `${run_status} ${error?.code ?? ''}`.trim()]
    }),
  )
}

/**
 * Those that do not end as they should.
 *
 * @param inBrowser how runs that read in a browser may end, too
 */
const others = (
  ends: readonly (readonly [string, string])[],
  expected: readonly string[],
  inBrowser: readonly string[] = [],
): object =>
  Object.fromEntries(
    ends.filter(([key, end]) => {
      const isBrowser = stand.catalogue.get(key)?.task.needs?.browser
      return !expected.includes(end) && !(isBrowser && inBrowser.includes(end))
    }),
  )

const failed = (...codes: readonly string[]): string[] => codes.map((code) => `failed ${code}`)

test('every plugin is there', () => {
  expect(stand.catalogue.failures).toEqual([])
  const sources = new Set(stand.catalogue.tasks.map(({ source }) => source.name))
  expect(sources.size).toBe(readdirSync(PLUGINS).length)
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
  ])(
    '%s',
    async (_, answer, codes) => {
      const ends = await endsWith(answer, stand, accounts)
      expect(others(ends, failed(...codes))).toEqual({})
    },
    120_000,
  )
})

// To a browser they are all the same page, of text.
describe('JSON that is', () => {
  test.each<[string, Answer]>([
    ['broken', page('{"data": [{"id": "1", ', JSON_TYPE)],
    ['an empty object', page('{}', JSON_TYPE)],
    ['an empty list', page('[]', JSON_TYPE)],
    ['lists in lists, 100,000 deep', page('['.repeat(1e5) + ']'.repeat(1e5), JSON_TYPE)],
    ['objects in objects, 100,000 deep', page(`${'{"data":'.repeat(1e5)}1${'}'.repeat(1e5)}`, JSON_TYPE)],
  ])(
    '%s',
    async (_, answer) => {
      const ends = await endsWith(answer, stand, accounts, false)
      expect(others(ends, failed(...UNKNOWN))).toEqual({})
    },
    120_000,
  )
})

describe('a page of', () => {
  test.each([
    ['three hundred thousand elements in a row', '<b>x</b>'.repeat(3e5)],
    ['fifty thousand elements, each in the one before', '<b>'.repeat(5e4)],
  ])(
    '%s',
    async (_, elements) => {
      const ends = await endsWith(page(`<html>${elements}`), stand, accounts)
      // A browser shows whatever it gets, and may take longer for it than anybody waits.
      const late = [...failed('source-unavailable'), 'expired run-limit']
      expect(others(ends, failed(...UNKNOWN, 'response-too-large'), late)).toEqual({})
    },
    120_000,
  )
})

describe('a redirect', () => {
  const targets: Record<string, string> = {
    'to a file': 'file:///etc/passwd',
    'to this machine': 'http://127.0.0.1:22/',
    'to this machine, by name': 'http://localhost/',
    'to this machine, as a number': 'http://2130706433/',
    'to this machine, in octal': 'http://0177.0.0.1/',
    'to this machine, as IPv6': 'http://[::1]/',
    'to this machine, as mapped IPv6': 'http://[::ffff:127.0.0.1]/',
    'to the metadata of a cloud': 'http://169.254.169.254/latest/meta-data/',
    'to a script': 'javascript:alert(1)',
    'to data': 'data:text/html,hello',
    'to a host that begins like the source': 'https://HOST.evil.example/',
    'to a host that ends like the source': 'https://evilDOMAIN/',
    'to a host that looks like the source': 'https://LOOKS/',
    'to the source with user info': 'https://user:password@HOST/',
    'to another port of the source': 'https://HOST:8443/',
    'to what is no address': 'https://[',
  }
  const place = (target: string) => (host: string) =>
    target
      .replace('HOST', host)
      .replace('DOMAIN', host.replace(/^www\./, ''))
      // Letters of another script.
      .replace(
        'LOOKS',
        host.replace(/[aeo]/, (letter) => ({ a: '\u0430', e: '\u0435', o: '\u043e' })[letter]!),
      )

  /** A page asks the same function where it may go; these show that it does. */
  const inBrowser = new Set(['to a file', 'to this machine', 'to a host that begins like the source'])

  test.each(Object.entries(targets))(
    '%s',
    async (name, target) => {
      const isInBrowser = hasBrowser && inBrowser.has(name)
      const ends = await endsWith(redirect(place(target)), stand, accounts, isInBrowser)
      expect(others(ends, failed('source-redirected'))).toEqual({})
    },
    60_000,
  )

  test.each(['to this machine', 'to a host that begins like the source'])(
    '%s at the second hop',
    async (name) => {
      const ends = await endsWith(secondHop(place(targets[name]!)), stand, accounts)
      expect(others(ends, failed('source-redirected'))).toEqual({})
    },
    60_000,
  )

  test('to itself', async () => {
    expect(others(await endsWith(loop, stand, accounts), failed('source-redirected'))).toEqual({})
  }, 60_000)
})

describe('an answer that never', () => {
  test.each<[string, Answer]>([
    ['comes', silence],
    ['ends', trickle],
  ])(
    '%s: the run ends at its limit',
    async (_, answer) => {
      const ends = await endsWith(answer, hasty, hastyAccounts)
      const simple = (key: string) => hasty.catalogue.get(key)?.task.failedOnly
      const late = ends.filter(([key, end]) => end !== `${simple(key) ? 'failed' : 'expired'} run-limit`)
      expect(others(late, failed('source-unavailable'))).toEqual({})
    },
    120_000,
  )
})

test.skipIf(!existsSync('/proc/self/status'))('no process took more memory than a run may', () => {
  expect(peakMb).toBeGreaterThan(0)
  expect(peakMb).toBeLessThan(MOST_MB)
})
