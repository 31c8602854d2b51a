/** The metrics, in the text format of Prometheus. */
import { expect, test } from 'bun:test'
import type { AccountId, RunId } from '../src/domain/ids.ts'
import { Metrics, type ProcessFigures } from '../src/metrics.ts'

/** All samples, keyed by name with labels. */
async function samples(metrics: Metrics): Promise<Map<string, number>> {
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ]),
  )
}

test('requests are counted by method, route and status, and measured by method and route', async () => {
  const metrics = new Metrics()
  for (let i = 0; i < 5; i++) metrics.request('GET', '/v1/runs/:run_id', 200, 0.003)
  metrics.request('GET', '/v1/runs/:run_id', 404, 3)
  metrics.request('POST', '/v1/runs/:run_id', 405, 0.1)
  for (const values of [await samples(metrics), await samples(metrics)]) {
    const at = (rest: string) => values.get(`gleaner_http_request${rest}`)
    const route = 'route="/v1/runs/:run_id"'
    expect(at(`s_total{method="GET",${route},status="200"}`)).toBe(5)
    expect(at(`s_total{method="GET",${route},status="404"}`)).toBe(1)
    expect(at(`s_total{method="POST",${route},status="405"}`)).toBe(1)
    expect(at(`_duration_seconds_count{method="GET",${route}}`)).toBe(6)
    expect(at(`_duration_seconds_sum{method="GET",${route}}`)).toBeCloseTo(3.015)
    expect(at(`_duration_seconds_bucket{le="0.005",method="GET",${route}}`)).toBe(5)
  }
})

test('unknown HTTP methods share one series', async () => {
  const metrics = new Metrics()
  for (let i = 0; i < 100; i++) metrics.request(`X${i}`, 'none', 404, 0)
  const requests = [...(await samples(metrics))].filter(([name]) =>
    name.startsWith('gleaner_http_requests_total'),
  )
  expect(requests).toEqual([['gleaner_http_requests_total{method="other",route="none",status="404"}', 100]])
})

test('the health of a task is 1 for its state and 0 for the others, and follows the last judgement', async () => {
  const metrics = new Metrics()
  const judged: { task: string; health: 'broken' | 'healthy' }[] = []
  metrics.watchHealth(() => judged)
  expect((await metrics.text()).includes('gleaner_task_health{')).toBe(false)
  for (const health of ['broken', 'healthy'] as const) {
    judged.splice(0, 1, { task: 'a.b', health })
    const values = await samples(metrics)
    for (const state of ['healthy', 'degraded', 'drifting', 'broken', 'unknown'])
      expect(values.get(`gleaner_task_health{task="a.b",state="${state}"}`)).toBe(state === health ? 1 : 0)
  }
})

test('exits that rest have the number of their rests in a row; while the store fails, none is shown', async () => {
  const metrics = new Metrics()
  let isAway = false
  const rest = { way: 'home', number: 2, label: 'home#2', until: 0 }
  metrics.watchExits(async () => {
    if (isAway) throw new Error('the store is away')
    return [
      { ...rest, source: null, why: 'unreachable', count: 3 },
      { ...rest, source: 'forum', why: 'blocked', count: 1 },
    ]
  })
  const rests = async () => [...(await samples(metrics))].filter(([name]) => name.includes('exit_rests'))
  expect(await rests()).toEqual([
    ['gleaner_exit_rests{way="home",exit="2",source=""}', 3],
    ['gleaner_exit_rests{way="home",exit="2",source="forum"}', 1],
  ])
  isAway = true
  expect(await rests()).toEqual([])
})

test('runs, credits and commits are counted', async () => {
  const metrics = new Metrics()
  const [startedAt, finishedAt] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:02Z']
  metrics.runEnded({ taskKey: 'a.b', status: 'succeeded', code: null, startedAt, finishedAt })
  metrics.runEnded({
    taskKey: 'a.b',
    status: 'failed',
    code: 'source-blocked',
    startedAt: null,
    finishedAt,
  })
  const entry = { account_id: 'acc_1' as AccountId, run_id: 'run_1' as RunId, balance_after: 0 }
  metrics.booked({ type: 'CreditsCharged', data: { ...entry, amount: 5, reason: 'a.b' } })
  metrics.booked({ type: 'CreditsCharged', data: { ...entry, amount: 2, reason: 'a.b' } })
  metrics.booked({ type: 'CreditsRefunded', data: { ...entry, amount: 5, reason: 'failed' } })
  metrics.booked({ type: 'AccountOpened', data: { account_id: entry.account_id, name: 'x' } })
  metrics.commit(2)
  const values = await samples(metrics)
  const at = (end: string) => values.get(`gleaner_runs_ended_total{source="a",task="a.b",${end}}`)
  expect(at('end="succeeded",code=""')).toBe(1)
  expect(at('end="failed",code="source-blocked"')).toBe(1)
  expect(values.get('gleaner_run_duration_seconds_count{task="a.b"}')).toBe(1)
  expect(values.get('gleaner_credits_total{kind="charged"}')).toBe(7)
  expect(values.get('gleaner_credits_total{kind="refunded"}')).toBe(5)
  expect(values.get('gleaner_append_duration_seconds_sum')).toBeCloseTo(0.002)
})

