/** The exits of a process: rests are shared through the store, and a store that is away harms no run. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MemoryEphemeralStore } from '../../../rigs/simulation/stores/ephemeral.ts'
import { leaving } from '../../../rigs/support/away.ts'
import { readConfig } from '../../../src/config.ts'
import type { ExitRests } from '../../../src/ephemeral/exit-rests.ts'
import { type ExitOutcome, Exits } from '../../../src/net/exits/exits.ts'
import { FAILURES } from '../../../src/net/exits/rest.ts'

const MINUTE = 60_000
const ENV = {
  PROXY_URL: 'http://u:marker@a.example:1 http://u:marker@b.example:1',
  PROXY_HOME: 'socks5://u-{session}-{country}:marker@gw.example:1080',
  PROXY_ONE: 'http://one.example',
  SOURCE_REALTY_PROXY: 'home',
  SOURCE_REALTY_COUNTRY: 'de',
  SOURCE_VIDEO_PROXY: 'direct',
  SOURCE_PHOTO_PROXY: 'one',
  SOURCE_MOCKED_ORIGIN: 'http://127.0.0.1:1',
}

let now: number
let isAway: boolean
let rests: ExitRests
let lines: unknown[]
let warnings: unknown[]
beforeEach(() => {
  now = 1_000_000
  isAway = false
  lines = []
  warnings = []
  rests = leaving(new MemoryEphemeralStore().exitRests, () => isAway)
})
const exitsFor = (env: Record<string, string> = ENV): Exits =>
  new Exits({
    config: readConfig(env),
    rests,
    now: () => now,
    logger: {
      debug: (...line: unknown[]) => void lines.push(line),
      warn: (...line: unknown[]) => void warnings.push(line),
    },
  })

/** The labels of the exits that runs get. */
async function labelsFor(exits: Exits, source: string, tried?: readonly string[]): Promise<string[]> {
  const labels = new Set<string>()
  for (let i = 0; i < 60; i++) labels.add((await exits.forRun(source, tried))?.label ?? 'direct')
  return [...labels].sort()
}

test('a source goes out through its way, and directly if it has none', async () => {
  const exits = exitsFor()
  expect(await labelsFor(exits, 'forum')).toEqual(['default#1', 'default#2'])
  expect(await labelsFor(exits, 'realty')).toEqual(['home#1'])
  expect(await labelsFor(exits, 'photo')).toEqual(['one#1'])
  expect(await exits.forRun('video')).toBeNull()
  expect(await exits.forRun('mocked')).toBeNull()
  expect([exits.forLogin('video', 'l'), exits.forLogin('mocked', 'l')]).toEqual([null, null])
  expect(await exitsFor({}).forRun('forum')).toBeNull()
})

test('each run has a session of its own; a login has the same one always', async () => {
  const exits = exitsFor()
  const urls = await Promise.all([exits.forRun('realty'), exits.forRun('realty')])
  for (const exit of urls) expect(exit?.url).toMatch(/^socks5:\/\/u-[a-z2-7]{16}-de:marker@gw\.example:1080$/)
  expect(urls[0]?.url).not.toBe(urls[1]?.url)
  const login = exits.forLogin('realty', 'login-acc_1.realty')
  expect(login?.url).toMatch(/^socks5:\/\/u-[a-z2-7]{16}-de:marker@gw\.example:1080$/)
  expect(exitsFor().forLogin('realty', 'login-acc_1.realty')).toEqual(login)
})

test('whether a run can start over: at another entry or session, never directly', () => {
  const exits = exitsFor()
  expect(exits.hasOther('forum', ['default#1'])).toBe(true)
  expect(exits.hasOther('forum', ['default#1', 'default#2'])).toBe(false)
  expect(exits.hasOther('realty', ['home#1'])).toBe(true)
  expect(exits.hasOther('photo', ['one#1'])).toBe(false)
  expect(exits.hasOther('video', [])).toBe(false)
})

