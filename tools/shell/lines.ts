/**
 * The lines that a person enters at a terminal, with a history, or those of stdin.
 *
 * @module
 */
import { spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Io } from '../../src/cli/io.ts'

export type Lines = {
  /** The next line; undefined at the end. @param prompt shown at a terminal */
  next(prompt: string): Promise<string | undefined>
  close(): void
}

export type LinesOptions = {
  readonly io: Io
  /** the names that the Tab key completes */
  readonly names: () => readonly string[]
  /** Ctrl-C was pressed during an entry, or the terminal is gone */
  readonly interrupt: () => void
}

/** Whether a person sits at the prompt. */
export const isAtTerminal = (io: Io): boolean => io.isTerminal && process.stdin.isTTY === true

/** Opens the terminal, or stdin where it is none. */
export function openLines(options: LinesOptions): Lines {
  const { io } = options
  if (isAtTerminal(io)) return terminalLines(options)
  const lines = io.lines()[Symbol.asyncIterator]()
  return {
    async next() {
      const { done, value } = await lines.next()
      return done ? undefined : value
    },
    close: () => void lines.return?.(),
  }
}

const MOST_HISTORY = 1000

function terminalLines({ io, names, interrupt }: LinesOptions): Lines {
  const file = historyFile(io.env)
  const waiting: string[] = []
  let ask: ((line: string | undefined) => void) | undefined
  let isClosed = false
  const terminal = createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: true,
    history: readHistory(file).slice(-MOST_HISTORY).reverse(),
    historySize: MOST_HISTORY,
    removeHistoryDuplicates: true,
    completer: (line: string) => completionOf(line, names()),
  })
  terminal.on('line', (line) => {
    if (line.trim() !== '') append(file, line)
    if (ask) ask(line)
    else waiting.push(line)
    ask = undefined
  })
  terminal.on('SIGINT', () => {
    // Empties the line, as shells do.
    terminal.write(null, { ctrl: true, name: 'e' })
    terminal.write(null, { ctrl: true, name: 'u' })
  })
  const guard = startGuard()
  const onSignal = () => {
    interrupt()
    guard.answer()
  }
  process.on('SIGINT', onSignal)
  terminal.on('close', () => {
    isClosed = true
    interrupt()
    ask?.(undefined)
  })
  return {
    next(prompt) {
      const line = waiting.shift()
      if (line !== undefined || isClosed) return Promise.resolve(line)
      process.stdin.setRawMode(true)
      terminal.setPrompt(prompt)
      terminal.prompt()
      return new Promise((go) => {
        ask = (entered) => {
          // While an entry is evaluated, Ctrl-C is a signal, which reaches the guard as well.
          if (!isClosed) process.stdin.setRawMode(false)
          void guard.ready.then(() => go(entered))
        }
      })
    },
    close() {
      terminal.close()
      guard.stop()
    },
  }
}

const GUARD = fileURLToPath(new URL('./guard.ts', import.meta.url))
const RUNTIME = 'deno' in process.versions ? ['run', '--quiet', '--no-check', '-A'] : []

type Guard = {
  /** Resolves when it listens, or could not be started. */
  readonly ready: Promise<void>
  /** Ctrl-C was handled. */
  answer(): void
  stop(): void
}

/** Starts the process that ends this one when it does not answer Ctrl-C. */
function startGuard(): Guard {
  const child = spawn(process.execPath, [...RUNTIME, GUARD], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ready = new Promise<void>((go) => {
    for (const event of ['error', 'close']) child.on(event, () => go())
    child.stdout.once('data', () => go())
  })
  child.stdin.on('error', () => {})
  return { ready, answer: () => void child.stdin.write('\n'), stop: () => void child.stdin.end() }
}

/** Completes the name before the cursor. */
function completionOf(line: string, names: readonly string[]): [string[], string] {
  const begun = /(?<![\w$.])[\w$]+$/.exec(line)?.[0] ?? ''
  return [begun === '' ? [] : names.filter((name) => name.startsWith(begun)).sort(), begun]
}

/** In the user's state folder: `~/.local/state` or XDG_STATE_HOME. */
export const historyFile = (env: Io['env']): string =>
  join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'gleaner', 'shell-history')

function readHistory(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}

/** A history that cannot be written is no reason to end. */
function append(file: string, line: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    appendFileSync(file, `${line}\n`, { mode: 0o600 })
  } catch {
    // The next session starts without this line.
  }
}