test('sign-ins are counted by outcome, rejected logins by reason, failed saves and swept states in total', async () => {
  const metrics = new Metrics()
  expect((await samples(metrics)).get('gleaner_login_saves_failed_total')).toBe(0)
  for (const end of ['done', 'done', 'expired']) metrics.count('gleaner_sign_ins_total', { end })
  metrics.count('gleaner_logins_rejected_total', { source: 'microblog', reason: 'refused' })
  metrics.count('gleaner_login_saves_failed_total')
  metrics.count('gleaner_vault_states_swept_total', {}, 3)
  const values = await samples(metrics)
  expect(values.get('gleaner_sign_ins_total{end="done"}')).toBe(2)
  expect(values.get('gleaner_sign_ins_total{end="expired"}')).toBe(1)
  expect(values.get('gleaner_logins_rejected_total{source="microblog",reason="refused"}')).toBe(1)
  expect(values.get('gleaner_login_saves_failed_total')).toBe(1)
  expect(values.get('gleaner_vault_states_swept_total')).toBe(3)
})

test('items are counted by task, and their non-null fields by task and field', async () => {
  const metrics = new Metrics()
  const fields = ['id', 'price', 'colour']
  metrics.brought({ task: 'a.b', fields, items: 10, filled: [10, 4, 0], skipped: 1 })
  metrics.brought({ task: 'a.b', fields, items: 2, filled: [2, 2, 0], skipped: 2 })
  metrics.brought({ task: 'a.c', fields: ['id'], items: 1, filled: [1], skipped: 0 })
  for (const values of [await samples(metrics), await samples(metrics)]) {
    const items = [...values].filter(([name]) => /^gleaner_(?:item|rows)/.test(name))
    expect(Object.fromEntries(items)).toEqual({
      'gleaner_items_total{task="a.b"}': 12,
      'gleaner_items_total{task="a.c"}': 1,
      'gleaner_rows_skipped_total{task="a.b"}': 3,
      'gleaner_rows_skipped_total{task="a.c"}': 0,
      'gleaner_item_fields_filled_total{task="a.b",field="id"}': 12,
      'gleaner_item_fields_filled_total{task="a.b",field="price"}': 6,
      'gleaner_item_fields_filled_total{task="a.b",field="colour"}': 0,
      'gleaner_item_fields_filled_total{task="a.c",field="id"}': 1,
    })
  }
})

test('a lag that is not known in time has no sample, and all other metrics are there', async () => {
  const metrics = new Metrics()
  metrics.watchProjections(() => new Promise(() => {}))
  const text = await metrics.text()
  expect(text).toContain('process_cpu_seconds_total ')
  expect(text).not.toContain('gleaner_projection_lag_seconds{')
})

test('processes of plugins and their runs are read by source and state, and a state without processes has no sample', async () => {
  const metrics = new Metrics()
  let processes: ProcessFigures[] = [
    { source: 'forum', state: 'accepting', processes: 2, runs: 33 },
    { source: 'forum', state: 'draining', processes: 1, runs: 4 },
    { source: 'video', state: 'starting', processes: 1, runs: 0 },
  ]
  metrics.watchWorker(
    () => ({ runs: 37, processes, oldestS: 0, waiting: 0 }),
    async () => 0,
  )
  const processValues = async () =>
    Object.fromEntries(
      [...(await samples(metrics))].filter(([name]) => /^gleaner_process(es|_runs)\b/.test(name)),
    )
  expect(await processValues()).toEqual({
    'gleaner_processes{source="forum",state="accepting"}': 2,
    'gleaner_processes{source="forum",state="draining"}': 1,
    'gleaner_processes{source="video",state="starting"}': 1,
    'gleaner_process_runs{source="forum",state="accepting"}': 33,
    'gleaner_process_runs{source="forum",state="draining"}': 4,
    'gleaner_process_runs{source="video",state="starting"}': 0,
  })
  processes = [{ source: 'forum', state: 'accepting', processes: 1, runs: 0 }]
  expect(await processValues()).toEqual({
    'gleaner_processes{source="forum",state="accepting"}': 1,
    'gleaner_process_runs{source="forum",state="accepting"}': 0,
  })
})

test('deaths of processes are counted by cause, and the runs that were executed again by source', async () => {
  const metrics = new Metrics()
  for (const cause of ['defect', 'defect', 'out-of-memory'])
    metrics.count('gleaner_process_deaths_total', { source: 'forum', cause })
  for (let i = 0; i < 31; i++) metrics.count('gleaner_runs_again_total', { source: 'forum' })
  const values = await samples(metrics)
  expect(values.get('gleaner_process_deaths_total{source="forum",cause="defect"}')).toBe(2)
  expect(values.get('gleaner_process_deaths_total{source="forum",cause="out-of-memory"}')).toBe(1)
  expect(values.get('gleaner_runs_again_total{source="forum"}')).toBe(31)
})

test('gauges are read at each scrape, and an unknown projection lag has no sample', async () => {
  const metrics = new Metrics()
  let known = true
  let oldestS = 3
  metrics.watchWorker(
    () => ({ runs: 4, processes: [], oldestS, waiting: 2 }),
    async () => 6,
  )
  metrics.watchProjections(async () => {
    if (!known) throw new Error('the log is away')
    return [{ model: 'runs', seconds: 1.5, skipped: 0 }]
  })
  let values = await samples(metrics)
  expect(values.get('gleaner_queue_oldest_seconds')).toBe(3)
  expect(values.get('gleaner_queue_runs')).toBe(2)
  expect(values.get('gleaner_worker_runs')).toBe(4)
  expect(values.get('gleaner_disk_free_bytes')).toBe(6)
  expect(values.get('gleaner_projection_lag_seconds{projection="runs"}')).toBe(1.5)
  known = false
  oldestS = 0
  values = await samples(metrics)
  expect(values.get('gleaner_queue_oldest_seconds')).toBe(0)
  expect(values.has('gleaner_projection_lag_seconds{projection="runs"}')).toBe(false)
  expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(0)
})
