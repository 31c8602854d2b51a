/**
 * What the service counts and measures, as Prometheus reads it. Each process has its own figures; the collector adds up.
 *
 * @module
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** How far a read model is behind, as the projector says. */
export type LagFigure = { readonly model: string; readonly seconds: number; readonly skipped: number }
/** A run that this process brought to its end. */
export type RunEnded = {
  readonly task: string
  readonly end: 'succeeded' | 'failed' | 'errored' | 'cancelled' | 'expired'
  /** null for one that succeeded or was cancelled */
  readonly code: string | null
  /** since its first start; undefined for one that never started */
  readonly seconds: number | undefined
}
/** Items that a run brought, and in how many of them each column was not null. */
export type RunItems = {
  readonly task: string
  readonly columns: readonly string[]
  readonly items: number
  readonly filled: readonly number[]
}
/** What a worker does right now. */
export type WorkerFigures = { readonly runs: number; readonly children: number }

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const RUN_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
const APPEND_SECONDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Items of one task. */
type Items = { readonly columns: readonly string[]; items: number; readonly filled: number[] }

export class Metrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE
  private readonly registry = new Registry()
  private readonly items = new Map<string, Items>()
  private readonly requests = this.counter('gleaner_http_requests_total', {
    help: 'Answered requests.',
    labelNames: ['method', 'route', 'status'],
  })
  private readonly seconds = this.histogram('gleaner_http_request_duration_seconds', {
    help: 'Time from a request to the begin of its answer.',
    labelNames: ['method', 'route'],
    buckets: SECONDS,
  })
  private readonly ended = this.counter('gleaner_runs_ended_total', {
    help: 'Runs that this process ended, by source, task, end and error code.',
    labelNames: ['source', 'task', 'end', 'code'],
  })
  private readonly duration = this.histogram('gleaner_run_duration_seconds', {
    help: 'Time from the first start of a run to its end.',
    labelNames: ['task'],
    buckets: RUN_SECONDS,
  })
  private readonly credits = this.counter('gleaner_credits_total', {
    help: 'Credits that this process booked: charged, refunded, granted.',
    labelNames: ['kind'],
  })
  private readonly uncounted = this.counter('gleaner_requests_uncounted_total', {
    help: 'Requests that no rate limit was applied to, because the store that counts them was away.',
    labelNames: ['class'],
  })
  private readonly signIns = this.counter('gleaner_sign_ins_total', {
    help: 'Sign-ins of people that were begun, by how they ended.',
    labelNames: ['end'],
  })
  private readonly rejections = this.counter('gleaner_logins_rejected_total', {
    help: 'Logins that are used no more, by source and reason.',
    labelNames: ['source', 'reason'],
  })
  private readonly notSaved = this.counter('gleaner_login_saves_failed_total', {
    help: 'Runs whose newer cookies could not be saved with their login.',
  })
  private readonly vaultSwept = this.counter('gleaner_vault_states_swept_total', {
    help: 'Signed-in states that no login named, and were destroyed.',
  })
  private readonly appends = this.histogram('gleaner_append_duration_seconds', {
    help: 'Time that one commit to the event log took.',
    buckets: APPEND_SECONDS,
  })

  constructor() {
    for (const kind of ['charged', 'refunded', 'granted']) this.credits.inc({ kind }, 0)
    this.itemCounters()
    this.processFigures()
  }

  /**
   * One answered request.
   *
   * @param route the path as it is declared, so that ids make no new series
   * @param seconds until the answer began
   */
  request(sent: string, route: string, status: number, seconds: number): void {
    // A client may send any word as its method; each would be a series for ever.
    const method = METHODS.has(sent) ? sent : 'other'
    this.requests.inc({ method, route, status })
    this.seconds.observe({ method, route }, seconds)
  }

  requestUncounted(kind: 'kickoff' | 'read' | 'admin'): void {
    this.uncounted.inc({ class: kind })
  }

  runEnded({ task, end, code, seconds }: RunEnded): void {
    // A task's key begins with its source.
    this.ended.inc({ source: task.split('.')[0]!, task, end, code: code ?? '' })
    if (seconds !== undefined) this.duration.observe({ task }, seconds)
  }

  /** Adds up the items of all runs; it costs less than a microsecond. */
  brought({ task, columns, items, filled }: RunItems): void {
    let sums = this.items.get(task)
    if (!sums) {
      sums = { columns, items: 0, filled: columns.map(() => 0) }
      this.items.set(task, sums)
    }
    sums.items += items
    for (let i = 0; i < filled.length; i++) sums.filled[i]! += filled[i]!
  }

  booked(kind: 'charged' | 'refunded' | 'granted', credits: number): void {
    this.credits.inc({ kind }, credits)
  }

  /** A sign-in of a person has ended. @param end `done`, or the code of why it came to nothing */
  signInEnded(end: string): void {
    this.signIns.inc({ end })
  }

  /** A login is used no more. @param reason as its event says */
  loginRejected(source: string, reason: string): void {
    this.rejections.inc({ source, reason })
  }

  /** What a run left of its login could not be saved. */
  loginNotSaved(): void {
    this.notSaved.inc()
  }

  /** Signed-in states that counted for nothing were destroyed. */
  sweptVault(states: number): void {
    this.vaultSwept.inc(states)
  }

  /** A commit to the event log, in milliseconds. */
  commit(ms: number): void {
    this.appends.observe(ms / 1000)
  }

  /** Where to ask for the age of the oldest queued run, in seconds (0: none waits), and how many wait. */
  watchQueue(read: () => { readonly oldestS: number; readonly waiting: number }): void {
    this.gauge('gleaner_queue_oldest_seconds', 'Age of the oldest queued run.', () => read().oldestS)
    this.gauge('gleaner_queue_runs', 'Queued runs.', () => read().waiting)
  }

  /** Where to ask what the worker of this process does, and for the free bytes of its disk. */
  watchWorker(read: () => WorkerFigures, diskFree: () => Promise<number>): void {
    this.gauge('gleaner_disk_free_bytes', 'Room on the disk of DATA_DIR.', diskFree)
    this.gauge('gleaner_worker_runs', 'Runs under way in this process.', () => read().runs)
    this.gauge('gleaner_worker_children', 'Child processes of this process.', () => read().children)
  }

  /** Where to ask how far the read models are behind. While nobody knows, there are no figures of it. */
  watchProjections(read: () => Promise<readonly LagFigure[]>): void {
    const figures = () => read().catch(() => [])
    const gauge = (name: string, help: string, of: (figure: LagFigure) => number) =>
      new Gauge({
        name,
        help,
        labelNames: ['projection'],
        registers: [this.registry],
        async collect() {
          this.reset()
          for (const figure of await figures()) this.set({ projection: figure.model }, of(figure))
        },
      })
    gauge(
      'gleaner_projection_lag_seconds',
      'Since when a read model lacks something that the log has; 0 when it lacks nothing.',
      ({ seconds }) => seconds,
    )
    gauge(
      'gleaner_projection_skipped_events',
      'Events that a projection could not handle since the start: a defect.',
      ({ skipped }) => skipped,
    )
  }

  /** All figures in the text format of Prometheus. */
  text(): Promise<string> {
    return this.registry.metrics()
  }

  /** The items and their fields, taken over from plain numbers when somebody asks. */
  private itemCounters(): void {
    const { items } = this
    new Counter({
      name: 'gleaner_items_total',
      help: 'Items that runs brought.',
      labelNames: ['task'],
      registers: [this.registry],
      collect() {
        this.reset()
        for (const [task, sums] of items) this.inc({ task }, sums.items)
      },
    })
    new Counter({
      name: 'gleaner_item_fields_filled_total',
      help: 'Fields of these items that were not null.',
      labelNames: ['task', 'field'],
      registers: [this.registry],
      collect() {
        this.reset()
        for (const [task, { columns, filled }] of items) {
          for (const [i, field] of columns.entries()) this.inc({ task, field }, filled[i])
        }
      },
    })
  }

  /** The usual ones, under their usual names; those of the library itself are wrong or costly on two runtimes. */
  private processFigures(): void {
    new Counter({
      name: 'process_cpu_seconds_total',
      help: 'User and system CPU time spent.',
      registers: [this.registry],
      collect() {
        const { user, system } = process.cpuUsage()
        this.reset()
        this.inc((user + system) / 1e6)
      },
    })
    const startedS = Math.round(Date.now() / 1000 - process.uptime())
    this.gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage().rss)
    this.gauge('process_start_time_seconds', 'Start of the process, seconds since 1970.', () => startedS)
  }

  private gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        this.set(await read())
      },
    })
  }

  private counter(name: string, rest: { help: string; labelNames?: string[] }): Counter {
    return new Counter({ name, ...rest, registers: [this.registry] })
  }

  private histogram(
    name: string,
    rest: { help: string; labelNames?: string[]; buckets: number[] },
  ): Histogram {
    return new Histogram({ name, ...rest, registers: [this.registry] })
  }
}
