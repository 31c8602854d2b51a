/**
 * Every task against answers that no source should give, through real worker processes: each run ends as failed with a
 * code that says what was wrong, within its limits of time and memory. Here is one answer of each kind, and in a browser
 * where that is a way of its own; `wrong-answers.test.ts` has them all.
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
  loop,
  NOTHING,
  page,
  place,
  REDIRECTS,
  redirect,
  secondHop,
  silence,
  startHostile,
  trickle,
  UNKNOWN,
} from './hostile.ts'

/** The memory that the process of a run may take, in MiB: a task's own limit unless it declares another. */
const MOST_MB = 512

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
  const origins = new Map(stand.catalogue.tasks.map(({ source }) => [source.name, hostile.originOf(source)]))
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
  inBrowser: boolean,
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

/** Those that do not end as they should. */
const others = (ends: readonly (readonly [string, string])[], expected: readonly string[]): object =>
  Object.fromEntries(ends.filter(([, end]) => !expected.includes(end)))

const failed = (...codes: readonly string[]): string[] => codes.map((code) => `failed ${code}`)

test('every plugin is there', () => {
  expect(stand.catalogue.failures).toEqual([])
  const sources = new Set(stand.catalogue.tasks.map(({ source }) => source.name))
  expect(sources.size).toBe(readdirSync(PLUGINS).length)
})

describe('an answer that is', () => {
  test.each<[string, Answer, readonly string[], boolean]>([
    ['empty', page(''), NOTHING, false],
    ['broken off', cut, ['source-unavailable'], hasBrowser],
    ['a gibibyte when it is unpacked', bomb, ['response-too-large'], false],
    [
      'a captcha page',
      page('<title>Attention Required!</title>Please solve this captcha.'),
      ['source-blocked'],
      hasBrowser,
    ],
    // What is deep or large is for the stack and the memory of a process.
    [
      'objects in objects, 100,000 deep',
      page(`${'{"data":'.repeat(1e5)}1${'}'.repeat(1e5)}`, 'application/json'),
      UNKNOWN,
      false,
    ],
    [
      'a page of three hundred thousand elements in a row',
      page(`<html>${'<b>x</b>'.repeat(3e5)}`),
      UNKNOWN,
      false,
    ],
    [
      'a page of fifty thousand elements, each in the one before',
      page(`<html>${'<b>'.repeat(5e4)}`),
      UNKNOWN,
      false,
    ],
  ])(
    '%s',
    async (_, answer, codes, inBrowser) => {
      const ends = await endsWith(answer, stand, accounts, inBrowser)
      expect(others(ends, failed(...codes))).toEqual({})
    },
    120_000,
  )
})

describe('a redirect', () => {
  test.each<[string, Answer, boolean]>([
    ['to this machine', redirect(place(REDIRECTS['to this machine'])), hasBrowser],
    [
      'to a host that begins like the source, at the second hop',
      secondHop(place(REDIRECTS['to a host that begins like the source'])),
      false,
    ],
    ['to itself', loop, false],
  ])(
    '%s',
    async (_, answer, inBrowser) => {
      const ends = await endsWith(answer, stand, accounts, inBrowser)
      expect(others(ends, failed('source-redirected'))).toEqual({})
    },
    60_000,
  )
})

describe('an answer that never', () => {
  test.each<[string, Answer, boolean]>([
    ['comes', silence, false],
    ['ends', trickle, hasBrowser],
  ])(
    '%s: the run ends at its limit',
    async (_, answer, inBrowser) => {
      const ends = await endsWith(answer, hasty, hastyAccounts, inBrowser)
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