describe('an exit', () => {
  const FIRST = { label: 'default#1', number: 1 }
  const HOME = { label: 'home#1', number: 1 }

  test('that a source blocked rests for that source, on all nodes', async () => {
    await exitsFor().ended(FIRST, 'forum', 'blocked')
    const other = exitsFor()
    expect(await labelsFor(other, 'forum')).toEqual(['default#2'])
    expect(await labelsFor(other, 'flights')).toEqual(['default#1', 'default#2'])
    expect(await other.resting()).toMatchObject([
      { label: 'default#1', source: 'forum', until: now + 10 * MINUTE },
    ])
    now += 10 * MINUTE
    expect(await labelsFor(other, 'forum')).toEqual(['default#1', 'default#2'])
    expect(await other.resting()).toEqual([])
  })

  test('that cannot be reached rests for all sources', async () => {
    const exits = exitsFor()
    await exits.ended(FIRST, 'forum', 'unreachable')
    for (const source of ['forum', 'flights']) expect(await labelsFor(exits, source)).toEqual(['default#2'])
    expect(await exits.resting()).toMatchObject([{ label: 'default#1', source: null, until: now + MINUTE }])
  })

  test('that refuses or cannot reach one source rests for that source, as long', async () => {
    const exits = exitsFor()
    await exits.ended(FIRST, 'forum', 'refused')
    expect(await labelsFor(exits, 'forum')).toEqual(['default#2'])
    expect(await labelsFor(exits, 'flights')).toEqual(['default#1', 'default#2'])
    expect(await exits.resting()).toMatchObject([
      { label: 'default#1', source: 'forum', until: now + MINUTE },
    ])
    // A gateway that refuses a source refuses it in all sessions.
    await exits.ended(HOME, 'realty', 'refused')
    expect((await exits.resting())[1]).toMatchObject({
      label: 'home#1',
      source: 'realty',
      until: now + MINUTE,
    })
    await exits.ended(FIRST, 'forum', 'good')
    await exits.ended(HOME, 'realty', 'good')
    expect(await exits.resting()).toEqual([])
  })

  test('that could not reach a site counts that apart from how often the site has blocked it', async () => {
    const exits = exitsFor()
    for (let minutes = 0; minutes < 30; minutes++) {
      await exits.ended(FIRST, 'forum', 'refused')
      now += MINUTE
    }
    // A block while it rests as `refused` is noted all the same.
    await exits.ended(FIRST, 'forum', 'blocked')
    expect(await exits.resting()).toMatchObject([
      { label: 'default#1', source: 'forum', until: now + 10 * MINUTE, count: 1 },
    ])
    await exits.ended(FIRST, 'forum', 'good')
    for (let i = 0; i < 3; i++) {
      await exits.ended(FIRST, 'forum', 'blocked')
      now += 60 * MINUTE
    }
    await exits.ended(FIRST, 'forum', 'refused')
    expect(await exits.resting()).toMatchObject([
      { label: 'default#1', source: 'forum', until: now + MINUTE, count: 1 },
    ])
    expect(await labelsFor(exits, 'forum')).toEqual(['default#2'])
  })

  test('of one source that is down for hours serves the others as before', async () => {
    const exits = exitsFor()
    for (let minutes = 0; minutes < 120; minutes++) {
      now += MINUTE
      for (const number of [1, 2])
        await exits.ended({ label: `default#${number}`, number }, 'forum', 'refused')
    }
    expect(await labelsFor(exits, 'flights')).toEqual(['default#1', 'default#2'])
  })

  test('of a template rests for all sources, whatever their countries', async () => {
    const env = { ...ENV, SOURCE_PHOTO_PROXY: 'home', SOURCE_PHOTO_COUNTRY: 'fr' }
    await exitsFor(env).ended(HOME, 'realty', 'unreachable')
    expect(await exitsFor(env).resting()).toMatchObject([
      { label: 'home#1', source: null, until: now + MINUTE },
    ])
    await exitsFor(env).ended(HOME, 'photo', 'good')
    expect(await exitsFor(env).resting()).toEqual([])
  })

  test('of a template does not rest when a source blocked one of its sessions', async () => {
    const exits = exitsFor()
    await exits.ended(HOME, 'realty', 'blocked')
    expect(await exits.resting()).toEqual([])
  })

  test('of a gateway whose URL has no {session} is one address: it rests, and a run has no other one there', async () => {
    const exits = exitsFor({ PROXY_URL: 'http://u-{country}:marker@gw.example', SOURCE_FORUM_COUNTRY: 'de' })
    expect(exits.hasOther('forum', ['default#1'])).toBe(false)
    await exits.ended(FIRST, 'forum', 'blocked')
    expect(await exits.resting()).toMatchObject([{ label: 'default#1', source: 'forum' }])
  })

  test('no longer rests after a success, and its next rest is a short one', async () => {
    const exits = exitsFor()
    await exits.ended(FIRST, 'forum', 'blocked')
    now += 10 * MINUTE
    await exits.ended(FIRST, 'forum', 'blocked')
    expect((await exits.resting())[0]?.until).toBe(now + 20 * MINUTE)
    await exits.ended(FIRST, 'forum', 'unreachable')
    await exits.ended(FIRST, 'forum', 'good')
    expect(await exits.resting()).toEqual([])
    await exits.ended(FIRST, 'forum', 'blocked')
    expect((await exits.resting())[0]?.until).toBe(now + 10 * MINUTE)
  })

  test('that is dead has failed as often in a row within minutes as the alert in docs/operations.md wants', async () => {
    const operations = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')
    const enough = Number(/gleaner_exit_rests\[1h\]\)\) >= (\d+)`/.exec(operations)?.[1])
    const exits = exitsFor()
    // One of a list, and a way's only one. A run a minute meets them unless they rest.
    const exitsThatFail = [FIRST, { label: 'one#1', number: 1 }]
    for (let minutes = 0; minutes < 10; minutes++) {
      for (const exit of exitsThatFail)
        await exits.ended(exit, exit === FIRST ? 'forum' : 'photo', 'unreachable')
      now += MINUTE
    }
    const resting = await exits.resting()
    expect(resting).toMatchObject([
      { way: 'default', number: 1, source: null },
      { way: 'one', number: 1, source: null },
    ])
    for (const { count } of resting) expect(count).toBeGreaterThanOrEqual(enough)
  })

  test('has one line in the log for each of its rests, with the reason', async () => {
    const exits = exitsFor()
    const until = (minutes: number) => new Date(now + minutes * MINUTE).toISOString()
    for (let i = 0; i < 3; i++) await exits.ended(FIRST, 'forum', 'unreachable', '407 to CONNECT')
    const first = { exit: 'default#1', outcome: 'unreachable', reason: '407 to CONNECT', until: until(1) }
    expect(warnings).toEqual([[first, 'An exit rests.']])
    now += MINUTE
    await exits.ended(FIRST, 'forum', 'unreachable', 'it refuses connections')
    expect(warnings).toHaveLength(2)
    await exits.ended(FIRST, 'forum', 'blocked', 'the source responded with 403')
    const blocked = { outcome: 'blocked', reason: 'the source responded with 403', until: until(10) }
    expect(warnings[2]).toEqual([{ exit: 'default#1', source: 'forum', ...blocked }, 'An exit rests.'])
    await exits.ended(FIRST, 'forum', 'good')
    // A template's session that was blocked is used no more, and nothing rests.
    await exits.ended(HOME, 'realty', 'blocked')
    expect(warnings).toHaveLength(3)
    expect(Bun.inspect(warnings)).not.toMatch(/marker|a\.example|gw\.example/)
  })

  test('that all rest is used all the same', async () => {
    const exits = exitsFor()
    await exits.ended(FIRST, 'forum', 'blocked')
    now += 1
    await exits.ended({ label: 'default#2', number: 2 }, 'forum', 'blocked')
    expect(await labelsFor(exits, 'forum')).toEqual(['default#1'])
  })

  test('does not inherit the rest of the one that stood there before', async () => {
    await exitsFor().ended(FIRST, 'forum', 'blocked')
    const changed = exitsFor({ ...ENV, PROXY_URL: 'http://u:marker@c.example:1 http://u:marker@b.example:1' })
    expect(await labelsFor(changed, 'forum')).toEqual(['default#1', 'default#2'])
    expect(await changed.resting()).toEqual([])
  })

  test('that is not in the list any more ends without a rest', async () => {
    const exits = exitsFor({ PROXY_URL: 'http://a.example' })
    await exits.ended({ label: 'default#2', number: 2 }, 'forum', 'blocked')
    await exits.ended(HOME, 'video', 'unreachable')
    expect(await exits.resting()).toEqual([])
  })
})

describe('a store that is away', () => {
  test('hides rests, and harms no run', async () => {
    const exits = exitsFor()
    await exits.ended({ label: 'default#1', number: 1 }, 'forum', 'blocked')
    isAway = true
    expect(await labelsFor(exits, 'forum')).toEqual(['default#1', 'default#2'])
    isAway = false
    expect(await labelsFor(exits, 'forum')).toEqual(['default#2'])
  })

  test.each<ExitOutcome>(['good', ...FAILURES])('loses the outcome %s', async (outcome) => {
    const exits = exitsFor()
    isAway = true
    await exits.ended({ label: 'default#1', number: 1 }, 'forum', outcome)
    expect(lines).toHaveLength(1)
    expect(Bun.inspect(lines)).toContain('default#1')
    expect(Bun.inspect(lines)).not.toMatch(/marker|a\.example/)
    isAway = false
    expect(await exits.resting()).toEqual([])
  })
})

test('what is stored of rests names no URL, user or password', async () => {
  const exits = exitsFor()
  for (const outcome of FAILURES) await exits.ended({ label: 'default#1', number: 1 }, 'forum', outcome)
  for (const { key } of await rests.all(now))
    expect(key).toMatch(/^[0-9a-f]{12} default#1( forum( refused)?)?$/)
})
