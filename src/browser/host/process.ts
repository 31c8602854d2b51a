/**
 * One process of the browser host, from start to end.
 *
 * @module
 */
import { clearInterval, clearTimeout, setInterval, setTimeout, type Timer } from '../../async/timers.ts'
import type { Logger } from '../../logger.ts'
import { preferAsVictim } from '../../process/memory.ts'
import { type Printed, ServedChild } from '../../process/served-child.ts'
import { spawnTrusted } from '../../process/spawn.ts'
import type { SignInListener } from '../../signin/browser/types.ts'
import { installerOf } from '../chromium/find.ts'
import { BrowserFailed } from '../failure.ts'
import { faultOf, type PageAnswer } from './page-calls.ts'
import {
  ALIVE_MS,
  type FromHost,
  type HostRequest,
  type HostSettings,
  SILENT_MS,
  type ToHost,
} from './protocol.ts'

const MAIN = new URL('./main.ts', import.meta.url)
/** Time limit for a graceful stop, in milliseconds. */
const STOP_MS = 5000
/** The answer to each request to a process that has ended. */
export const ENDED: PageAnswer = { fault: faultOf(new BrowserFailed('the browser ended')) }

export class HostProcess extends ServedChild<ToHost> {
  private readonly pending = new Map<number, (answer: PageAnswer) => void>()
  /** of sign-ins, keyed by the sign-in's number */
  readonly listeners = new Map<number, SignInListener>()
  private last = 0
  private readonly watching: Timer
  private readonly gone = Promise.withResolvers<void>()
  private stopping = false

  constructor(settings: HostSettings, logger: Logger) {
    super(spawnTrusted(MAIN), logger, 'the browser host')
    if (this.process.pid !== undefined) preferAsVictim(this.process.pid)
    this.watching = setInterval(() => {
      if (this.silentMs() > SILENT_MS) this.endGroup()
    }, ALIVE_MS)
    this.watching.unref()
    this.send({ type: 'setup', installer: installerOf(), ...settings })
  }

  /** Sends a request and returns its answer. Never rejects. */
  ask(request: HostRequest): Promise<PageAnswer> {
    if (!this.isAlive) return Promise.resolve(ENDED)
    const id = ++this.last
    return new Promise((go) => {
      this.pending.set(id, go)
      this.send({ type: 'request', id, request })
    })
  }

  /** Stops the process gracefully; kills it when it does not end in time. */
  async stop(): Promise<void> {
    this.stopping = true
    this.send({ type: 'stop' })
    const late = setTimeout(() => this.endGroup(), STOP_MS)
    await this.gone.promise
    clearTimeout(late)
  }

  protected receive(message: FromHost): void {
    if (message.type === 'failed')
      this.logger.warn(
        { reason: message.reason },
        'The browser failed. Open pages fail; the next page starts the browser again.',
      )
    if (message.type === 'event') this.listeners.get(message.signIn)?.onEvent(message.event)
    if (message.type === 'exit-failed') this.listeners.get(message.signIn)?.onExitFailed?.(message.failure)
    if (message.type === 'used') this.listeners.get(message.signIn)?.onUsed?.(message.usage)
    if (message.type !== 'answer') return
    this.pending.get(message.id)?.(message.answer)
    this.pending.delete(message.id)
  }

  protected printed({ text }: Printed): void {
    this.logger.debug({ text }, 'The browser host printed.')
  }

  protected failed(err: Error): void {
    this.logger.error(
      { err },
      'The browser host could not be started or reached. The next page starts another one.',
    )
  }

  protected ended(code: number | null, signal: string | null): void {
    clearInterval(this.watching)
    const neverStarted = code === null && signal === null
    const reason = neverStarted ? 'it did not start' : `exit code ${code}, signal ${signal}`
    if (!this.stopping)
      this.logger.warn({ reason }, 'The browser host ended. The next page starts another one.')
    for (const go of this.pending.values()) go(ENDED)
    this.pending.clear()
    this.gone.resolve()
  }
}
