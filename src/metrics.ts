/**
 * The metrics of the service, for Prometheus. Each process reports its own figures; the collector adds them up.
 *
 * @module
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { clock } from './async/clock.ts'
import { withTimeout } from './async/delay.ts'
import type { DomainEvent } from './domain/events.ts'
import { HEALTHS, type Health } from './domain/health/standing.ts'
import type { EndedRun } from './domain/run.ts'
import type { RestingExit } from './net/exits/exits.ts'
import type { Lag } from './read/projector.ts'

/** Number of items that a run collected, and the number of those with a value in each field. */
export type RunItems = {
  readonly task: string
  readonly fields: readonly string[]
  readonly items: number
  readonly filled: readonly number[]
  /** rows that could not be read and were left out */
  readonly skipped: number
}
/** The processes of plugins of one source in one state. */
export type ProcessFigures = {
  readonly source: string
  readonly state: 'starting' | 'accepting' | 'draining'
  readonly processes: number
  readonly runs: number
}
/** The current state of a worker. */
export type WorkerFigures = {
  readonly runs: number
  readonly processes: readonly ProcessFigures[]
  /** queued runs */
  readonly waiting: number
  /** the age of the oldest queued run in seconds; 0 if the queue is empty */
  readonly oldestS: number
}

/** The kinds of ledger entries. */
const BOOKED: Readonly<Record<string, string>> = {
  CreditsGranted: 'granted',
  CreditsCharged: 'charged',
  CreditsRefunded: 'refunded',
}

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const RUN_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
const DELIVERY_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3600, 36_000]
const APPEND_SECONDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

/** Counters, each with its help text and its label names. */
const COUNTERS = {
  gleaner_runs_ended_total: ['Runs that this process ended.', 'source task end code'],
  gleaner_canary_runs_total: ['Runs of the canary that this process ended.', 'task end'],
  gleaner_runs_again_total: ['Runs that were executed again because their process died.', 'source'],
  gleaner_process_deaths_total: ['Processes of plugins that died while they had runs.', 'source cause'],
  gleaner_credits_total: ['Credits that this process booked: charged, refunded, granted.', 'kind'],
  gleaner_requests_uncounted_total: [
    'Requests that were not rate limited because the store that counts them was unavailable.',
    'class',
  ],
  gleaner_sign_ins_total: ['Started sign-ins of people, by outcome.', 'end'],
  gleaner_logins_rejected_total: ['Logins that are no longer used, by source and reason.', 'source reason'],
  gleaner_login_saves_failed_total: ['Runs whose newer cookies could not be saved with their login.', ''],
  gleaner_vault_states_swept_total: ['Orphaned browser states that were destroyed.', ''],
  gleaner_exit_requests_total: [
    'Requests by exit and outcome. If a run is blocked or its exit fails, only its last request counts as such.',
    'way exit source outcome',
  ],
  gleaner_exit_bytes_total: ['Bytes that were sent and received through an exit.', 'way exit'],
  gleaner_webhook_tries_total: [
    'Tries to deliver an event to a webhook, by the outcome for the delivery.',
    'outcome',
  ],
} as const
type CounterName = keyof typeof COUNTERS
type Labels = Readonly<Record<string, string | number>>
/** The labels that a watched metric may have. */
const WATCHED_LABELS = [
  'source',
  'state',
  'task',
  'field',
  'projection',
  'method',
  'route',
  'status',
  'reason',
  'way',
  'exit',
]
/** A sample of a watched metric. */
type Sample = readonly [value: number, labels?: Labels]

/** The states of a task's health. */
const STATES = Object.keys(HEALTHS) as Health[]

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** How long a scrape waits for a store, in milliseconds: less than a request may take. */
const LAG_MS = 1000

