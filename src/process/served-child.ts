/**
 * The service's view of a child process: messages both ways, its output, how long it has been silent, and its end.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process'
import { clock } from '../async/clock.ts'
import { setTimeout } from '../async/timers.ts'
import type { Logger } from '../logger.ts'
import { kill } from './pid.ts'

/** Output of a child, cut to fit a log line. */
export type Printed = { readonly stream: 'stdout' | 'stderr'; readonly text: string }

const MOST_CHARS = 2000
/** A longer gap between two checks means that the service itself was stalled, in milliseconds. */
const STANDSTILL_MS = 5000
/** How long to wait for a child's last messages after its exit, in milliseconds. */
const LAST_WORDS_MS = 1000

export abstract class ServedChild<Message extends object> {
  isAlive = true
  /** the last part of its standard error */
  protected errors = ''
  private heardAt = clock.monotonic()
  private looked = this.heardAt

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
  /** Called with the child's output, only at log level debug. */
  protected abstract printed(what: Printed): void
  /** Called when the child could not be started or reached. */
  protected abstract failed(error: Error): void
  /**
   * Called once, after the child has ended and its last messages were received. A child that did not start has neither
   * a code nor a signal.
   */
  protected abstract ended(code: number | null, signal: string | null): void

  send(message: Message): void {
    // The exit event reports that the child has ended.
    if (!this.isAlive) return
    this.process.send?.(message, (err) => {
      if (err)
        this.logger.debug(
          { err },
          `A message did not reach ${this.name}. Its exit is handled when the exit event arrives.`,
        )
    })
  }

  /**
   * How long the child has sent nothing, in milliseconds; 0 when the service itself was stalled since the last check.
   */
  protected silentMs(): number {
    const now = clock.monotonic()
    if (now - this.looked > STANDSTILL_MS) this.heardAt = now
    this.looked = now
    return now - this.heardAt
  }

  /** Restarts the measurement of its silence. */
  protected forgetSilence(): void {
    this.heardAt = clock.monotonic()
  }

  /** Whether it has exited, although its last messages may still arrive. */
  protected get hasExited(): boolean {
    return (this.process.exitCode ?? this.process.signalCode ?? null) !== null
  }

  /** Kills the child and all processes in its process group. */
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
 * Reports a child's end after its last messages: they may arrive after its exit, until the channel closes. The wait for
 * that is short, since a process that the child left behind may hold the channel open.
 */
function onEnd(child: ChildProcess, onExit: (code: number | null, signal: string | null) => void): void {
  const disconnected = new Promise<void>((done) => child.once('disconnect', done))
  child.once('exit', (code, signal) => {
    const late = new Promise<void>((done) => setTimeout(done, LAST_WORDS_MS).unref())
    void Promise.race([disconnected, late]).then(() => onExit(code, signal))
  })
}
