/**
 * Messages of a child that is not trusted: JSON texts, one a line, on a pipe that the child's runtime serves by itself
 * (`process.send`, NODE_CHANNEL_FD). The service does not use its own runtime's end of such a channel, because that
 * keeps all of a message that never ends. Here the length of a message is limited.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process'
import type { Duplex } from 'node:stream'

/** The pipe's number among the streams of the child, after the three standard ones. */
const CHANNEL = 3
/** What the child's runtime needs in its environment to serve the pipe. */
export const CHANNEL_ENV = {
  NODE_CHANNEL_FD: String(CHANNEL),
  NODE_CHANNEL_SERIALIZATION_MODE: 'json',
} as const

/** The message that stands for one that is too long. The pipe is closed after it. */
export const TOO_LONG = Symbol('too long')

const NEWLINE = 10
const FIRST_BYTES = 64 * 1024

/** Cuts a stream of bytes into lines. */
export class Lines {
  /** the line that is not complete yet; a buffer that grows, since one object a chunk would cost more than its bytes */
  private buffer = Buffer.alloc(0)
  private length = 0

  /** @param mostBytes the longest line, in bytes */
  constructor(private readonly mostBytes: number) {}

  /** Takes the next bytes. @returns the lines that they complete; undefined when a line is too long */
  take(chunk: Buffer): Buffer[] | undefined {
    const lines: Buffer[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const part = chunk.subarray(start, end)
      start = end + 1
      if (this.length + part.length > this.mostBytes) return undefined
      lines.push(this.length === 0 ? part : this.completed(part))
    }
    const rest = chunk.subarray(start)
    if (this.length + rest.length > this.mostBytes) return undefined
    this.keep(rest)
    return lines
  }

  private completed(part: Buffer): Buffer {
    this.keep(part)
    const line = this.buffer.subarray(0, this.length)
    this.buffer = Buffer.alloc(0)
    this.length = 0
    return line
  }

  private keep(part: Buffer): void {
    const length = this.length + part.length
    if (length > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, this.buffer.length * 2, FIRST_BYTES))
      this.buffer.copy(larger, 0, 0, this.length)
      this.buffer = larger
    }
    part.copy(this.buffer, this.length)
    this.length = length
  }
}

/**
 * Serves the pipe of a child, which then has the messages of a fork: `send`, and the events `message` and `disconnect`.
 * A line that is not JSON arrives as the message `undefined`, which no protocol knows; a line that is too long as
 * {@link TOO_LONG}.
 *
 * @param child its stream number 3 is a pipe, and its environment has {@link CHANNEL_ENV}
 * @param mostBytes the longest message, in bytes of JSON
 */
export function serveJsonLines(child: ChildProcess, mostBytes: number): void {
  // Without a pipe the child did not start, which its event `error` reports.
  const pipe = child.stdio[CHANNEL] as Duplex | null | undefined
  const lines = new Lines(mostBytes)
  pipe?.on('data', (chunk: Buffer) => {
    const complete = lines.take(chunk)
    for (const line of complete ?? []) child.emit('message', messageIn(line))
    if (complete) return
    pipe.destroy()
    child.emit('message', TOO_LONG)
  })
  // A broken pipe closes, and the sender of a message learns of it by its callback.
  pipe?.on('error', () => {})
  pipe?.once('close', () => child.emit('disconnect'))
  Object.assign(child, {
    send(message: unknown, done?: (error: Error | null) => void): boolean {
      return pipe?.write(`${JSON.stringify(message)}\n`, (error) => done?.(error ?? null)) ?? false
    },
  })
}

function messageIn(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString())
  } catch {
    return undefined
  }
}
