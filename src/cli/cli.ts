/**
 * The command line: finds the command, runs it, and turns what goes wrong into a line and an exit code.
 *
 * @module
 */

import { nearest } from '../catalogue/names.ts'
import { ConfigError } from '../config.ts'
import { LogReplaced, StoreUnavailable } from '../log/event-log.ts'
import {
  type Command,
  CommandFailed,
  FAILED,
  type Host,
  type Io,
  OK,
  parse,
  USAGE,
  UsageError,
} from './command.ts'
import { doctor } from './doctor.ts'
import { eventsTail } from './events.ts'
import { grant } from './grant.ts'
import { helpOf, overview } from './help.ts'
import { keysCreate, keysList, keysRevoke } from './keys.ts'
import { rebuild } from './rebuild.ts'
import { serve } from './serve.ts'
import { AUTHOR_TOOLS, copyLog } from './tools.ts'
import { vaultForget, vaultRotate } from './vault.ts'
import { version } from './version.ts'

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serve,
  ...AUTHOR_TOOLS,
  keysList,
  keysCreate,
  keysRevoke,
  grant,
  eventsTail,
  rebuild,
  copyLog,
  vaultRotate,
  vaultForget,
  doctor,
  version,
]

const HELP = new Set(['--help', '-h', 'help'])

/**
 * Runs one command line.
 *
 * @param args what follows the program's name
 * @returns the exit code: 0 when it worked, 1 when it did not, 2 when the line was not understood
 */
export async function runCli(args: readonly string[], host: Host, io: Io): Promise<number> {
  const [first] = args
  if (first === undefined || HELP.has(first)) {
    const asked = first === undefined ? undefined : commandOf(args.slice(1))
    const text = asked ? helpOf(asked.command) : overview(COMMANDS)
    if (first === undefined) io.err(text)
    else io.out(text)
    return first === undefined ? USAGE : OK
  }
  if (first === '--version' || first === '-v') return runCli(['version'], host, io)
  const found = commandOf(args)
  if (!found) {
    const group = groupOf(first)
    if (group.length === 0 || !HELP.has(args[1] ?? '')) {
      io.err(unknown(args))
      return USAGE
    }
    io.out(group.map(helpOf).join('\n'))
    return OK
  }
  const { command, rest } = found
  if (rest.some((arg) => arg === '--help' || arg === '-h')) {
    io.out(helpOf(command))
    return OK
  }
  return run(command, rest, host, io)
}

async function run(command: Command, args: readonly string[], host: Host, io: Io): Promise<number> {
  try {
    return await command.run(parse(command, args, io, host))
  } catch (error) {
    if (error instanceof UsageError) {
      io.err(`gleaner ${command.name}: ${error.message}\nSee gleaner ${command.name} --help\n`)
      return USAGE
    }
    if (isExpected(error)) {
      io.err(`gleaner ${command.name}: ${error.message}\n`)
      return FAILED
    }
    throw error
  }
}

/** Errors whose message is all that there is to tell; any other is a defect and keeps its stack. */
const isExpected = (error: unknown): error is Error =>
  [ConfigError, CommandFailed, StoreUnavailable, LogReplaced].some((expected) => error instanceof expected)

function commandOf(args: readonly string[]): { command: Command; rest: readonly string[] } | undefined {
  for (const words of [2, 1]) {
    const command = COMMANDS.find(({ name }) => name === args.slice(0, words).join(' '))
    if (command) return { command, rest: args.slice(words) }
  }
  return undefined
}

/** The commands of two words that begin with a word: those of `keys`. */
const groupOf = (word: string): readonly Command[] =>
  COMMANDS.filter(({ name }) => name.startsWith(`${word} `))

function unknown(args: readonly string[]): string {
  const group = groupOf(args[0] ?? '').map(({ name }) => name)
  if (group.length > 0)
    return `gleaner ${args[0]}: there ${group.length === 1 ? 'is' : 'are'} ${group.join(', ')}\nSee gleaner ${args[0]} --help\n`
  const near = nearest(
    args[0] ?? '',
    COMMANDS.map(({ name }) => name),
  )
  return `gleaner: there is no command "${args[0]}"${near ? `; did you mean "${near}"?` : ''}\nSee gleaner --help\n`
}
