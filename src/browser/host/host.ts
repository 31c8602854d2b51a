/**
 * The service's handle of the browser host. The host is started when a run first needs a page, stopped after a time
 * without users, and restarted when it died.
 *
 * @module
 */
import { withTimeout } from '../../async/delay.ts'
import { clearTimeout, setTimeout, type Timer } from '../../async/timers.ts'
import type { Logger } from '../../logger.ts'
import type { ExitUrl } from '../../net/exits/choose.ts'
import { noUsage } from '../../net/transport/usage.ts'
import { SignInError } from '../../signin/browser/errors.ts'
import type { SignInTarget } from '../../signin/browser/open.ts'
import type { SignInHandle } from '../../signin/browser/types.ts'
import type { Site } from '../page/requests.ts'
import { type PageAnswer, type PageCall, resultOf } from './page-calls.ts'
import { ENDED, HostProcess } from './process.ts'
import type { HostSettings } from './protocol.ts'
import type { PagesEnd } from './served-pages.ts'
import { openSignIn } from './sign-in.ts'

/** How long an unused host is kept, in milliseconds. */
const IDLE_MS = 120_000
/** How long a run's end waits for what its pages changed and used, in milliseconds. A silent host is killed later. */
const LEAVE_MS = 3000

/** The pages of one run. */
export type RunPages = {
  /** Performs a call on a page. Never rejects. @param page the child's number for the page */
  call(page: number, call: PageCall): Promise<PageAnswer>
  /**
   * Ends the run's use of pages. Never rejects.
   *
   * @returns at the first call: what its pages changed and used, as far as known
   */
  close(): Promise<PagesEnd>
}

export class BrowserHost {
  private process: HostProcess | undefined
  private idle: Timer | undefined
  /** current users: runs and sign-ins */
  private users = 0
  private last = 0
  private isStopped = false

  constructor(
    private readonly settings: HostSettings,
    private readonly logger: Logger,
  ) {}

  /** Whether its process runs. */
  get isRunning(): boolean {
    return this.process?.isAlive ?? false
  }

  /** The number of its users: runs with pages, and sign-ins. */
  get userCount(): number {
    return this.users
  }

  /**
   * Returns the pages of a run.
   *
   * @param exit null: direct
   * @param state the signed-in state, in the browser's format, that its pages start with
   */
  pagesFor(site: Site, exit: ExitUrl | null, state?: string): RunPages {
    this.entered()
    const run = ++this.last
    let isOver = false
    /** the process with the run's page; a new one after a process died */
    let at: HostProcess | undefined
    return {
      call: async (page, call) => {
        const isOpening = call.method === 'open' && !isOver
        if (isOpening) at = this.running()
        const begins = isOpening ? { site: copyOf(site), state, exit: exit && { url: exit.url } } : undefined
        return at?.ask({ type: 'page', run, page, call, begins }) ?? ENDED
      },
      close: async () => {
        if (isOver) return nothing()
        isOver = true
        const left = at?.ask({ type: 'end-run', run })
        this.left()
        if (!left) return nothing()
        const end = left.then((answer) => resultOf(answer) as PagesEnd)
        return withTimeout(LEAVE_MS, end, () => new Error('no response in time')).catch(nothing)
      },
    }
  }

  /**
   * Opens a page in which a person signs in.
   *
   * @throws {SignInError} `no-browser`, `browser-ended`
   */
  async signIn(target: SignInTarget): Promise<SignInHandle> {
    const process = this.running()
    if (!process) throw new SignInError('browser-ended')
    this.entered()
    const number = ++this.last
    const left = () => {
      process.listeners.delete(number)
      this.left()
    }
    try {
      const { site, login } = target
      const { url, hosts = [], signedIn } = login
      const plain = { site: copyOf(site), login: { url, hosts, signedIn } }
      const handle = await openSignIn(process, number, { ...target, ...plain })
      handle.outcome.then(left, left)
      return handle
    } catch (error) {
      left()
      throw error
    }
  }

  /** Stops the process and its browser. */
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

const nothing = (): PagesEnd => ({ changes: [], usage: noUsage() })

/** Copies the plain fields of a site: sources also contain functions, which can't be sent to another process. */
const copyOf = ({ name, origin, hosts = [], assetHosts = [], interstitials = [] }: Site): Site => ({
  name,
  origin,
  hosts,
  assetHosts,
  interstitials,
})
