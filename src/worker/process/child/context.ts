/**
 * The context passed to a plugin, in the child process.
 *
 * @module
 */
import { createRequire } from 'node:module'
import { clock } from '../../../async/clock.ts'
import { delay } from '../../../async/delay.ts'
import { clearTimeout, setTimeout, type Timer } from '../../../async/timers.ts'
import { network } from '../../../net/connection/network.ts'
import { HttpClient } from '../../../net/http-client.ts'
import type { Release } from '../../../net/rate-limiter.ts'
import type { Observer } from '../../../net/transport/observer.ts'
import { Origins, withOrigin } from '../../../net/transport/origins.ts'
import { type ExitFailure, exitFailureOf } from '../../../net/transport/transport.ts'
import { bytesInto, countingRequests, noUsage, type Usage } from '../../../net/transport/usage.ts'
import { SourceError } from '../../../plugin/errors.ts'
import { createMemory, type Memory } from '../../../plugin/run/memory.ts'
import type { Context } from '../../../plugin.ts'
import type { Completed, LogFields, OfRun, TaskEnd } from '../from-child.ts'
import { type Job, MOST_LOG_LINES, type Setup, type WorkerAnswer } from '../protocol.ts'
import { Calls, newId } from './calls.ts'
import type { Loaded } from './execution.ts'
import { Files } from './files.ts'
import { openPage, type PageDeps } from './pages.ts'

export type ContextOptions = {
  readonly job: Job
  readonly loaded: Loaded
  readonly setup: Setup
  readonly signal: AbortSignal
  readonly send: (message: OfRun) => void
  /** of this run and its exit; default: what runs share in this process */
  readonly memory?: Memory
  /** observes its requests and their answers */
  readonly observer?: Observer | undefined
  /** called with what it reads of pages */
  readonly onPageRead?: PageDeps['onRead']
}

/** A context, and its controls for the code that serves it. */
export type ServedContext = {
  readonly context: Context
  /** what its requests have used so far */
  readonly usage: Readonly<Usage>
  /** Receives the answers to the context's calls. */
  receive(answer: WorkerAnswer): void
  /** The task starts again: the items so far, and the rows that were left out, do not count. */
  again(reason: string): void
  /**
   * The run has ended: sends its last progress, and nothing afterwards.
   *
   * @returns the end as clients may see it: at most 300 characters, without the address of a replaced origin; and
   *   whether its exit failed, whatever error the plugin made of it
   */
  ended(end: TaskEnd): Pick<Completed, 'end' | 'hasFolder' | 'cookies' | 'route' | 'skipped' | 'usage'>
}

const PROGRESS_MS = 1000
const LONGEST_PHRASE = 300
const LONGEST_LOG_LINE = 2000
const LONGEST_ROUTE = 100

/** What runs share in this process: of each source one for all of its runs, and one for each entry of its list. */
const memories = new Map<string, Memory>()

function sharedMemory(...key: readonly (string | null)[]): Memory {
  const name = JSON.stringify(key)
  const memory = memories.get(name) ?? createMemory(clock.now)
  memories.set(name, memory)
  return memory
}

/** A session of a template is an address of its own, so what it was given and refused ends with the run. */
const exitMemoryOf = (source: string, exit: Job['exit']): Memory =>
  exit?.isSession ? createMemory(clock.now) : sharedMemory(source, exit?.url ?? null)

