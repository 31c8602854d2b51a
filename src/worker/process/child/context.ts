/**
 * What a plugin is given, in the child process.
 *
 * @module
 */
import { createRequire } from 'node:module'
import { clock } from '../../../async/clock.ts'
import { delay } from '../../../async/delay.ts'
import { clearTimeout, setTimeout, type Timer } from '../../../async/timers.ts'
import { network } from '../../../net/connection/network.ts'
import type { SavedCookie } from '../../../net/cookies.ts'
import { HttpClient, type Release } from '../../../net/http-client.ts'
import { type Observer, observed } from '../../../net/transport/observer.ts'
import { Origins, withOrigin } from '../../../net/transport/origins.ts'
import { SourceError } from '../../../plugin/errors.ts'
import type { Context } from '../../../plugin.ts'
import type { FromChild, Job, LogFields, Setup, TaskEnd, ToChild } from '../protocol.ts'
import { Calls, newId } from './calls.ts'
import type { Loaded } from './execution.ts'
import { Files } from './files.ts'
import { Pages } from './pages.ts'

export type ContextOptions = {
  readonly job: Job
  readonly loaded: Loaded
  readonly setup: Setup
  readonly signal: AbortSignal
  readonly send: (message: FromChild) => void
  readonly observer?: Observer
}

/** A context with what the service's side of it needs. */
export type ServedContext = {
  readonly context: Context
  /** Takes the answers to what the context asked for. */
  receive(message: ToChild & { readonly type: 'acquired' | 'filed' | 'charged' | 'paged' }): void
  /** An end as clients may hear of it: 300 characters, without the address of a replaced origin. */
  told(end: TaskEnd): TaskEnd
  /** What answers made of the cookies of its login; none without one. */
  readonly changedCookies: readonly SavedCookie[]
  /** Whether the run has made its folder. */
  readonly hasFolder: boolean
  /** The run has ended: sends its last progress, and nothing more. */
  close(): void
}

const PROGRESS_MS = 1000
const LONGEST_PHRASE = 300
/** A plugin that logs more in one run is in a loop. */
const MOST_LOG_LINES = 1000
const LONGEST_LOG_LINE = 2000

export function createContext({ job, loaded, setup, signal, send, observer }: ContextOptions): ServedContext {
  const { source, task } = loaded
  const slots = new Slots(send)
  const files = new Files(job.folder, job.hasUnfinished ?? false, signal, send)
  const charges = new Calls<boolean>()
  const progress = new Progress(send)
  const origins = new Origins(setup.origins[source.name])
  const transport = withOrigin(origins, network(origins.isReplaced, setup.proxyUrl))
  const acquire = (host: string, stop: AbortSignal) => slots.acquire(host, stop)
  const client = new HttpClient({
    source,
    userAgent: setup.userAgent,
    transport: observer ? observed(transport, observer) : transport,
    signal,
    until: job.until,
    cookies: job.login?.cookies,
    acquire,
    now: clock.now,
  })
  const pages = new Pages({
    source,
    acquire,
    cookies: () => (job.login ? client.changedCookies : []),
    signal,
    send,
  })
  let lines = 0
  const context: Context = {
    fetch: (url, options) => client.fetch(url, options),
    page: (options) => pages.open(options),
    parse,
    progress: (done, total = null, message = null) => progress.say(done, total, message),
    artifact: (name, contentType) => files.create(name, contentType),
    unfinished: () => files.unfinished(),
    async charge(block) {
      const { price, key } = task
      if (typeof price === 'number' || price.block === undefined)
        throw new TypeError(`the price of ${key} has no further blocks`)
      if (!Number.isSafeInteger(block) || block < 1) throw new TypeError(`block ${block}: they count from 1`)
      return charges.call(signal, (id) => send({ type: 'charge', id, block }))
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
    origin: source.origin,
    signedIn: job.login !== undefined,
  }
  return {
    context,
    receive(message) {
      if (message.type === 'acquired') slots.receive(message)
      else if (message.type === 'filed') files.receive(message)
      else if (message.type === 'paged') pages.receive(message)
      else charges.answer(message.id, message.paid)
    },
    told(end) {
      if (end.status !== 'failed') return end
      const detail = origins.disguise(end.detail, source.origin).slice(0, LONGEST_PHRASE).toWellFormed()
      return { ...end, detail }
    },
    get changedCookies() {
      return job.login ? client.changedCookies : []
    },
    get hasFolder() {
      return files.hasFolder
    },
    close: () => progress.close(),
  }
}

const plain = (fields: LogFields): LogFields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? null]))

type Parser = (html: string) => { readonly document: Document }
let parser: Parser | undefined

/** linkedom is large, and many tasks read JSON alone: it is loaded when it is first needed. */
function parse(html: string): Document {
  parser ??= (createRequire(import.meta.url)('linkedom') as { parseHTML: Parser }).parseHTML
  return parser(html).document
}

/** Asks the parent, which keeps the pace over all children. */
class Slots {
  private readonly calls = new Calls<boolean>()

  constructor(private readonly send: (message: FromChild) => void) {}

  receive({ id, paused }: { readonly id: number; readonly paused: boolean }): void {
    this.calls.answer(id, paused)
  }

  async acquire(host: string, signal: AbortSignal): Promise<Release> {
    const id = newId()
    let isReleased = false
    const release: Release = (pauseMs) => {
      if (!isReleased) this.send({ type: 'release', id, pauseMs })
      isReleased = true
    }
    try {
      const paused = await this.calls.call(signal, () => this.send({ type: 'acquire', id, host }), id)
      if (paused) throw new SourceError('source-rate-limited', 'the source asked to retry later')
      return release
    } catch (error) {
      release(0)
      throw error
    }
  }
}

/** Says how far the run is, about once a second, and how far it came. */
class Progress {
  private latest: (FromChild & { type: 'progress' }) | undefined
  private timer: Timer | undefined

  constructor(private readonly send: (message: FromChild) => void) {}

  say(done: number, total: number | null, message: string | null): void {
    this.latest = {
      type: 'progress',
      done: whole(done),
      total: total === null ? null : whole(total),
      message: message === null ? null : String(message).slice(0, LONGEST_PHRASE).toWellFormed(),
    }
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      if (this.latest) this.send(this.latest)
    }, PROGRESS_MS)
  }

  close(): void {
    if (this.timer === undefined) return
    clearTimeout(this.timer)
    if (this.latest) this.send(this.latest)
  }
}

const whole = (value: number): number =>
  Number.isFinite(value) ? Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.floor(value))) : 0
