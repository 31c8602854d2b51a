/**
 * The browser host as the service sees it: started when a run first needs a page, ended when none has for a while, and
 * started anew when it died.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process'
import { withTimeout } from '../../async/delay.ts'
import type { Logger } from '../../logger.ts'
import type { Login } from '../../plugin.ts'
import { preferAsVictim } from '../../process/memory.ts'
import { onEnd, spawnTrusted } from '../../process/spawn.ts'
import { installerOf } from '../chromium/find.ts'
import { BrowserFailed } from '../failure.ts'
import type { Site } from '../page/requests.ts'
import type { StateChange } from '../page/state-changes.ts'
import { SignInError } from '../signin/errors.ts'
import type { SignInEvent, Viewport } from '../signin/types.ts'
import { type Fault, faultOf, type PageAnswer, type PageCall } from './page-calls.ts'
import { ALIVE_MS, type FromHost, loginToJson, SILENT_MS, siteToJson, type ToHost } from './protocol.ts'
import { RemoteSignIn, type SignInHandle } from './sign-in.ts'

export type HostSettings = {
  readonly chromiumPath: string | null
  /** by source: where its requests go instead */
  readonly origins: ReadonlyMap<string, string>
  readonly proxyUrl: string | null
  /** pages at once */
  readonly most: number
}

const MAIN = new URL('./main.ts', import.meta.url)
/** How long it is kept without a run that has a page, in milliseconds. */
const IDLE_MS = 120_000
/** How long a run's end waits for what its pages changed, in milliseconds: a host that says nothing is ended later. */
const LEAVE_MS = 3000
/** How long it may take to end, in milliseconds. */
const STOP_MS = 5000
const ENDED: Fault = faultOf(new BrowserFailed('the browser ended'))
/** What a printed text is cut to, in characters. */
const MOST_CHARS = 2000

/** The pages of one run. */
export type RunPages = {
  /** Does what a page is asked for. Never rejects. @param page the child's number of it */
  call(page: number, call: PageCall): Promise<PageAnswer>
  /**
   * The run is over; again it does nothing. Never rejects.
   *
   * @returns what its pages changed in its signed-in state, as far as that is known
   */
  close(): Promise<readonly StateChange[]>
}

type HostRun = { readonly number: number; readonly site: Site; readonly state: string | null }

/** What a person is to sign in to, and who is told of it. */
export type SignInWanted = {
  readonly site: Site
  readonly login: Login
  readonly viewport: Viewport
  /** told of what the person is to be told; the state is not among it */
  readonly onEvent: (event: SignInEvent) => void
}

export class BrowserHost {
  private process: HostProcess | undefined
  private idle: ReturnType<typeof setTimeout> | undefined
  /** that have it now: runs, and people who sign in */
  private users = 0
  private last = 0
  private isStopped = false

  constructor(
    private readonly settings: HostSettings,
    private readonly logger: Logger,
  ) {}

  /** For a run that wants a page. @param state signed in, as a browser saves it: its pages begin with it */
  pagesFor(site: Site, state?: string): RunPages {
    this.entered()
    const run: HostRun = { number: ++this.last, site, state: state ?? null }
    let isOver = false
    /** where its page is; another one after it died */
    let at: HostProcess | undefined
    return {
      call: (page, call) => {
        if (call.method === 'open' && !isOver) at = this.processFor(at, run)
        return at?.call(run.number, page, call) ?? Promise.resolve({ fault: ENDED })
      },
      close: async () => {
        if (isOver) return []
        isOver = true
        const left = at?.leave(run.number)
        this.left()
        // Who had no state waits for nothing.
        if (run.state === null || !left) return []
        return withTimeout(LEAVE_MS, left, () => new Error('the host says nothing')).catch(() => [])
      },
    }
  }

  /**
   * Opens a page in which a person signs in.
   *
   * @throws {SignInError} `busy`, `no-browser`, `browser-ended`, `bad-input` when the viewport is none
   */
  async signIn({ site, login, viewport, onEvent }: SignInWanted): Promise<SignInHandle> {
    const process = this.running()
    if (!process) throw new SignInError('browser-ended')
    this.entered()
    const number = ++this.last
    const signIn = new RemoteSignIn(number, (message) => process.send(message), onEvent)
    process.signIns.set(number, signIn)
    const left = () => {
      process.signIns.delete(number)
      this.left()
    }
    signIn.outcome.then(left, left)
    const place = { site: siteToJson(site), login: loginToJson(login) }
    process.send({ type: 'sign-in', signIn: number, viewport, ...place })
    await signIn.opened
    return signIn
  }

  /** Ends the process and its browser. */
  async stop(): Promise<void> {
    this.isStopped = true
    clearTimeout(this.idle)
    await this.process?.stop()
  }

  /** @returns the process that the run's next page is opened in, which knows of it */
  private processFor(before: HostProcess | undefined, run: HostRun): HostProcess | undefined {
    const { number, site, state } = run
    const process = this.running()
    if (process !== before) process?.send({ type: 'run', run: number, site: siteToJson(site), state })
    return process
  }

  private running(): HostProcess | undefined {
    if (this.isStopped) return undefined
    if (!this.process?.isAlive) this.process = new HostProcess(this.settings, this.logger)
    return this.process
  }

  private entered(): void {
    clearTimeout(this.idle)
    this.users++
  }

  private left(): void {
    if (--this.users > 0 || this.isStopped) return
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
  /** by number, those that are over and have not said what they changed */
  private readonly leaving = new Map<number, (changes: readonly StateChange[]) => void>()
  /** by number, those that are open or about to be */
  readonly signIns = new Map<number, RemoteSignIn>()
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
    this.child = spawnTrusted(MAIN)
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
    const found = { chromiumPath, installer: installerOf() }
    this.send({ type: 'setup', ...found, origins: Object.fromEntries(origins), proxyUrl, most })
  }

  call(run: number, page: number, call: PageCall): Promise<PageAnswer> {
    if (!this.isAlive) return Promise.resolve({ fault: ENDED })
    const id = ++this.last
    return new Promise((go) => {
      this.pending.set(id, go)
      this.send({ type: 'call', id, run, page, call })
    })
  }

  /** The run is over. @returns what its pages changed in its state; nothing when the process dies */
  leave(run: number): Promise<readonly StateChange[]> {
    if (!this.isAlive) return Promise.resolve([])
    return new Promise((go) => {
      this.leaving.set(run, go)
      this.send({ type: 'over', run })
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
    if ('signIn' in message) this.signIns.get(message.signIn)?.receive(message)
    if (message.type === 'left') {
      this.leaving.get(message.run)?.(message.changes)
      this.leaving.delete(message.run)
    }
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
    for (const go of this.leaving.values()) go([])
    this.leaving.clear()
    for (const signIn of this.signIns.values()) signIn.fail(new SignInError('browser-ended'))
    this.gone.resolve()
  }
}
