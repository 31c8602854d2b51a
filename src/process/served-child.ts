/**
 * A child process as the service that started it has it: messages both ways, what it prints, how long it is silent, and
 * its end.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process'
import { clock } from '../async/clock.ts'
import { setTimeout } from '../async/timers.ts'
import type { Logger } from '../logger.ts'
import { kill } from './pid.ts'

/** What a child has printed, cut to what a log line takes. */
export type Printed = { readonly stream: 'stdout' | 'stderr'; readonly text: string }

const MOST_CHARS = 2000
/** A look that is so much later than the one before it means that the service itself stood still, in milliseconds. */
const STANDSTILL_MS = 5000
/** How long what a child has said may take to be heard after its end, in milliseconds. */
const LAST_WORDS_MS = 1000

export abstract class ServedChild<Message extends object> {
  isAlive = true
  /** the end of what it printed as errors */
  protected errors = ''
  private heard = clock.monotonic()
  private looked = this.heard

  /** @param name for the log: `a child process` */
  constructor(
    protected readonly process: ChildProcess,
    protected readonly logger: Logger,
    private readonly name: string,
  ) {
    process.on('message', (message) => {
      this.forgetSilence()
      this.receive(message)
    })
    process.on('error', (error) => {
      this.failed(error)
      if (process.pid === undefined) this.end(null, null)
    })
    onEnd(process, (code, signal) => this.end(code, signal))
    process.stdout?.on('data', (chunk: Buffer) => this.print('stdout', chunk.toString()))
    process.stderr?.on('data', (chunk: Buffer) => {
      this.errors = (this.errors + chunk.toString()).slice(-MOST_CHARS)
      this.print('stderr', chunk.toString())
    })
  }

  protected abstract receive(message: unknown): void
  /** Told only when the log shows it. */
  protected abstract printed(what: Printed): void
  /** It could not be started or reached. */
  protected abstract failed(error: Error): void
  /**
   * Told once, when it is gone and all that it said was heard. One that did not start has neither a code nor a signal.
   */
  protected abstract ended(code: number | null, signal: string | null): void

  send(message: Message): void {
    // One that is gone is heard of by its exit.
    if (!this.isAlive) return
    this.process.send?.(message, (err) => {
      if (err)
        this.logger.debug(
          { err },
          `A message did not reach ${this.name}. Its exit is handled when it is heard of.`,
        )
    })
  }

  /** For how long it has said nothing, in milliseconds; 0 when the service itself stood still meanwhile. */
  protected silentMs(): number {
    const now = clock.monotonic()
    if (now - this.looked > STANDSTILL_MS) this.heard = now
    this.looked = now
    return now - this.heard
  }

  /** From now on its silence counts anew. */
  protected forgetSilence(): void {
    this.heard = clock.monotonic()
  }

  /** Ends it with all that it has started, as far as that has stayed in its group. */
  protected endGroup(): void {
    kill(this.process.pid && -this.process.pid)
  }

  private end(code: number | null, signal: string | null): void {
    if (!this.isAlive) return
    this.isAlive = false
    this.endGroup()
    this.ended(code, signal)
  }

  private print(stream: Printed['stream'], text: string): void {
    if (this.logger.isLevelEnabled('debug')) this.printed({ stream, text: text.slice(0, MOST_CHARS) })
  }
}

/**
 * Tells of a child's end when all that it said was heard: its last messages may come after its exit, up to the end of
 * the channel. That is not waited for long, since a process that it has left behind may hold it open.
 */
function onEnd(child: ChildProcess, told: (code: number | null, signal: string | null) => void): void {
  const disconnected = new Promise<void>((done) => child.once('disconnect', done))
  child.once('exit', (code, signal) => {
    const late = new Promise<void>((done) => setTimeout(done, LAST_WORDS_MS).unref())
    void Promise.race([disconnected, late]).then(() => told(code, signal))
  })
}