export function createContext({
  job,
  loaded,
  setup,
  signal,
  send,
  observer,
  onPageRead,
  memory,
}: ContextOptions): ServedContext {
  const { source, declaration: task } = loaded
  const calls = new Calls(send)
  const files = new Files(job.folder, job.hasUnfinished ?? false, signal, calls)
  const progress = new Progress(send)
  const origins = new Origins(setup.origins[source.name])
  /** Acquires a slot from the parent, which limits the rate across all children. */
  async function acquire(host: string, stop: AbortSignal): Promise<Release> {
    const id = newId()
    const release: Release = (pauseMs) => send({ type: 'release', id, pauseMs })
    try {
      const { paused } = await calls.call('acquired', { type: 'acquire', id, host }, stop)
      if (paused) throw new SourceError('source-rate-limited', 'the source asked to retry later')
      return release
    } catch (error) {
      release(0)
      throw error
    }
  }
  const usage = noUsage()
  const transport = countingRequests(network(origins.isReplaced, job.exit, bytesInto(usage)), usage)
  const client = new HttpClient({
    source,
    userAgent: setup.userAgent,
    transport: withOrigin(origins, transport),
    observer,
    signal,
    until: job.until,
    cookies: job.login?.cookies,
    acquire,
    now: clock.now,
  })
  /** The cookies of its login that responses changed; none without a login. */
  const cookies = () => (job.login ? client.cookies.changed : [])
  const detailFor = (detail: string) =>
    origins.disguise(detail, source.origin).slice(0, LONGEST_PHRASE).toWellFormed()
  let lastFailure: ExitFailure | undefined
  /** Remembers whether the exit failed in the last exchange. */
  async function watchExit<T>(exchange: Promise<T>): Promise<T> {
    try {
      const answer = await exchange
      lastFailure = undefined
      return answer
    } catch (error) {
      lastFailure = exitFailureOf(error)
      throw error
    }
  }
  /** The end of a run that failed, with the failure of its exit if that is the cause, whatever the plugin made of it. */
  function failureEnd({
    exitFailure = lastFailure,
    ...end
  }: TaskEnd & { readonly status: 'failed' }): TaskEnd {
    const isCause = end.code === 'source-unavailable' || exitFailure?.where === 'everywhere'
    return { ...end, detail: detailFor(end.detail), ...(isCause && exitFailure && { exitFailure }) }
  }
  let lines = 0
  let route: string | undefined
  let skipped = 0
  const context: Context = {
    fetch: (url, options) => watchExit(client.fetch(url, options)),
    page: (options) =>
      openPage({ source, calls, acquire, watchExit, cookies, signal, onRead: onPageRead }, options),
    parse,
    progress: (done, total = null, message = null) => progress.say(done, total, message),
    artifact: (name, contentType) => files.create(name, contentType),
    unfinished: () => files.unfinished(),
    async charge(block) {
      const { price, key } = task
      if (typeof price === 'number' || price.block === undefined)
        throw new TypeError(`the price of ${key} has no further blocks`)
      if (!Number.isSafeInteger(block) || block < 1)
        throw new TypeError(`block ${block}: blocks count from 1`)
      return (await calls.call('charged', { type: 'charge', id: newId(), block }, signal)).paid
    },
    async pause(ms) {
      if (clock.now() + ms >= job.until) return false
      await delay(ms, signal)
      return !signal.aborted
    },
    signal,
    now: clock.now,
    log(message, fields = {}) {
      if (++lines <= MOST_LOG_LINES)
        send({ type: 'log', message: String(message).slice(0, LONGEST_LOG_LINE), fields: plain(fields) })
    },
    cookie: (name, url) => client.cookie(name, url),
    memory: memory ?? sharedMemory(source.name),
    exitMemory: memory ?? exitMemoryOf(source.name, job.exit),
    credentials: job.credentials ?? null,
    note(what) {
      route = what.route?.slice(0, LONGEST_ROUTE) ?? route
      skipped += what.skipped ?? 0
    },
    origin: source.origin,
    signedIn: job.login !== undefined,
  }
  return {
    context,
    usage,
    receive: (answer) => calls.receive(answer),
    again(reason) {
      skipped = 0
      send({ type: 'again', reason })
    },
    ended(end) {
      progress.close()
      files.end()
      const changed = cookies()
      return {
        end: end.status === 'failed' ? failureEnd(end) : end,
        hasFolder: files.hasFolder,
        ...(changed.length > 0 && { cookies: changed }),
        ...(route !== undefined && { route }),
        ...(skipped > 0 && { skipped: whole(skipped) }),
        ...(usage.requests > 0 && { usage: { ...usage } }),
      }
    },
  }
}

const plain = (fields: LogFields): LogFields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? null]))

type Parser = (html: string) => { readonly document: Document }
let parser: Parser | undefined

/** Parses HTML. linkedom is large, and many tasks read only JSON, so it is loaded when first needed. */
function parse(html: string): Document {
  parser ??= (createRequire(import.meta.url)('linkedom') as { parseHTML: Parser }).parseHTML
  return parser(html).document
}

/** Sends the run's progress about once a second, and the final progress at the end. */
class Progress {
  private latest: (OfRun & { type: 'progress' }) | undefined
  private timer: Timer | undefined

  constructor(private readonly send: (message: OfRun) => void) {}

  say(done: number, total: number | null, message: string | null): void {
    this.latest = {
      type: 'progress',
      done: whole(done),
      total: total === null ? null : whole(total),
      message: message === null ? null : String(message).slice(0, LONGEST_PHRASE).toWellFormed(),
    }
    this.timer ??= setTimeout(() => this.close(), PROGRESS_MS)
  }

  /** Sends the latest progress if it was not sent yet. */
  close(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.latest) this.send(this.latest)
    this.latest = undefined
  }
}

const whole = (value: number): number =>
  Number.isFinite(value) ? Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.floor(value))) : 0
