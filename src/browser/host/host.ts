/**
 * The browser host as the service sees it: started when a run first needs a page, ended when none has for a while, and
 * started anew when it died.
 *
 * @module
 */
import { withTimeout } from '../../async/delay.ts'
import { clearTimeout, setTimeout, type Timer } from '../../async/timers.ts'
import type { Logger } from '../../logger.ts'
import type { Site } from '../page/requests.ts'
import type { StateChange } from '../page/state-changes.ts'
import { SignInError } from '../signin/errors.ts'
import type { SignInWanted } from '../signin/open.ts'
import { type PageAnswer, type PageCall, resultOf } from './page-calls.ts'
import { ENDED, HostProcess } from './process.ts'
import type { HostSettings } from './protocol.ts'
import { openSignIn, type SignInHandle } from './sign-in.ts'

/** How long it is kept without a run that has a page, in milliseconds. */
const IDLE_MS = 120_000
/** How long a run's end waits for what its pages changed, in milliseconds: a host that says nothing is ended later. */
const LEAVE_MS = 3000

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

export class BrowserHost {
  private process: HostProcess | undefined
  private idle: Timer | undefined
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
    const run = ++this.last
    let isOver = false
    /** where its page is; another one after it died */
    let at: HostProcess | undefined
    return {
      call: async (page, call) => {
        const isOpening = call.method === 'open' && !isOver
        if (isOpening) at = this.running()
        const begins = isOpening ? { site: copyOf(site), state } : undefined
        return at?.ask({ type: 'page', run, page, call, begins }) ?? ENDED
      },
      close: async () => {
        if (isOver) return []
        isOver = true
        const left = at?.ask({ type: 'end-run', run })
        this.left()
        // Who had no state waits for nothing.
        if (state === undefined || !left) return []
        const changes = left.then((answer) => resultOf(answer) as readonly StateChange[])
        return withTimeout(LEAVE_MS, changes, () => new Error('the host says nothing')).catch(() => [])
      },
    }
  }

  /**
   * Opens a page in which a person signs in.
   *
   * @throws {SignInError} `no-browser`, `browser-ended`
   */
  async signIn(wanted: SignInWanted): Promise<SignInHandle> {
    const process = this.running()
    if (!process) throw new SignInError('browser-ended')
    this.entered()
    const number = ++this.last
    const left = () => {
      process.listeners.delete(number)
      this.left()
    }
    try {
      const handle = await openSignIn(process, number, { ...wanted, site: copyOf(wanted.site) })
      handle.outcome.then(left, left)
      return handle
    } catch (error) {
      left()
      throw error
    }
  }

  /** Ends the process and its browser. */
  async stop(): Promise<void> {
    this.isStopped = true
    clearTimeout(this.idle)
    await this.process?.stop()
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

/** Sources have functions too, which go to no other process. */
const copyOf = ({ name, origin, hosts = [], assetHosts = [], interstitials = [] }: Site): Site => ({
  ...{ name, origin, hosts, assetHosts, interstitials },
})
