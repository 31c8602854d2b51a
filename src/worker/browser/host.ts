/**
 * The browser host as the service sees it: started when a run first needs a page, ended when none has for a while, and
 * started anew when it died.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process'
import { type Fault, faultOf, type PageAnswer, type PageCall } from '../../browser/calls.ts'
import { findChromium } from '../../browser/find.ts'
import type { Site } from '../../browser/requests.ts'
import type { Logger } from '../../logger.ts'
import { TryAgain } from '../../plugin/errors.ts'
import { preferAsVictim } from '../rss.ts'
import { onEnd, spawnBrowserHost } from '../spawn.ts'
import { ALIVE_MS, type FromHost, SILENT_MS, siteToJson, type ToHost } from './protocol.ts'

export type HostSettings = {
  readonly chromiumPath: string | null
  /** by source: where its requests go instead */
  readonly origins: ReadonlyMap<string, string>
  readonly proxyUrl: string | null
  /** pages at once */
  readonly most: number
}

/** How long it is kept without a run that has a page, in milliseconds. */
const IDLE_MS = 120_000
/** How long it may take to end, in milliseconds. */
const STOP_MS = 5000
const ENDED: Fault = faultOf(new TryAgain('the browser ended'))
/** What a printed text is cut to, in characters. */
const MOST_CHARS = 2000

/** The pages of one run. */
export type RunPages = {
  /** Does what a page is asked for. Never rejects. @param page the child's number of it */
  call(page: number, call: PageCall): Promise<PageAnswer>
  /** The run is over; again it does nothing. */
  close(): void
}

export class BrowserHost {
  private process: HostProcess | undefined
  private idle: ReturnType<typeof setTimeout> | undefined
  private runs = 0
  private last = 0
  private isStopped = false

  constructor(
    private readonly settings: HostSettings,
    private readonly logger: Logger,
  ) {}

  /** For a run that wants a page. */
  pagesFor(site: Site): RunPages {
    clearTimeout(this.idle)
    this.runs++
    const run = ++this.last
    let isOver = false
    /** where its page is; another one after it died */
    let at: HostProcess | undefined
    return {
      call: (page, call) => {
        if (call.method === 'open' && !isOver) at = this.entered(at, run, site)
        return at?.call(run, page, call) ?? Promise.resolve({ fault: ENDED })
      },
      close: () => {
        if (isOver) return
        isOver = true
        at?.send({ type: 'over', run })
        this.left()
      },
    }
  }

  /** Ends the process and its browser. */
  async stop(): Promise<void> {
    this.isStopped = true
    clearTimeout(this.idle)
    await this.process?.stop()
  }

  /** @returns the process that the run's next page is opened in, which knows of it */
  private entered(before: HostProcess | undefined, run: number, site: Site): HostProcess | undefined {
    if (this.isStopped) return undefined
    if (!this.process?.isAlive) this.process = new HostProcess(this.settings, this.logger)
    if (this.process !== before) this.process.send({ type: 'run', run, site: siteToJson(site) })
    return this.process
  }

  private left(): void {
    if (--this.runs > 0 || this.isStopped) return
    this.idle = setTimeout(() => {
      const { process } = this
      this.process = undefined
      void process?.stop()
    }, IDLE_MS)
    this.idle.unref()
  }
}

/** One process, from its start to its end. */
class HostProcess {
  private readonly child: ChildProcess
  private readonly pending = new Map<number, (answer: PageAnswer) => void>()
  private last = 0
  private heard = performance.now()
  private looked = this.heard
  private readonly watching: ReturnType<typeof setInterval>
  private readonly gone = Promise.withResolvers<void>()
  private stopping = false
  isAlive = true

  constructor(
    { chromiumPath, origins, proxyUrl, most }: HostSettings,
    private readonly logger: Logger,
  ) {
    this.child = spawnBrowserHost()
    this.child.on('message', (message) => this.receive(message as FromHost))
    this.child.on('error', (error) => this.failed(error))
    onEnd(this.child, (code, signal) => this.ended(`exit code ${code}, signal ${signal}`))
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        logger.debug({ text: chunk.toString().slice(0, MOST_CHARS) }, 'the browser host printed')
      })
    if (this.child.pid !== undefined) preferAsVictim(this.child.pid)
    this.watching = setInterval(() => this.watch(), ALIVE_MS)
    this.watching.unref()
    const executable = findChromium(chromiumPath) ?? null
    this.send({ type: 'setup', executable, origins: Object.fromEntries(origins), proxyUrl, most })
  }

  call(run: number, page: number, call: PageCall): Promise<PageAnswer> {
    if (!this.isAlive) return Promise.resolve({ fault: ENDED })
    const id = ++this.last
    return new Promise((go) => {
      this.pending.set(id, go)
      this.send({ type: 'call', id, run, page, call })
    })
  }

  send(message: ToHost): void {
    // One that is gone is heard of by its exit.
    if (this.isAlive)
      this.child.send?.(message, (error) => {
        if (error) this.logger.debug({ err: error }, 'a message did not reach the browser host')
      })
  }

  /** Ends it, in order where it can. */
  async stop(): Promise<void> {
    this.stopping = true
    this.send({ type: 'stop' })
    const late = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS)
    await this.gone.promise
    clearTimeout(late)
  }

  private receive(message: FromHost): void {
    this.heard = performance.now()
    if (message.type === 'failed') this.logger.warn({ reason: message.reason }, 'the browser failed')
    if (message.type !== 'done') return
    this.pending.get(message.id)?.(message.answer)
    this.pending.delete(message.id)
  }

  private watch(): void {
    const now = performance.now()
    // When the service itself stood still, nobody's silence means anything.
    if (now - this.looked > ALIVE_MS * 2) this.heard = now
    this.looked = now
    if (now - this.heard > SILENT_MS) this.child.kill('SIGKILL')
  }

  private failed(error: Error): void {
    this.logger.error({ err: error }, 'the browser host could not be started or reached')
    if (this.child.pid === undefined) this.ended('it did not start')
  }

  private ended(reason: string): void {
    if (!this.isAlive) return
    this.isAlive = false
    clearInterval(this.watching)
    if (!this.stopping) this.logger.warn({ reason }, 'the browser host ended')
    for (const go of this.pending.values()) go({ fault: ENDED })
    this.pending.clear()
    this.gone.resolve()
  }
}
