/**
 * Writes the folder of a repair.
 *
 * @module
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { count } from '../../src/cli/columns.ts'
import { CommandFailed } from '../../src/cli/failure.ts'
import type { Io } from '../../src/cli/io.ts'
import { formatJson } from '../../src/recording/format.ts'
import { printable } from '../dry-run/table.ts'
import type { BrokenRun } from './broken-run.ts'
import { differencesOf, differenceText } from './difference.ts'
import { type Examined, examine, isLacking, unaskedText } from './examine.ts'
import { failingTest, pathsFrom } from './failing-test.ts'
import { FILES } from './folder.ts'
import { isOurs, parserFiles } from './parser-files.ts'
import { readmeOf } from './readme.ts'
import { type Recordings, recordingsOf } from './recordings.ts'

/**
 * The path of a folder that does not exist yet.
 *
 * @param to default `repair-<task>-<date>` in the current folder
 * @throws {CommandFailed} when it exists
 */
export function newFolder(
  io: Io,
  { key }: CatalogueTask,
  to = `repair-${key}-${new Date(io.now()).toISOString().slice(0, 10)}`,
): string {
  const folder = resolve(to)
  if (!existsSync(folder)) return folder
  throw new CommandFailed(`${folder} already exists: choose another with --to`)
}

/**
 * Writes the folder for the first run that the parser does not read as it should, and prints what to do next.
 *
 * @param runs at least one
 * @throws {CommandFailed} when it can't be written, or when the parser reads all runs as it should
 */
export async function writeFolder(
  io: Io,
  task: CatalogueTask,
  runs: readonly BrokenRun[],
  folder: string,
): Promise<void> {
  const recordings = await recordingsOf(task, io.now())
  const unasked: string[] = []
  for (const broken of runs) {
    const examined = await examine(task, broken, recordings)
    if (examined.unasked !== null) unasked.push(unaskedText(examined))
    else if (isLacking(examined.findings)) return write(io, { task, folder, recordings, examined })
  }
  if (unasked.length > 0) throw new CommandFailed(unasked.join('; '))
  const origins = runs.map(({ origin }) => origin).join(', ')
  throw new CommandFailed(
    `the parser as it is now reads ${origins} with all fields, so there is nothing to repair: pass another run with --from or --capture`,
  )
}

type Repair = {
  readonly task: CatalogueTask
  readonly folder: string
  readonly recordings: Recordings
  readonly examined: Examined
}

async function write(io: Io, { task, folder, recordings: { leftOut }, examined }: Repair): Promise<void> {
  const { broken, good, cassette, run, expected, findings, doubt } = examined
  const files = parserFiles(task)
  const differences = good ? await differencesOf(good.cassette, cassette, task.source.origin, files) : []
  const home = fileURLToPath(new URL('.', task.module))
  const shown = (path: string) => relative(home, path).split(sep).join('/')
  const command = `${settingsOf(io, task)}npm run gleaner -- repair ${task.key} --check ${folder}`
  const contents = {
    [FILES.readme]: readmeOf({
      task,
      expected,
      detail: run.detail,
      origin: broken.origin,
      note: cassette.note ?? '',
      doubt,
      findings,
      differences,
      good: good?.kept.file ?? null,
      files,
      leftOut,
      command,
      shown,
    }),
    [FILES.capture]: formatJson(cassette),
    ...(good && { [FILES.good]: formatJson(good.cassette) }),
    [FILES.difference]: differenceText(differences, shown),
    [FILES.expected]: formatJson(expected),
    [FILES.test]: failingTest(task, expected, pathsFrom(folder, task)),
  }
  save(folder, contents)
  if (doubt !== null) io.err(`${printable(doubt)}\n`)
  io.out(`${folder}\n`)
  io.err(
    `${count(Object.keys(contents).length, 'file')}: README.md says what changed and what to do.\nMend the parser in ${home}, then run:\n  ${command}\n`,
  )
}

/** What the command needs to know to find a plugin outside the project. */
const settingsOf = ({ env }: Io, task: CatalogueTask): string =>
  env.PLUGINS_DIR && !isOurs(task) ? `PLUGINS_DIR=${env.PLUGINS_DIR} ` : ''

function save(folder: string, contents: Readonly<Record<string, string>>): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const [name, text] of Object.entries(contents)) writeFileSync(join(folder, name), text)
  } catch (error) {
    throw new CommandFailed(`${folder} cannot be written: ${(error as Error).message}`)
  }
}
