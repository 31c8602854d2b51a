/**
 * Every task against answers that no source should give, through real worker processes: each run fails with a fitting
 * code, within its limits of time and memory. This file has one answer of each kind, in a browser and with a login where
 * that takes another code path; `wrong-answers.test.ts` has all answers, for visitors and members.
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

/** The memory limit of a run's process in MiB: the default of a task. */
const MOST_MB = 512

let stand: Stand
let hasty: Stand
let hostile: Awaited<ReturnType<typeof startHostile>>
/** An account that is signed in at every source with a login, and one that is not. */
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
  for (const each of [stand, hasty]) await each.startWorker({ sourceOrigins: origins, workerConcurrency: 8 })
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

/** A state with the cookies that mark a person as signed in. */
const stateOf = ({ origin, login }: Source): string =>
  JSON.stringify({
    cookies: login?.signedIn.cookies.map((name) => ({
      name,
      value: 'x',
      domain: new URL(origin).hostname,
      path: '/',
      expires: -1,
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
    })),
    origins: [],
  })

/** The peak memory of each child process in MiB; empty if the system does not report it. */
function peaksOfChildren(): number[] {
  const children = `/proc/${process.pid}/task/${process.pid}/children`
  return readOr(children)
    .split(' ')
    .map((pid) => Number(/^VmHWM:\s+(\d+) kB/m.exec(readOr(`/proc/${pid}/status`))?.[1] ?? 0) / 1024)
}

/** Returns an empty text if the process has ended. */
function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Which runs are included besides those of visitors without a browser. */
type Included = {
  /** tasks that read in a browser */
  readonly inBrowser?: boolean
  /** runs with a login that is optional; some rest for seconds between their requests */
  readonly asMember?: boolean
}

/** The outcomes of runs of all tasks with their example inputs: `<status> <code>` by task. */
async function endsWith(
  answer: Answer,
  at: Stand,
  { member, visitor }: Accounts,
  { inBrowser, asMember }: Included,
): Promise<[string, string][]> {
  hostile.answerWith(answer)
  const tasks = at.catalogue.tasks.filter(({ declaration: task }) => inBrowser || !task.needs?.browser)
  const runs = tasks.flatMap(({ key, declaration: task }) => {
    const { login } = task.needs ?? {}
    const who = login === 'optional' && asMember ? [member, visitor] : [login === true ? member : visitor]
    return who.map((account) => ({ key, account, input: task.example }))
  })
  return Promise.all(
    runs.map(async ({ key, account, input }): Promise<[string, string]> => {
      const { run_status, error } = await at.ended(await at.request(account, key, input))
      const end = `${run_status} ${error?.code ?? ''}`.trim()
      // A defect is never expected, so its reason may stand in the failure.
      return [key, run_status === 'errored' ? `${end}: ${error.detail}` : end]
    }),
  )
}

/** The unexpected outcomes. */
const others = (ends: readonly (readonly [string, string])[], expected: readonly string[]): object =>
  Object.fromEntries(ends.filter(([, end]) => !expected.includes(end)))

const failed = (...codes: readonly string[]): string[] => codes.map((code) => `failed ${code}`)

test('every plugin is loaded', () => {
  expect(stand.catalogue.failures).toEqual([])
  const sources = new Set(stand.catalogue.tasks.map(({ source }) => source.name))
  expect(sources.size).toBe(readdirSync(PLUGINS).length)
})

describe('every task fails with a fitting code on an answer that is', () => {
  test.each<[string, Answer, readonly string[], Included]>([
    ['empty', page(''), NOTHING, {}],
    ['cut off', cut, ['source-unavailable'], { inBrowser: hasBrowser, asMember: true }],
    ['a gibibyte after decompression', bomb, ['response-too-large'], {}],
    [
      'a captcha page',
      page('<title>Attention Required!</title>Please solve this captcha.'),
      ['source-blocked'],
      { inBrowser: hasBrowser },
    ],
    // Deep and large answers test the stack and the memory of a process.
    [
      'objects in objects, 100,000 deep',
      page(`${'{"data":'.repeat(1e5)}1${'}'.repeat(1e5)}`, 'application/json'),
      UNKNOWN,
      {},
    ],
    [
      'a page of three hundred thousand elements in a row',
      page(`<html>${'<b>x</b>'.repeat(3e5)}`),
      UNKNOWN,
      {},
    ],
    ['a page of fifty thousand nested elements', page(`<html>${'<b>'.repeat(5e4)}`), UNKNOWN, {}],
  ])(
    '%s',
    async (_, answer, codes, included) => {
      const ends = await endsWith(answer, stand, accounts, included)
      expect(others(ends, failed(...codes))).toEqual({})
    },
    120_000,
  )
})

describe('every task refuses a redirect', () => {
  test.each<[string, Answer, Included]>([
    ['to this machine', redirect(place(REDIRECTS['to this machine'])), { inBrowser: hasBrowser }],
    [
      'to a host that begins like the source, at the second hop',
      secondHop(place(REDIRECTS['to a host that begins like the source'])),
      {},
    ],
    ['to itself', loop, {}],
  ])(
    '%s',
    async (_, answer, included) => {
      const ends = await endsWith(answer, stand, accounts, included)
      expect(others(ends, failed('source-redirected'))).toEqual({})
    },
    60_000,
  )
})

describe('a run ends at its time limit when its answer never', () => {
  test.each<[string, Answer, Included]>([
    ['begins', silence, {}],
    ['ends', trickle, { inBrowser: hasBrowser, asMember: true }],
  ])(
    '%s',
    async (_, answer, included) => {
      const ends = await endsWith(answer, hasty, hastyAccounts, included)
      const simple = (key: string) => hasty.catalogue.get(key)?.declaration.failedOnly
      const late = ends.filter(([key, end]) => end !== `${simple(key) ? 'failed' : 'expired'} run-limit`)
      expect(others(late, failed('source-unavailable'))).toEqual({})
    },
    120_000,
  )
})

test.skipIf(!existsSync('/proc/self/status'))('no process exceeded the memory limit of a run', () => {
  expect(peakMb).toBeGreaterThan(0)
  expect(peakMb).toBeLessThan(MOST_MB)
})
