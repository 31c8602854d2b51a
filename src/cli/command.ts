/**
 * What a command of `gleaner` is: declared as data, so that parsing, help and errors are the same for all.
 *
 * @module
 */
import { parseArgs } from 'node:util'
import { nearest } from '../catalogue/names.ts'
import type { Config } from '../config.ts'

/** Where a command reads and writes; a test brings its own. */
export type Io = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** a piece of what was asked for */
  out(text: string): void
  /** a piece of what is told beside it */
  err(text: string): void
  /** whether `out` and `err` are a terminal: colours may be used, and a line may be written over */
  readonly isTerminal: boolean
  /** characters in a line of the terminal, where there is one */
  readonly width?: number | undefined
  /** milliseconds since 1970 */
  now(): number
  /** aborts at SIGINT and SIGTERM */
  readonly signal: AbortSignal
}

/** What the program that the command line belongs to brings. */
export type Host = {
  /**
   * Runs a server until it is told to stop.
   *
   * @param started called with its public address when it answers
   * @returns the exit code
   */
  serve(config: Config, started?: (publicUrl: string) => void): Promise<number>
}

export type Option = {
  readonly type: 'string' | 'boolean'
  /** how help names the value: `<account>` */
  readonly value?: string
  readonly about: string
}

/** One call of a command. */
export type Call = {
  readonly io: Io
  readonly host: Host
  /** what stands on the line beside the options */
  readonly operands: readonly string[]
  /** an option's text; undefined when it was not given */
  text(name: string): string | undefined
  /** whether an option without value was given */
  flag(name: string): boolean
}

export type Command = {
  /** one word or two */
  readonly name: string
  readonly about: string
  /** how help writes what follows the name: `<account> <amount>`; brackets around what may be left out */
  readonly operands: string
  /** the fewest and the most operands */
  readonly count: readonly [number, number]
  readonly options: Readonly<Record<string, Option>>
  /** more sentences for its help */
  readonly details?: string
  /** @returns the exit code */
  run(call: Call): Promise<number>
}

/** Exit codes: it worked, it did not, the line was not understood. */
export const OK = 0
export const FAILED = 1
export const USAGE = 2

/** The line can't be understood; the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command could not do what it was asked for, and why; the exit code is 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}

/**
 * Reads the arguments behind a command's name.
 *
 * @throws {UsageError}
 */
export function parse(command: Command, args: readonly string[], io: Io, host: Host): Call {
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(Object.entries(command.options).map(([name, { type }]) => [name, { type }])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const given = new Map<string, string | true>()
  const operands: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value)
    if (token.kind === 'option')
      given.set(token.name, checked(command, token.name, token.rawName, token.value))
  }
  const [fewest, most] = command.count
  if (operands.length < fewest || operands.length > most) {
    throw new UsageError(most === 0 ? `it takes no "${operands[0]}"` : `it takes ${command.operands}`)
  }
  return {
    io,
    host,
    operands,
    text(name) {
      const value = given.get(name)
      return value === true ? undefined : value
    },
    flag: (name) => given.has(name),
  }
}

function checked(command: Command, name: string, raw: string, value: string | undefined): string | true {
  const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined
  if (!option || !raw.startsWith('--')) {
    const near = nearest(name, Object.keys(command.options))
    throw new UsageError(`there is no option ${raw}${near ? `; did you mean --${near}?` : ''}`)
  }
  if (option.type === 'string') {
    if (!value) throw new UsageError(`${raw} needs ${option.value ?? 'a value'}`)
    return value
  }
  if (value !== undefined) throw new UsageError(`${raw} takes no value`)
  return true
}

/** @throws {UsageError} when the text is no whole number in the bounds */
export function wholeNumber(text: string, name: string, least: number, most: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= most))
    throw new UsageError(`${name} is "${text}": it may be a whole number from ${least} to ${most}`)
  return value
}
