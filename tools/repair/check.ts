/**
 * `gleaner repair <task> --check`: judges the parser as it is now.
 *
 * @module
 */
import { resolve } from 'node:path'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { columns } from '../../src/cli/columns.ts'
import { CommandFailed } from '../../src/cli/failure.ts'
import type { Io } from '../../src/cli/io.ts'
import { printable } from '../dry-run/table.ts'
import { type Expectations, FILES, readFolder } from './folder.ts'
import { type Finding, judge } from './judge.ts'
import { isOurs } from './parser-files.ts'

/**
 * Prints what the parser lacks, or what to do after it was accepted.
 *
 * @throws {CommandFailed} when it is not accepted, or the folder can't be read
 * @throws {UsageError} when the folder is for another task
 */
export async function check(io: Io, task: CatalogueTask, to: string): Promise<void> {
  const folder = resolve(to)
  const { expected, capture } = readFolder(folder, task.key)
  const findings = await judge(task, expected, capture)
  const missing = findings.filter(({ isMet }) => isMet === false)
  const unclear = findings.filter(({ isMet }) => isMet === null)
  if (unclear.length > 0) io.err(`Too few items to tell:\n${tableOf(unclear)}`)
  if (missing.length > 0) {
    io.out(tableOf(missing))
    throw new CommandFailed(`not accepted: ${missing.length} of ${findings.length} checks fail`)
  }
  io.out(`accepted: ${findings.length - unclear.length} checks hold\n`)
  io.err(nextSteps(task, expected, folder))
}

const tableOf = (findings: readonly Finding[]): string =>
  columns([
    ['WHAT', 'WANTED', 'IS'],
    ...findings.map(({ what, wanted, result }) => [what, wanted, printable(result)]),
  ])

function nextSteps(task: CatalogueTask, { capture }: Expectations, folder: string): string {
  const steps = [
    capture === null
      ? `Move ${folder}/${FILES.capture} to the plugin's fixtures, with a test that expects its items.`
      : `Keep the capture with a test: npm run gleaner -- captures save ${capture}`,
    `Remove ${folder}: it may hold private data.`,
    ...(isOurs(task) ? ['Write the tables of docs/sources.md again: npm run sources'] : []),
  ]
  return steps.map((step, i) => `${i + 1}. ${step}\n`).join('')
}
