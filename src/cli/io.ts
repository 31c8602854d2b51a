/**
 * Input and output of commands.
 *
 * @module
 */
import { constants } from 'node:os'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { clock } from '../async/clock.ts'
import type { Config } from '../config.ts'

/** Input and output of a command; tests provide their own. */
export type Io = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** writes to stdout: the result */
  out(text: string): void
  /** writes to stderr: everything except the result */
  err(text: string): void
  /** whether `out` and `err` are a terminal: colours may be used, and a line may be overwritten */
  readonly isTerminal: boolean
  /** width of the terminal in characters, if any */
  readonly width?: number | undefined
  /** milliseconds since 1970 */
  now(): number
  /** the lines of stdin, until it ends */
  lines(): AsyncIterable<string>
  /** aborts at SIGINT and SIGTERM; a second, later signal ends the process at once */
  readonly signal: AbortSignal
}

/** Writes a result as JSON, for programs. */
export const outJson = (io: Io, value: object): void => io.out(`${JSON.stringify(value, null, 2)}\n`)

/**
 * Runs a server until a signal stops it.
 *
 * @param started called with the server's public address once it answers
 */
export type Serve = (config: Config, started?: Started) => Promise<void>

/** Adds the commands of `tools/`, which the rest of `src` does not know. */
export type AddTools = (program: Command, serve: Serve, io: Io) => void

/** @param setupLink URL for setting up the console; null once it is set up, or while that cannot be checked */
export type Started = (publicUrl: string, setupLink: string | null) => void

/** Ctrl-C may arrive again through npm or another parent process: signals this close are one, in milliseconds. */
const ONE_WISH_MS = 1000

/** Calls `stop` at the first signal to stop, and `again` at each later one that was sent separately. */
export function onStop(stop: () => void, again: (signal: NodeJS.Signals) => void): void {
  let at: number | undefined
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => {
      const now = clock.monotonic()
      if (at !== undefined) return void (now - at > ONE_WISH_MS && again(signal))
      at = now
      stop()
    })
}

/** The environment, stdout and stderr of the process. If a reader like `head` disconnects, it exits silently. */
export function processIo(): Io {
  const stop = new AbortController()
  let listening = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  return {
    env: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: process.stdout.isTTY === true && process.stderr.isTTY === true,
    // Some terminals, as in containers, say that they are 0 characters wide.
    width: process.stdout.columns || undefined,
    now: clock.now,
    lines: () => createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY }),
    get signal() {
      // Only a command that uses the signal stops gracefully. Any other command keeps the default signal handling.
      if (!listening)
        onStop(
          () => stop.abort(),
          (name) => process.exit(128 + constants.signals[name]),
        )
      listening = true
      return stop.signal
    },
  }
}
