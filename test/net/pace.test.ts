/** The limits that hold for a host: from the source's declaration, and from what the operator has set. */
import { describe, expect, test } from 'bun:test'
import { type HostLimits, limitsOf, limitsOfHosts, type PaceSettings, shareOf } from '../../src/net/pace.ts'
import { RateLimiter } from '../../src/net/rate-limiter.ts'
import type { Pace } from '../../src/plugin.ts'

const source = (pace: Pace) => ({ name: 'lamps', pace })

describe('the limits of a host', () => {
  const each = (host: string, most: number, lengthMs: number, concurrent: number): HostLimits => ({
    key: `lamps ${host}`,
    windows: [{ most, lengthMs }],
    concurrent,
  })
  const pace: Pace = {
    perSecond: 0.8,
    burst: 20,
    concurrent: 1,
    hosts: { '*.cdn.example': { perSecond: 10 } },
    withoutContact: { perSecond: 0.1 },
    replaced: { perSecond: 3, concurrent: 2 },
  }
  test.each<[string, Pace, string, PaceSettings, HostLimits]>([
    ['default to 5 a second, 4 at once', {}, 'a.example', {}, each('a.example', 5, 1000, 4)],
    ['may be below one a second', { perSecond: 0.5 }, 'a.example', {}, each('a.example', 1, 2000, 4)],
    ['may have a burst', pace, 'a.example', {}, each('a.example', 20, 25_000, 1)],
    ['may be other ones for one host', pace, 'i.cdn.example', {}, each('i.cdn.example', 10, 1000, 4)],
    ['without a contact', pace, 'a.example', { hasContact: false }, each('a.example', 1, 10_000, 4)],
    [
      'at a replaced origin',
      pace,
      'a.example',
      { replaced: new Set(['lamps']), hasContact: false },
      each('a.example', 3, 1000, 2),
    ],
    [
      'at a replaced origin whose source says nothing about it',
      { perSecond: 0.1, concurrent: 1 },
      'a.example',
      { replaced: new Set(['lamps']) },
      each('a.example', 5, 1000, 4),
    ],
    [
      'at a replaced origin whose source may be asked fast anyway',
      { perSecond: 50, concurrent: 9, burst: 1, perMinute: 9 },
      'a.example',
      { replaced: new Set(['lamps']) },
      each('a.example', 50, 1000, 9),
    ],
    [
      'set by the operator, each host for itself, with the source’s own concurrency',
      pace,
      'a.example',
      { hasContact: false, set: new Map([['lamps', { perSecond: 10 }]]) },
      each('a.example', 10, 1000, 1),
    ],
    [
      'set by the operator, with the number at once',
      pace,
      'a.example',
      { set: new Map([['lamps', { perSecond: 0.5, concurrent: 3 }]]) },
      each('a.example', 1, 2000, 3),
    ],
    [
      'set by the operator, for hosts with limits of their own as well',
      pace,
      'i.cdn.example',
      { set: new Map([['lamps', { perSecond: 2 }]]) },
      each('i.cdn.example', 2, 1000, 1),
    ],
    [
      'set by the operator, of all hosts together where the site counts so',
      { ...pace, together: true },
      'a.example',
      { set: new Map([['lamps', { perSecond: 2 }]]) },
      { ...each('', 2, 1000, 1), key: 'lamps' },
    ],
    [
      'set by the operator, at the one origin that replaces all hosts',
      pace,
      'a.example',
      { replaced: new Set(['lamps']), set: new Map([['lamps', { perSecond: 7 }]]) },
      { ...each('', 7, 1000, 4), key: 'lamps' },
    ],
    [
      'set by the operator of another source',
      { perSecond: 1 },
      'a.example',
      { set: new Map([['desks', { perSecond: 7 }]]) },
      each('a.example', 1, 1000, 4),
    ],
    [
      'at another source’s replaced origin',
      { perSecond: 1 },
      'a.example',
      { replaced: new Set(['desks']) },
      each('a.example', 1, 1000, 4),
    ],
    [
      'per minute as well',
      { perSecond: 1, perMinute: 20 },
      'a.example',
      {},
      {
        key: 'lamps a.example',
        windows: [
          { most: 1, lengthMs: 1000 },
          { most: 20, lengthMs: 60_000 },
        ],
        concurrent: 4,
      },
    ],
    [
      'of all hosts together',
      { ...pace, together: true },
      'a.example',
      {},
      { ...each('', 20, 25_000, 1), key: 'lamps' },
    ],
    [
      'of a host apart from the others',
      { ...pace, together: true },
      'i.cdn.example',
      {},
      each('i.cdn.example', 10, 1000, 4),
    ],
  ])('%s', (_, declared, host, settings, limits) => {
    expect(limitsOf(source(declared), host, settings)).toEqual(limits)
  })
})

