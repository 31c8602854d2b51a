/** The choice of an exit: for a run by chance, among those that it has not tried and that do not rest; for a login for life. */
import { describe, expect, test } from 'bun:test'
import type { Way } from '../../../src/config/ways.ts'
import { readConfig, wayOf } from '../../../src/config.ts'
import { chooseExit, exitOfLogin, hasOther } from '../../../src/net/exits/choose.ts'
import { type Failure, restAfter } from '../../../src/net/exits/rest.ts'

const wayWith = (list: string): Way => wayOf(readConfig({ PROXY_URL: list }), 'any')!
const LIST = 'http://u:p@a.example:1 http://u:p@b.example:1 http://u:p@c.example:1'
const TEMPLATE = 'socks5://user-{session}:p@gw.example:1080'

describe('a run', () => {
  type Row = {
    what: string
    list?: string
    seed?: number
    tried?: string[]
    rests?: [number, number][]
    exit: string
    hasOther?: boolean
  }
  const rows: Row[] = [
    { what: 'by a low seed', seed: 0, exit: 'default#1', hasOther: true },
    { what: 'by a middle seed', seed: 0.5, exit: 'default#2', hasOther: true },
    { what: 'by a high seed', seed: 0.999, exit: 'default#3', hasOther: true },
    { what: 'not one that it has tried', tried: ['default#1'], exit: 'default#2', hasOther: true },
    { what: 'the last that it has not tried', tried: ['default#1', 'default#2'], exit: 'default#3' },
    {
      what: 'any, when it has tried all',
      tried: ['default#1', 'default#2', 'default#3'],
      exit: 'default#1',
      hasOther: false,
    },
    { what: 'not one that rests', rests: [[1, 101]], exit: 'default#2' },
    { what: 'one whose rest is over', rests: [[1, 100]], exit: 'default#1' },
    {
      what: 'the one whose rest ends first, when all rest',
      seed: 0.9,
      rests: [
        [1, 300],
        [2, 200],
        [3, 400],
      ],
      exit: 'default#2',
    },
    {
      what: 'one that rests rather than one that it has tried',
      tried: ['default#1', 'default#2'],
      rests: [[3, 500]],
      exit: 'default#3',
    },
    { what: 'the only one', list: 'http://a.example', rests: [[1, 500]], exit: 'default#1', hasOther: true },
    {
      what: 'the only one again',
      list: 'http://a.example',
      tried: ['default#1'],
      exit: 'default#1',
      hasOther: false,
    },
    {
      what: 'a template again, whose next session is another exit',
      list: TEMPLATE,
      tried: ['default#1'],
      exit: 'default#1',
      hasOther: true,
    },
    {
      what: 'a template beside an exit that it has tried',
      list: `http://a.example ${TEMPLATE}`,
      tried: ['default#1'],
      exit: 'default#2',
      hasOther: true,
    },
    { what: 'not of labels of another way', tried: ['home#1'], exit: 'default#1' },
  ]
  test.each(rows)('gets $what', ({ list = LIST, seed = 0, tried = [], rests = [], exit, ...expected }) => {
    const way = wayWith(list)
    const chosen = chooseExit({ way, seed, session: 's', tried, rests: new Map(rests), now: 100 })
    expect(chosen.label).toBe(exit)
    if (expected.hasOther !== undefined) expect(hasOther(way, tried)).toBe(expected.hasOther)
  })

  test('gets each exit of a list equally often', () => {
    const way = wayWith(LIST)
    const counts = new Map<string, number>()
    for (let i = 0; i < 300; i++) {
      const { label } = chooseExit({ way, seed: i / 300, session: '', tried: [], rests: new Map(), now: 0 })
      counts.set(label, (counts.get(label) ?? 0) + 1)
    }
    expect([...counts.values()]).toEqual([100, 100, 100])
  })

  test('gets the URL with its session filled in', () => {
    const chosen = chooseExit({
      way: wayWith(TEMPLATE),
      seed: 0,
      session: 'abc',
      tried: [],
      rests: new Map(),
      now: 0,
    })
    expect(chosen).toEqual({
      way: 'default',
      number: 1,
      label: 'default#1',
      isSession: true,
      url: 'socks5://user-abc:p@gw.example:1080',
    })
  })
})

