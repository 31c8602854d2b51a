/**
 * The commands of `tools/`, which `src/main.ts` adds to the command line. Each tool is imported on use, so a server loads
 * none of them.
 *
 * @module
 */
import { type Command, Option } from 'commander'
import type { Io, Serve } from '../src/cli/io.ts'
import type { RecordOptions, TaskOptions } from './dry-run/command-line.ts'
import type { RefreshOptions } from './recording/refresh.ts'
import type { RepairOptions } from './repair/repair.ts'
import type { WatchOptions } from './watch/watch.ts'

const withTask = (command: Command, task = '<task>', what = 'Its key, like encyclopedia.search.'): Command =>
  command
    .argument(task, what)
    .argument('[input]', "JSON, as in the body of a call; the task's example by default.")
    .option('--json', 'Writes the items as NDJSON: one JSON object a line.')
    .option('--files <folder>', 'Saves the files of the run in this folder.')

/** Adds the tools for authors, the demo and `copy-log`, in the order of the help. */
export function addTools(program: Command, serve: Serve, io: Io): void {
  addDemo(program, serve, io)
  addNewSource(program, io)
  addTry(program, io)
  addRecord(program, io)
  addShell(program, io)
  addCaptures(program, io)
  addRepair(program, io)
  addCopyLog(program, io)
}

function addDemo(program: Command, serve: Serve, io: Io): void {
  program
    .command('demo')
    .description(
      `Runs the server on mock sites, to see every task work without internet.

Its data is in a temporary folder and is deleted at the end. It prints a key, a call for each task, and a user who can sign in to the mock sites that need it. It reads PORT, HOST, PLUGINS_DIR, CHROMIUM_PATH, CANARY, STATUS_PAGE and LOG_LEVEL, and no other settings. Plugins in PLUGINS_DIR answer from their cassettes too.`,
    )
    .action(async () => (await import('./demo/demo.ts')).runDemo(serve, io))
}

function addNewSource(program: Command, io: Io): void {
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
}

function addTry(program: Command, io: Io): void {
  withTask(program.command('try'))
    .description(
      `Runs one task without a server and shows its items and requests.

Items go to stdout. The requests, the outcome and the other fields of the result go to stderr. Nothing is stored and nothing is charged. Ctrl-C ends the run and shows what it has. The exit code is 0 when the run succeeded.

--watch runs again in a new process on each save. The site is asked at most once a minute. In between, its answers are replayed.`,
    )
    .option('--watch', 'Runs again on each save of a file of the plugin, and shows what changed.')
    .option('--keep', 'Implies --watch, and asks the site again only for what its answers lack.')
    .option(
      '--replay <cassette>',
      'Implies --watch, and replays the answers of a cassette: no site is asked.',
    )
    .action(async (key: string, input: string | undefined, options: TaskOptions & WatchOptions) =>
      options.watch || options.keep || options.replay !== undefined
        ? (await import('./watch/watch.ts')).runWatch(io, { key, input, options })
        : (await import('./dry-run/try.ts')).runTry(io, { key, input, options }),
    )
}

function addRecord(program: Command, io: Io): void {
  withTask(
    program.command('record'),
    '[task]',
    'Its key, like encyclopedia.search. With --refresh: a source, a pattern like forum.*, or a cassette.',
  )
    .description(
      `Runs one task as "try" does and saves all answers as a cassette for tests.

Cookies, tokens, keys and e-mail addresses are replaced by REDACTED, which matches any value when the cassette is replayed, and are listed. Read the file before you share it: it may hold other private data. A failed run is saved too.

--refresh records existing cassettes again: it runs each one's task with the same input and shows what changed in the items and in the shape of the answers. When the run fails, or its items lack what the old ones have, the old cassette stays and the reason is printed. The exit code is 1 when an old cassette stayed.`,
    )
    .option('--to <file>', "The file to write; by default fixtures/<task>.json in the source's folder.")
    .option('--force', 'Overwrites an existing file. With --refresh: even if the new items lack values.')
    .option('--refresh', 'Records the cassettes of a source, of tasks, or in a file again.')
    .option('--all', 'With --refresh: the cassettes of all sources.')
    .option('--dry-run', 'With --refresh: shows what would change, and writes nothing.')
    .action(
      async (key: string | undefined, input: string | undefined, options: RecordOptions & RefreshOptions) =>
        options.refresh || options.all || options.dryRun || key === undefined
          ? (await import('./recording/refresh.ts')).runRefresh(io, { words: key, input, options })
          : (await import('./recording/record.ts')).runRecord(io, { key, input, options }),
    )
}

