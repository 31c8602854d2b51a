/**
 * The commands of `tools/`, which `src/main.ts` adds to the command line. Each tool is imported on use, so a server loads
 * none of them.
 *
 * @module
 */
import type { Command } from 'commander'
import type { Io, Serve } from '../src/cli/io.ts'
import type { RecordOptions, TaskOptions } from './dry-run/command-line.ts'

const withTask = (command: Command): Command =>
  command
    .argument('<task>', 'Its key, like encyclopedia.search.')
    .argument('[input]', "JSON, as in the body of a call; the task's example by default.")
    .option('--json', 'Writes the items as NDJSON: one JSON object a line.')
    .option('--files <folder>', 'Saves the files of the run in this folder.')

/** Adds the tools for authors, the demo and `copy-log`, in the order of the help. */
export function addTools(program: Command, serve: Serve, io: Io): void {
  program
    .command('demo')
    .description(
      `Runs the server on mock sites, to see every task work without internet.

Its data is in a temporary folder and is deleted at the end. It prints a key, a call for each task, and a user who can sign in to the mock sites that need it. It reads PORT, HOST, PLUGINS_DIR, CHROMIUM_PATH and LOG_LEVEL, and no other settings. Plugins in PLUGINS_DIR answer from their cassettes too.`,
    )
    .action(async () => (await import('./demo/demo.ts')).runDemo(serve, io))
  withTask(program.command('try'))
    .description(
      `Runs one task without a server and shows its items and requests.

Items go to stdout. The requests, the outcome and the other fields of the result go to stderr. Nothing is stored and nothing is charged. Ctrl-C ends the run and shows what it has. The exit code is 0 when the run succeeded.`,
    )
    .action(async (key: string, input: string | undefined, options: TaskOptions) =>
      (await import('./dry-run/try.ts')).runTry(io, { key, input, options }),
    )
  withTask(program.command('record'))
    .description(
      `Runs one task as "try" does and saves all answers as a cassette for tests.

Cookies, tokens, keys and e-mail addresses are replaced by REDACTED, which matches any value when the cassette is replayed, and are listed. Read the file before you share it: it may hold other private data. A failed run is saved too.`,
    )
    .option('--to <file>', "The file to write; by default fixtures/<task>.json in the source's folder.")
    .option('--force', 'Overwrites an existing file.')
    .action(async (key: string, input: string | undefined, options: RecordOptions) =>
      (await import('./recording/record.ts')).runRecord(io, { key, input, options }),
    )
  program
    .command('new-source')
    .description(
      `Writes a source that runs, with its test, as the start of a plugin.

docs/plugins.md continues from there.`,
    )
    .argument('<name>', 'Its name: lower-case letters, digits and _.')
    .option(
      '--to <folder>',
      "Where to create its folder; by default PLUGINS_DIR, or else the project's plugins/.",
    )
    .action(async (name: string, { to }: { to?: string }) =>
      (await import('./new-source/new-source.ts')).runNewSource(io, name, to),
    )
  program
    .command('copy-log')
    .description(
      `Copies log, artifacts and saved logins in DATA_DIR to EVENTSTORE_URL and S3_URL.

Events keep their ids and their order. Positions become those of the new log, which refuses the old ones. It can run beside a server and can be interrupted: run it again, and it continues where it stopped. At the end, it has compared all events of both logs. Stop the server before the last run, and start it with EVENTSTORE_URL afterwards.`,
    )
    .action(async () => (await import('./copy-log/copy-log.ts')).runCopyLog(io))
}
