/**
 * One process of the browser host, from its start to its end.
 *
 * @module
 */
import { clearInterval, clearTimeout, setInterval, setTimeout, type Timer } from '../../async/timers.ts'
import type { Logger } from '../../logger.ts'
import { preferAsVictim } from '../../process/memory.ts'
import { type Printed, ServedChild } from '../../process/served-child.ts'
import { spawnTrusted } from '../../process/spawn.ts'
import { installerOf } from '../chromium/find.ts'
import { BrowserFailed } from '../failure.ts'
import type { SignInEvent } from '../signin/types.ts'
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
/** How long it may take to end, in milliseconds. */
const STOP_MS = 5000
/** What each request to a process that is gone comes to. */
export const ENDED: PageAnswer = { fault: faultOf(new BrowserFailed('the browser ended')) }

export class HostProcess extends ServedChild<ToHost> {
  private readonly pending = new Map<number, (answer: PageAnswer) => void>()
  /** by number of a sign-in: told of its events */
  readonly listeners = new Map<number, (event: SignInEvent) => void>()
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

  /** Brings the answer to a request. Never rejects. */
  ask(request: HostRequest): Promise<PageAnswer> {
    if (!this.isAlive) return Promise.resolve(ENDED)
    const id = ++this.last
    return new Promise((go) => {
      this.pending.set(id, go)
      this.send({ type: 'request', id, request })
    })
  }

  /** Ends it, in order where it can. */
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
        'The browser failed. Pages that were open fail; the next one starts it again.',
      )
    if (message.type === 'event') this.listeners.get(message.signIn)?.(message.event)
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