/** The metrics of one process. */
export class Metrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE
  private readonly registry = new Registry()
  private readonly counters = new Map<string, Counter>()
  /** Totals of the items of all runs, by task. */
  private readonly items = new Map<string, RunItems>()
  /** Answered requests by method, route and status. Plain numbers: the library takes a microsecond per increment. */
  private readonly requests = new Map<string, { readonly labels: Labels; count: number }>()
  private readonly seconds: Histogram
  private readonly duration: Histogram
  private readonly appends: Histogram
  private readonly deliveries: Histogram

  constructor() {
    const histogram = (name: string, help: string, buckets: number[], labelNames: string[] = []) =>
      new Histogram({ name, help, buckets, labelNames, registers: [this.registry] })
    const request = 'Time from a request to the start of its answer.'
    this.seconds = histogram('gleaner_http_request_duration_seconds', request, SECONDS, ['method', 'route'])
    const run = 'Time from the first start of a run to its end.'
    this.duration = histogram('gleaner_run_duration_seconds', run, RUN_SECONDS, ['task'])
    const append = 'Duration of one commit to the event log.'
    this.appends = histogram('gleaner_append_duration_seconds', append, APPEND_SECONDS)
    const delivery = 'Time from an event to its delivery to a webhook.'
    this.deliveries = histogram('gleaner_webhook_delivery_seconds', delivery, DELIVERY_SECONDS)
    for (const [name, [help, labels]] of Object.entries(COUNTERS)) {
      const labelNames = labels.split(' ').filter(Boolean)
      this.counters.set(name, new Counter({ name, help, labelNames, registers: [this.registry] }))
    }
    for (const kind of Object.values(BOOKED)) this.count('gleaner_credits_total', { kind }, 0)
    this.watch('gleaner_http_requests_total', 'Answered requests.', () =>
      [...this.requests.values()].map(({ labels, count }) => [count, labels]),
    )
    const items = () => [...this.items.values()]
    this.watch('gleaner_items_total', 'Items that runs collected.', () =>
      items().map(({ task, items }) => [items, { task }]),
    )
    this.watch('gleaner_rows_skipped_total', 'Rows of sources that could not be read.', () =>
      items().map(({ task, skipped }) => [skipped, { task }]),
    )
    this.watch('gleaner_item_fields_filled_total', 'Fields of these items that had a value.', () =>
      items().flatMap(({ task, fields, filled }) => fields.map((field, i) => [filled[i]!, { task, field }])),
    )
    // The usual process metrics under their usual names. The library's own are wrong or costly on two runtimes.
    this.watch('process_cpu_seconds_total', 'User and system CPU time spent.', () => {
      const { user, system } = process.cpuUsage()
      return [[(user + system) / 1e6]]
    })
    const startedS = Math.round(clock.now() / 1000 - process.uptime())
    this.watch('process_resident_memory_bytes', 'Resident memory.', () => [[process.memoryUsage().rss]])
    this.watch('process_start_time_seconds', 'Start of the process, seconds since 1970.', () => [[startedS]])
  }

  /** A try to deliver an event. @param sinceEventS seconds from the event to the end of the try */
  webhookTried(outcome: 'delivered' | 'retried' | 'failed', sinceEventS: number): void {
    this.count('gleaner_webhook_tries_total', { outcome })
    if (outcome === 'delivered') this.deliveries.observe(sinceEventS)
  }

  /** @param owned how many endpoints this process delivers to */
  watchWebhooks(owned: () => number): void {
    this.watch('gleaner_webhooks', 'Webhooks that this process delivers to.', () => [[owned()]])
  }

  /** Adds to a counter. */
  count(name: CounterName, labels: Labels = {}, by = 1): void {
    this.counters.get(name)?.inc(labels, by)
  }

  /**
   * Counts an answered request.
   *
   * @param route the path as declared, so that ids do not create new series
   * @param seconds from the request to the start of its answer
   */
  request(sent: string, route: string, status: number, seconds: number): void {
    // A client may send any word as its method. Each would create a permanent series.
    const method = METHODS.has(sent) ? sent : 'other'
    const key = `${method} ${status} ${route}`
    const answered = this.requests.get(key)
    if (answered) answered.count++
    else this.requests.set(key, { labels: { method, route, status }, count: 1 })
    this.seconds.observe({ method, route }, seconds)
  }

  /** Counts a run that this process ended, and how long it ran since its first start. */
  runEnded(run: Pick<EndedRun, 'taskKey' | 'status' | 'code' | 'startedAt' | 'finishedAt'>): void {
    const { taskKey: task, status: end, code, startedAt, finishedAt } = run
    // A task key starts with the name of its source.
    const source = task.split('.')[0]!
    this.count('gleaner_runs_ended_total', { source, task, end, code: code ?? '' })
    if (startedAt !== null)
      this.duration.observe({ task }, (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000)
  }

  /** Counts the credits of a ledger entry. Other events are ignored. */
  booked({ type, data }: DomainEvent): void {
    const kind = BOOKED[type]
    if (kind) this.count('gleaner_credits_total', { kind }, (data as { readonly amount: number }).amount)
  }

  /** Adds a run's items to the totals. Plain numbers: it costs less than a microsecond. */
  brought(run: RunItems): void {
    const sums = this.items.get(run.task)
    this.items.set(run.task, {
      ...run,
      items: run.items + (sums?.items ?? 0),
      skipped: run.skipped + (sums?.skipped ?? 0),
      filled: run.filled.map((count, i) => count + (sums?.filled[i] ?? 0)),
    })
  }

  /** Records the duration of a commit to the event log, in milliseconds. */
  commit(ms: number): void {
    this.appends.observe(ms / 1000)
  }

  /** Registers the metrics of this process's worker. @param diskFree returns the free bytes of its disk */
  watchWorker(read: () => WorkerFigures, diskFree: () => Promise<number>): void {
    this.watch('gleaner_disk_free_bytes', 'Free disk space for DATA_DIR.', async () => [[await diskFree()]])
    this.watch('gleaner_worker_runs', 'Runs in progress in this process.', () => [[read().runs]])
    const bySource = (figure: 'processes' | 'runs') => () =>
      read().processes.map(({ source, state, [figure]: value }): Sample => [value, { source, state }])
    this.watch('gleaner_processes', 'Processes of plugins, by source and state.', bySource('processes'))
    this.watch('gleaner_process_runs', 'Runs in processes of plugins, by source and state.', bySource('runs'))
    this.watch('gleaner_queue_oldest_seconds', 'Age of the oldest queued run.', () => [[read().oldestS]])
    this.watch('gleaner_queue_runs', 'Queued runs.', () => [[read().waiting]])
  }

  /** Registers the health of tasks. @param read returns the tasks as last judged */
  watchHealth(read: () => readonly { readonly task: string; readonly health: Health }[]): void {
    const help = 'Health of a task: 1 for the state that it is in, 0 for the others.'
    this.watch('gleaner_task_health', help, () =>
      read().flatMap(({ task, health }) =>
        STATES.map((state): Sample => [state === health ? 1 : 0, { task, state }]),
      ),
    )
  }

  /** Registers the tasks that the canary does not try. @param read returns them by key, with the reason */
  watchCanary(read: () => ReadonlyMap<string, string>): void {
    this.watch('gleaner_canary_not_tried', 'Tasks that the canary does not try, with the reason: 1.', () =>
      [...read()].map(([task, reason]): Sample => [1, { task, reason }]),
    )
  }

  /** Registers the rests of exits. @param read returns those that are not over. While it fails, there are no samples */
  watchExits(read: () => Promise<readonly RestingExit[]>): void {
    const help = 'How often in a row an exit that rests has failed, for a source or, without one, for all.'
    this.watch('gleaner_exit_rests', help, async () => {
      const resting = await withTimeout(LAG_MS, read(), () => new Error('no answer in time')).catch(() => [])
      return resting.map(({ way, number, source, count }): Sample => {
        return [count, { way, exit: number, source: source ?? '' }]
      })
    })
  }

  /** Registers the lag metrics of the read models. While the lag is unknown, they report no samples. */
  watchProjections(read: () => Promise<readonly Lag[]>): void {
    // The other metrics must not wait for a log that does not answer.
    const known = () => withTimeout(LAG_MS, read(), () => new Error('no answer in time')).catch(() => [])
    const lag = async (figure: 'seconds' | 'skipped') =>
      (await known()).map((each): Sample => [each[figure], { projection: each.model }])
    const late = 'Seconds that a read model has lagged behind the log; 0 when it is current.'
    this.watch('gleaner_projection_lag_seconds', late, () => lag('seconds'))
    const skipped = 'Events that a projection could not handle since the start: a defect.'
    this.watch('gleaner_projection_skipped_events', skipped, () => lag('skipped'))
  }

  /** All metrics in the text format of Prometheus. */
  text(): Promise<string> {
    return this.registry.metrics()
  }

  /** Registers a metric that is read at each scrape. It is a counter if its name ends in `_total`, else a gauge. */
  private watch(name: string, help: string, read: () => Sample[] | Promise<Sample[]>): void {
    const collect = async (metric: Counter | Gauge) => {
      const samples = await read()
      metric.reset()
      for (const [value, labels = {}] of samples) metric.inc(labels, value)
    }
    const Kind = name.endsWith('_total') ? Counter : Gauge
    new Kind({
      name,
      help,
      labelNames: WATCHED_LABELS,
      registers: [this.registry],
      collect() {
        return collect(this)
      },
    })
  }
}
