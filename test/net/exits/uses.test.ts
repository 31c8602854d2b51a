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

test('a day counts runs, refusals, requests and bytes by exit and source', async () => {
  const { exitDays } = counted([
    {},
    { outcome: 'blocked', requests: 1, bytes: 10 },
    { outcome: 'unreachable', requests: 0, bytes: 0 },
    { way: 'direct', exit: 0, outcome: 'other' },
  ])
  expect(await exitDays.days(START)).toEqual([
    {
      day: '2026-01-31',
      label: 'direct',
      source: 'forum',
      runs: 1,
      blocked: 0,
      unreachable: 0,
      requests: 3,
      bytes: 100,
    },
    {
      day: '2026-01-31',
      label: 'home#2',
      source: 'forum',
      runs: 3,
      blocked: 1,
      unreachable: 1,
      requests: 4,
      bytes: 110,
    },
  ])
})

test('of a run that ends blocked, the last request is the blocked one', async () => {
  const { metrics } = counted([{ outcome: 'blocked', requests: 40 }])
  expect(await samples(metrics)).toEqual([
    'gleaner_exit_requests_total{way="home",exit="2",source="forum",outcome="good"} 39',
    'gleaner_exit_requests_total{way="home",exit="2",source="forum",outcome="blocked"} 1',
    'gleaner_exit_requests_total{way="home",exit="2",source="forum",outcome="unreachable"} 0',
    'gleaner_exit_bytes_total{way="home",exit="2"} 100',
  ])
})

test('a run that could not make a request counts one that did not reach the exit', async () => {
  const { metrics } = counted([{ outcome: 'unreachable', requests: 0, bytes: 0 }])
  expect(await samples(metrics)).toContain(
    'gleaner_exit_requests_total{way="home",exit="2",source="forum",outcome="unreachable"} 1',
  )
})