function addShell(program: Command, io: Io): void {
  program
    .command('shell')
    .description(
      `Opens a prompt with the kit of plugins on the answer of a URL, or on those of a cassette.

It evaluates JavaScript with await. fetch keeps the pace and the hosts of the source that an address belongs to. It requests other public addresses too, and refuses inner ones. After an expression that finds something, the prompt shows the line that does the same in a plugin. help() lists the functions. Without a terminal it reads lines from stdin, and the exit code is 1 when one failed.`,
    )
    .argument('<target>', 'A URL, or the file of a cassette.')
    .action(async (target: string) => (await import('./shell/shell.ts')).runShell(io, target))
}

function addCaptures(program: Command, io: Io): void {
  const captures = program.command('captures').description(
    `Shows the last answers of runs whose source changed.

A run that ends as source-changed or output-invalid, or whose task drifts, keeps its last three answers for seven days: 1 MiB of each, without cookies, tokens, keys and e-mail addresses. They are for the operator; no account sees them.`,
  )
  captures
    .command('list', { isDefault: true })
    .description('Lists the stored captures, newest first.')
    .argument('[patterns...]', 'Which tasks: forum.* or encyclopedia.search; all by default.')
    .option('--json', 'Writes JSON.')
    .action(async (patterns: readonly string[], options: { json?: true }) =>
      (await import('./captures/captures.ts')).runList(io, patterns, options),
    )
  captures
    .command('show')
    .description('Shows the requests and answers of a capture.')
    .argument('<id>', 'Its id, like cap_….')
    .option('--json', 'Writes the cassette.')
    .action(async (id: string, options: { json?: true }) =>
      (await import('./captures/captures.ts')).runShow(io, id, options),
    )
  captures
    .command('save')
    .description(
      'Writes a capture as a cassette, with a test that fails until the parser reads it.\n\nBoth go into the folder of the plugin. Existing files are not overwritten.',
    )
    .argument('<id>', 'Its id, like cap_….')
    .action(async (id: string) => (await import('./captures/save.ts')).runSave(io, id))
  captures
    .command('delete')
    .description('Deletes a capture before it expires.')
    .argument('<id>', 'Its id, like cap_….')
    .action(async (id: string) => (await import('./captures/captures.ts')).runDelete(io, id))
}

function addRepair(program: Command, io: Io): void {
  program
    .command('repair')
    .description(
      `Writes a folder with what the repair of a parser needs, or judges the repaired parser.

The folder has a README, the answers of the broken run, a recording from before, their difference, and a failing test. The run is the newest capture that the parser cannot read with all its fields; without captures, the task's example runs now as "try" does.

--check needs no network. The exit code is 0 when the parser reads the answers of the run with all its fields, and old recordings give what they gave before.`,
    )
    .argument('<task>', 'Its key, like encyclopedia.search.')
    .option('--to <folder>', 'The folder to write; by default repair-<task>-<date>.')
    .addOption(
      new Option('--capture <id>', 'Uses this capture; see "captures".').conflicts(['from', 'check']),
    )
    .addOption(
      new Option('--from <cassette>', 'Uses the run of a file that "record" wrote.').conflicts('check'),
    )
    .addOption(new Option('--check <folder>', 'Judges the parser by this folder.').conflicts('to'))
    .action(async (key: string, options: RepairOptions) =>
      (await import('./repair/repair.ts')).runRepair(io, key, options),
    )
}

function addCopyLog(program: Command, io: Io): void {
  program
    .command('copy-log')
    .description(
      `Copies log, artifacts and saved logins in DATA_DIR to EVENTSTORE_URL and S3_URL.

Events keep their ids and their order. Positions become those of the new log, which refuses the old ones. It can run beside a server and can be interrupted: run it again, and it continues where it stopped. At the end, it has compared all events of both logs. Stop the server before the last run, and start it with EVENTSTORE_URL afterwards.`,
    )
    .action(async () => (await import('./copy-log/copy-log.ts')).runCopyLog(io))
}
