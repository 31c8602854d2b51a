/**
 * `gleaner record`: one run of a task, saved as a cassette.
 *
 * @module
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { count } from '../../src/cli/columns.ts'
import { CommandFailed } from '../../src/cli/failure.ts'
import type { Io } from '../../src/cli/io.ts'
import { endBrowser } from '../../src/plugin/testing/page.ts'
import { readCassette, runTask } from '../../src/plugin/testing.ts'
import { recordingOf } from '../../src/recording/cassette.ts'
import { worthKeeping } from '../../src/recording/exchange.ts'
import { formatJson } from '../../src/recording/format.ts'
import {
  type Outcome,
  performDryRun,
  readTaskCall,
  type TaskArguments,
  type TaskCall,
} from '../dry-run/command-line.ts'
import { printable } from '../dry-run/table.ts'
import { show } from '../dry-run/try.ts'

/** @throws {CommandFailed} when nothing was written, or the run did not succeed */
export async function runRecord(io: Io, args: TaskArguments): Promise<void> {
  const { to, force, files } = args.options
  const taskCall = await readTaskCall(io, args)
  const file = resolve(to ?? defaultFile(taskCall.task))
  if (existsSync(file) && !force)
    throw new CommandFailed(`${file} already exists: choose another with --to, or overwrite it with --force`)
  const at = io.now()
  const outcome = await performDryRun(io, taskCall, files, worthKeeping)
  show(io, args.options, taskCall, outcome)
  if (outcome.end.status === 'stopped' || outcome.end.status === 'expired')
    throw new CommandFailed('the run was stopped before its end: nothing was written')
  write(io, taskCall, outcome, file, at)
  await replay(io, taskCall, outcome, file, at)
  if (outcome.end.status !== 'succeeded') throw new CommandFailed()
}

const folderOf = ({ module }: CatalogueTask): string => dirname(fileURLToPath(module))

const defaultFile = (task: CatalogueTask): string =>
  join(folderOf(task), 'fixtures', `${task.key.split('.').slice(1).join('-')}.json`)

function write(io: Io, { task, input }: TaskCall, { exchanged }: Outcome, file: string, at: number): void {
  const { cassette, remarks } = recordingOf({ task, input, exchanged, at })
  if (cassette.exchanges.length === 0) throw new CommandFailed('no request was answered: nothing was written')
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, formatJson(cassette))
  } catch (error) {
    throw new CommandFailed(`${file} cannot be written: ${(error as Error).message}`)
  }
  io.err(
    `${file}: ${count(cassette.exchanges.length, 'exchange')}\n${remarks.map((remark) => `${remark}\n`).join('')}`,
  )
}

/** Runs the task on the new cassette, compares the items, and prints how to do the same in a test. */
async function replay(io: Io, { task }: TaskCall, outcome: Outcome, file: string, at: number): Promise<void> {
  const { input, exchanges } = readCassette(pathToFileURL(file))
  try {
    const { items, error } = await runTask(task.declaration, input, {
      source: task.source,
      exchanges,
      now: () => at,
    })
    const code = outcome.end.status === 'failed' ? outcome.end.code : undefined
    const same = items.filter((item, i) => JSON.stringify(item) === outcome.items[i]).length
    if (error?.code !== code) io.err(`Replayed, the run ends differently: ${error?.code ?? 'succeeded'}\n`)
    else if (same === outcome.items.length) io.err(`Replayed, it gives the same: ${count(same, 'item')}\n`)
    else
      io.err(
        `Replayed, it gives ${count(items.length, 'item')}, ${same} of them the same: check the replaced values\n`,
      )
  } catch (error) {
    const words =
      outcome.end.status === 'errored' ? 'Replayed, it ends with a defect too' : 'It does not replay yet'
    io.err(`${words}: ${printable((error as Error).message)}\n`)
  } finally {
    await endBrowser()
  }
  io.err(howToReplay(task, file))
}

function howToReplay(task: CatalogueTask, file: string): string {
  const path = relative(folderOf(task), file).split(sep).join('/')
  return `
In a test beside source.ts:

  const { input, exchanges } = readCassette(new URL('${path.startsWith('.') ? path : `./${path}`}', import.meta.url))
  const task = source.tasks.find(({ key }) => key === '${task.key}')!
  const { items, error } = await runTask(task, input, { source, exchanges })
`
}
