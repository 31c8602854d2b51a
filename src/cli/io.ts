/**
 * Where a command reads and writes.
 *
 * @module
 */
import { constants } from 'node:os'
import { createInterface } from 'node:readline'
import { clock } from '../async/clock.ts'
import type { Config } from '../config.ts'

/** Input and output of a command; a test brings its own. */
export type Io = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** writes to stdout: the result */
  out(text: string): void
  /** writes to stderr: everything beside the result */
  err(text: string): void
  /** whether `out` and `err` are a terminal: colours may be used, and a line may be overwritten */
  readonly isTerminal: boolean
  /** characters in a line of the terminal, where there is one */
  readonly width?: number | undefined
  /** milliseconds since 1970 */
  now(): number
  /** the lines of stdin, until it ends */
  lines(): AsyncIterable<string>
  /** aborts at SIGINT and SIGTERM; another one, a while later, ends the process at once */
  readonly signal: AbortSignal
}

/** Writes a result as JSON, for programs. */
export const outJson = (io: Io, value: object): void => io.out(`${JSON.stringify(value, null, 2)}\n`)

/**
 * Runs a server until it is told to stop.
 *
 * @param started called with its public address once it answers
 */
export type Serve = (config: Config, started?: Started) => Promise<void>

/** @param setupLink where the first person sets the console up; null once somebody has */
export type Started = (publicUrl: string, setupLink: string | null) => void

/** A terminal's Ctrl-C reaches a command again through npm and what started it: signals so close together are one. */
const ONE_WISH_MS = 2000

/** The process's own environment, stdout and stderr. A reader that goes away, like `head`, ends the process silently. */
export function processIo(): Io {
  const stop = new AbortController()
  let listening = false
  let stoppedAt = 0
  const hear = (signal: 'SIGINT' | 'SIGTERM') => {
    const now = clock.monotonic()
    if (stop.signal.aborted && now - stoppedAt > ONE_WISH_MS) process.exit(128 + constants.signals[signal])
    if (stop.signal.aborted) return
    stoppedAt = now
    stop.abort()
  }
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  return {
    env: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: process.stdout.isTTY === true && process.stderr.isTTY === true,
    width: process.stdout.columns,
    now: clock.now,
    lines: () => createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY }),
    get signal() {
      // Only a command that asks for the signal stops at its own pace; any other ends as processes do.
      if (!listening) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, hear)
      listening = true
      return stop.signal
    },
  }
}
