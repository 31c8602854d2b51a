/** The uses of exits are counted by day and in the metrics, and say nothing of a proxy but its label. */
import { expect, test } from 'bun:test'
import { MemoryExitDays } from '../../../rigs/simulation/stores/exit-days.ts'
import { Metrics } from '../../../src/metrics.ts'
import { type ExitUse, usesOfExits } from '../../../src/net/exits/uses.ts'

const START = Date.parse('2026-01-31T12:00:00Z')

function counted(uses: readonly Partial<ExitUse>[]) {
  const exitDays = new MemoryExitDays()
  const metrics = new Metrics()
  const used = usesOfExits({ exitDays, metrics, now: () => START })
  for (const use of uses)
    used({ way: 'home', exit: 2, source: 'forum', outcome: 'good', requests: 3, bytes: 100, ...use })
  return { exitDays, metrics }
}

async function samples(metrics: Metrics): Promise<string[]> {
  return (await metrics.text()).split('\n').filter((line) => line.startsWith('gleaner_exit_'))
}

test('a day counts runs, refusals, requests and bytes by exit and source; an image and a sign-in are no runs', async () => {
  const { exitDays } = counted([
    {},
    { outcome: 'blocked', requests: 1, bytes: 10 },
    { outcome: 'unreachable', requests: 0, bytes: 0 },
    { outcome: 'refused', requests: 0, bytes: 0 },
    { way: 'direct', exit: 0, outcome: 'other' },
    { way: 'direct', exit: 0, outcome: 'image', requests: 1, bytes: 20 },
    { way: 'direct', exit: 0, outcome: 'sign-in', requests: 0, bytes: 30 },
  ])
  const days = await exitDays.days(START)
  expect(days.toSorted((one, other) => (one.label < other.label ? -1 : 1))).toEqual([
    {
      day: '2026-01-31',
      label: 'direct',
      source: 'forum',
      runs: 1,
      blocked: 0,
      failed: 0,
      requests: 4,
      bytes: 150,
    },
    {
      day: '2026-01-31',
      label: 'home#2',
      source: 'forum',
      runs: 4,
      blocked: 1,
      failed: 2,
      requests: 4,
      bytes: 110,
    },
  ])
})

/** The samples of requests after one use, by outcome. */
async function requestsAfter(use: Partial<ExitUse>): Promise<Record<string, number>> {
  const { metrics } = counted([use])
  const pattern =
    /^gleaner_exit_requests_total\{way="home",exit="2",source="forum",outcome="([\w-]+)"\} (\d+)$/
  return Object.fromEntries(
    (await samples(metrics)).flatMap((line) => {
      const [, outcome, count] = pattern.exec(line) ?? []
      return outcome === undefined ? [] : [[outcome, Number(count)]]
    }),
  )
}
const NO_FAILURE = { blocked: 0, refused: 0, unreachable: 0 }

test.each([
  ['all requests of a run that succeeds are good', 'good', 3, { good: 3 }],
  ['the last request of a run that ends blocked is the blocked one', 'blocked', 40, { good: 39, blocked: 1 }],
  [
    'the last request of a run whose exit failed is the failure',
    'unreachable',
    3,
    { unreachable: 1, other: 2 },
  ],
  ['one run whose exit refused its source counts one refusal', 'refused', 41, { refused: 1, other: 40 }],
  ['a run that could not make a request counts one', 'unreachable', 0, { unreachable: 1 }],
  ['an image says nothing about the share of refusals', 'image', 2, { image: 2 }],
  ['a sign-in says nothing about it either', 'sign-in', 2, { 'sign-in': 2 }],
  ['other ends say nothing about the exit', 'other', 3, { other: 3 }],
] as const)('%s', async (_, outcome, requests, expected) => {
  expect(await requestsAfter({ outcome, requests })).toEqual({ ...NO_FAILURE, ...expected })
})

test('bytes are counted by exit', async () => {
  const { metrics } = counted([{}, { source: 'video' }])
  expect(await samples(metrics)).toContain('gleaner_exit_bytes_total{way="home",exit="2"} 200')
})