test('the pace that the operator set does not concern hosts of images', () => {
  const lamps = { ...source({ hosts: { 'img.example': { perSecond: 9 } } }), imageHosts: ['img.example'] }
  const settings = { set: new Map([['lamps', { perSecond: 2 }]]) }
  expect(limitsOf(lamps, 'img.example', settings).windows).toEqual([{ most: 9, lengthMs: 1000 }])
})

describe('a node’s share of limits', () => {
  const limits = (windows: HostLimits['windows'], concurrent: number) => ({ key: 'k', windows, concurrent })
  test.each<[string, number, HostLimits, HostLimits]>([
    [
      'of one node is all',
      1,
      limits([{ most: 5, lengthMs: 1000 }], 4),
      limits([{ most: 5, lengthMs: 1000 }], 4),
    ],
    [
      'is a part of each burst',
      2,
      limits([{ most: 20, lengthMs: 1000 }], 4),
      limits([{ most: 10, lengthMs: 1000 }], 2),
    ],
    [
      'below one start takes longer',
      10,
      limits([{ most: 5, lengthMs: 1000 }], 4),
      limits([{ most: 1, lengthMs: 2000 }], 1),
    ],
    [
      'keeps the average of what does not divide',
      3,
      limits([{ most: 20, lengthMs: 60_000 }], 4),
      limits([{ most: 6, lengthMs: 54_000 }], 1),
    ],
  ])('%s', (_, nodes, all, share) => {
    expect(shareOf(all, nodes)).toEqual(share)
  })
})

/** Asks for as many requests as start at once, and ends each at its start. */
function startsAt(rateLimiter: RateLimiter, pace: Pace, host: string, most = 100): number {
  let started = 0
  const release = () => rateLimiter.ask(source(pace), host, 'acc', Number.POSITIVE_INFINITY, () => started++)
  for (let i = 0; i < most; i++) release()(0)
  return started
}

test('after a rest a burst may start at once, and then as many as the average allows', () => {
  let now = 0
  const rateLimiter = new RateLimiter(() => now)
  const pace: Pace = { perSecond: 0.8, burst: 20, concurrent: 1000 }
  expect(startsAt(rateLimiter, pace, 'a')).toBe(20)
  now = 24_999
  expect(startsAt(rateLimiter, pace, 'a')).toBe(0)
  now = 25_000
  expect(startsAt(rateLimiter, pace, 'a')).toBe(20)
})

test('a limit by the minute holds beside the one by the second', () => {
  let now = 0
  const rateLimiter = new RateLimiter(() => now)
  const pace: Pace = { perSecond: 1, perMinute: 3, concurrent: 1000 }
  const started: number[] = []
  for (; now < 120_000; now += 500) if (startsAt(rateLimiter, pace, 'a', 1) > 0) started.push(now)
  expect(started).toEqual([0, 1000, 2000, 60_000, 61_000, 62_000])
})

test('hosts that count together share the budget and a pause that one of them asks for', () => {
  const rateLimiter = new RateLimiter(() => 0)
  const pace: Pace = { perSecond: 4, concurrent: 1000, together: true, hosts: { cdn: { perSecond: 2 } } }
  expect(startsAt(rateLimiter, pace, 'a', 3)).toBe(3)
  expect(startsAt(rateLimiter, pace, 'b')).toBe(1)
  expect(startsAt(rateLimiter, pace, 'cdn')).toBe(2)
})

describe('the limits of all hosts of a source', () => {
  const pace: Pace = {
    perSecond: 2,
    together: true,
    hosts: { '*.cdn.example': { perSecond: 10, concurrent: 1 } },
  }
  const own = (most: number) => [{ most, lengthMs: 1000 }]

  test('are those of hosts with limits of their own, then those of all others', () => {
    expect(limitsOfHosts(source(pace))).toEqual([
      { host: '*.cdn.example', isTogether: false, windows: own(10), concurrent: 1 },
      { host: undefined, isTogether: true, windows: own(2), concurrent: 4 },
    ])
    expect(limitsOfHosts(source({}))).toMatchObject([{ host: undefined, isTogether: false }])
  })

  test('are one limit where the origin is replaced', () => {
    expect(limitsOfHosts(source(pace), { replaced: new Set(['lamps']) })).toEqual([
      { host: undefined, isTogether: true, windows: own(5), concurrent: 4 },
    ])
  })

  test('are one limit where the operator has set it', () => {
    expect(limitsOfHosts(source(pace), { set: new Map([['lamps', { perSecond: 7 }]]) })).toEqual([
      { host: undefined, isTogether: true, windows: own(7), concurrent: 4 },
    ])
  })
})
