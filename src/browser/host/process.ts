/**
 * One process of the browser host, from its start to its end.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process'
import { clock } from '../../async/clock.ts'
import { clearInterval, clearTimeout, setInterval, setTimeout, type Timer } from '../../async/timers.ts'
import type { Logger } from '../../logger.ts'
import { preferAsVictim } from '../../process/memory.ts'
import { onEnd, spawnTrusted } from '../../process/spawn.ts'
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
/** What a printed text is cut to, in characters. */
const MOST_CHARS = 2000
/** What each request to a process that is gone comes to. */
export const ENDED: PageAnswer = { fault: faultOf(new BrowserFailed('the browser ended')) }

export class HostProcess {
  private readonly child: ChildProcess
  private readonly pending = new Map<number, (answer: PageAnswer) => void>()
  /** by number of a sign-in: told of its events */
  readonly listeners = new Map<number, (event: SignInEvent) => void>()
  private last = 0
  private heard = clock.monotonic()
  private looked = this.heard
  private readonly watching: Timer
  private readonly gone = Promise.withResolvers<void>()
  private stopping = false
  isAlive = true

  constructor(
    settings: HostSettings,
    private readonly logger: Logger,
  ) {
    this.child = spawnTrusted(MAIN)
    this.child.on('message', (message) => this.receive(message as FromHost))
    this.child.on('error', (error) => this.failed(error))
    onEnd(this.child, (code, signal) => this.ended(`exit code ${code}, signal ${signal}`))
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        logger.debug({ text: chunk.toString().slice(0, MOST_CHARS) }, 'The browser host printed.')
      })
    if (this.child.pid !== undefined) preferAsVictim(this.child.pid)
    this.watching = setInterval(() => this.watch(), ALIVE_MS)
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
    const late = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS)
    await this.gone.promise
    clearTimeout(late)
  }

  private send(message: ToHost): void {
    // One that is gone is heard of by its exit.
    if (this.isAlive)
      this.child.send?.(message, (error) => {
        if (error)
          this.logger.debug(
            { err: error },
            'A message did not reach the browser host. Its exit is handled when it is heard of.',
          )
      })
  }

  private receive(message: FromHost): void {
    this.heard = clock.monotonic()
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

  private watch(): void {
    const now = clock.monotonic()
    // When the service itself stood still, nobody's silence means anything.
    if (now - this.looked > ALIVE_MS * 2) this.heard = now
    this.looked = now
    if (now - this.heard > SILENT_MS) this.child.kill('SIGKILL')
  }

  private failed(error: Error): void {
    this.logger.error(
      { err: error },
      'The browser host could not be started or reached. The next page starts another one.',
    )
    if (this.child.pid === undefined) this.ended('it did not start')
  }

  private ended(reason: string): void {
    if (!this.isAlive) return
    this.isAlive = false
    clearInterval(this.watching)
    if (!this.stopping)
      this.logger.warn({ reason }, 'The browser host ended. The next page starts another one.')
    for (const go of this.pending.values()) go(ENDED)
    this.pending.clear()
    this.gone.resolve()
  }
}