describe('a login', () => {
  const ids = Array.from({ length: 1000 }, (_, i) => `login-acc_${i}.forum`)
  const urls = Array.from({ length: 10 }, (_, i) => `http://u:p@${i}.example:1`)
  const exitsIn = (list: readonly string[]) => {
    const way = wayWith(list.join(' '))
    return ids.map((loginId) => exitOfLogin(way, loginId).url)
  }
  const counts = (exits: readonly string[]) =>
    [...Map.groupBy(exits, (url) => url).values()].map((its) => its.length)
  const moved = (one: readonly string[], other: readonly string[]) =>
    one.filter((url, i) => url !== other[i]).length

  test('keeps its exit, whatever the order of the list', () => {
    expect(exitsIn([...urls].reverse())).toEqual(exitsIn(urls))
  })

  test('keeps its exit when a password is changed', () => {
    const changed = exitsIn(urls.map((url) => url.replace(':p@', ':q@')))
    expect(changed.map((url) => url.replace(':q@', ':p@'))).toEqual(exitsIn(urls))
  })

  test('moves only if its entry is removed, or to an entry that is added', () => {
    const before = exitsIn(urls)
    const removed = exitsIn(urls.slice(1))
    expect(moved(before, removed)).toBe(before.filter((url) => url === urls[0]).length)
    const added = 'http://u:p@new.example:1'
    const after = exitsIn([added, ...urls])
    expect(moved(before, after)).toBe(after.filter((url) => url === added).length)
  })

  test('is one of about as many as each other exit has', () => {
    const shares = counts(exitsIn(urls))
    expect(shares).toHaveLength(10)
    expect(Math.min(...shares)).toBeGreaterThan(60)
    expect(Math.max(...shares)).toBeLessThan(140)
  })

  test('has an exit of its own among those that differ in their passwords alone, and a new password moves none', () => {
    const own = 'http://u:p@own.example:1'
    const sessions = (suffix: string) =>
      ['a', 'b', 'c'].map((id) => `http://u:p_session-${id}${suffix}@gw.example:1`)
    const before = exitsIn([...sessions(''), own])
    const shares = counts(before)
    expect(shares).toHaveLength(4)
    expect(Math.min(...shares)).toBeGreaterThan(200)
    expect(Math.max(...shares)).toBeLessThan(300)
    expect(exitsIn([own, ...sessions('-new')]).map((url) => url.replace('-new', ''))).toEqual(before)
  })

  test('has a session of its own, for life, in which its id is not to be seen', () => {
    const sessionOf = (loginId: string) =>
      /user-([a-z2-7]{16}):/.exec(exitOfLogin(wayWith(TEMPLATE), loginId).url)?.[1]
    expect(sessionOf('login-acc_1.forum')).toBe('gpli4xy6zqvyaamj')
    expect(sessionOf('login-acc_2.forum')).not.toBe('gpli4xy6zqvyaamj')
  })
})

describe('a rest', () => {
  const MINUTE = 60_000
  const lengths: [Failure, number[]][] = [
    ['blocked', [10, 20, 40, 80, 160, 320, 360, 360]],
    ['refused', [1, 2, 4, 8, 16, 32, 60, 60]],
    ['unreachable', [1, 2, 4, 8, 16, 32, 60, 60]],
  ]
  test.each(lengths)('of an exit that is %s doubles: %p minutes', (kind, minutes) => {
    let now = 1_000_000
    let rest: ReturnType<typeof restAfter> | undefined
    for (const expected of minutes) {
      const before = now
      rest = restAfter(kind, rest, now)
      expect((rest.until - before) / MINUTE).toBe(expected)
      now = rest.until
    }
  })

  test('counts the failures of runs that used the exit at the same time once', () => {
    const rest = restAfter('blocked', undefined, 0)
    expect(restAfter('blocked', rest, 1)).toBe(rest)
    expect(restAfter('blocked', rest, rest.until - 1)).toBe(rest)
  })
})
