/**
 * The command line of `gleaner`: its commands, and the exit code of a call.
 *
 * @module
 */
import { Command, CommanderError } from 'commander'
import { ConfigError, PROCESS_ROLES, readConfig } from '../config.ts'
import { LogReplaced, StoreUnavailable } from '../log/event-log.ts'
import { FolderInUse } from '../sqlite/lock.ts'
import { runtimeOf, versionOf } from '../version.ts'
import { addBackup } from './backup/backup.ts'
import { addCanary } from './canary/canary.ts'
import { addDoctor } from './doctor/doctor.ts'
import { addEvents } from './events.ts'
import { CommandFailed, FAILED, OK, USAGE, UsageError } from './failure.ts'
import { addGrant } from './grant.ts'
import type { AddTools, Io, Serve } from './io.ts'
import { addKeys } from './keys.ts'
import { addListen } from './listen.ts'
import { addMcp } from './mcp.ts'
import { addPeople } from './people.ts'
import { addProxies } from './proxies/proxies.ts'
import { addRebuild } from './rebuild.ts'
import { addVault } from './vault.ts'
import { addWebhooks } from './webhooks.ts'

/** Errors that are shown by their message alone. Any other error is a defect and keeps its stack. */
const EXPECTED = [CommandFailed, ConfigError, FolderInUse, LogReplaced, StoreUnavailable]
const HINT = 'Add --help for usage.'
/** Width of the help in characters if the output is not a terminal. */
const DEFAULT_WIDTH = 120

/**
 * Runs one command.
 *
 * @param args the words after the program's name
 * @param addTools adds the commands of `tools/`
 * @returns the exit code: 0 for success, 1 for a failure, 2 for wrong arguments
 */
export async function runCli(
  args: readonly string[],
  addTools: AddTools,
  serve: Serve,
  io: Io,
): Promise<number> {
  try {
    const program = createProgram(addTools, serve, io)
    await program.parseAsync(withoutHelpForUnknown(program, args), { from: 'user' })
    return OK
  } catch (error) {
    // Commander has already printed the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? OK : USAGE
    if (error instanceof UsageError) {
      io.err(`gleaner: ${error.message}\n${HINT}\n`)
      return USAGE
    }
    if (!EXPECTED.some((expected) => error instanceof expected)) throw error
    const { message } = error as Error
    if (message) io.err(`gleaner: ${message}\n`)
    return FAILED
  }
}

/** Commander shows the general help for an unknown command; without the request for help it refuses the command. */
function withoutHelpForUnknown(program: Command, args: readonly string[]): readonly string[] {
  const words = args.filter((word) => !['help', '--help', '-h'].includes(word))
  return words.length < args.length && isUnknown(program, words) ? words : args
}

function isUnknown(command: Command, [word, ...rest]: readonly string[]): boolean {
  if (word === undefined || word.startsWith('-') || command.commands.length === 0) return false
  const sub = command.commands.find((each) => each.name() === word)
  if (sub) return isUnknown(sub, rest)
  // Any word belongs to a command that has a default one.
  return !(command as { _defaultCommandName?: string | null })._defaultCommandName
}

/** All commands, in the order of the help. */
export function createProgram(addTools: AddTools, serve: Serve, io: Io): Command {
  const version = `gleaner ${versionOf()} (${runtimeOf()}, ${process.platform} ${process.arch})`
  const program = new Command('gleaner')
    .description('Gleaner, a data-extraction run service.')
    .helpOption('-h, --help', 'Shows this help.')
    .helpCommand('help [command]', 'Shows the help of a command.')
    .version(version, '-v, --version', 'Shows the version of Gleaner and of its runtime.')
    .addHelpText('after', '\nSettings come from the environment; see docs/operations.md.')
    .addHelpText('after', 'Exit codes: 0 success, 1 failure, 2 wrong arguments.')
    .showHelpAfterError(HINT)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'gleaner: ')),
      getOutHelpWidth: () => io.width ?? DEFAULT_WIDTH,
      getErrHelpWidth: () => io.width ?? DEFAULT_WIDTH,
    })
    .configureHelp({
      subcommandTerm: (command) =>
        `${command.name()} ${command.commands.map((sub) => sub.name()).join('|') || command.usage()}`,
      subcommandDescription: (command) => command.description().split('\n')[0] ?? '',
    })
  program
    .command('serve')
    .description(
      'Runs the server until SIGTERM or Ctrl-C.\n\nThen it admits no new runs, gives running ones SHUTDOWN_GRACE_S to end, puts the rest back into the queue and exits with code 0. The next start continues from there.',
    )
    .option('--roles <roles>', `What this process does: ${PROCESS_ROLES.join(', ')}; all by default.`)
    .action(({ roles }: { roles?: string }) => serve(readConfig(io.env, { roles })))
  addTools(program, serve, io)
  addKeys(program, io)
  addGrant(program, io)
  addPeople(program, io)
  addWebhooks(program, io)
  addListen(program, io)
  addEvents(program, io)
  addMcp(program, io)
  addCanary(program, io)
  addProxies(program, io)
  addRebuild(program, io)
  addBackup(program, io)
  addVault(program, io)
  addDoctor(program, io)
  program
    .command('version')
    .description('Shows the version of Gleaner and of its runtime.')
    .action(() => io.out(`${version}\n`))
  return program
}
