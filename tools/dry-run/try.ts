/**
 * `gleaner try`: one run of a task without a server.
 *
 * @module
 */
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { CommandFailed } from '../../src/cli/failure.ts'
import type { Io } from '../../src/cli/io.ts'
import {
  type Outcome,
  performDryRun,
  readTaskCall,
  summaryOf,
  type TaskArguments,
  type TaskCall,
} from './command-line.ts'
import { tableOf } from './table.ts'

/** @throws {CommandFailed} when the run did not succeed */
export async function runTry(io: Io, args: TaskArguments): Promise<void> {
  const taskCall = await readTaskCall(io, args)
  const outcome = await performDryRun(io, taskCall, args.options.files)
  show(io, args.options, taskCall, outcome)
  if (outcome.end.status !== 'succeeded') throw new CommandFailed()
}

/** Writes the items to stdout and everything else to stderr. */
export function show(io: Io, { json }: TaskArguments['options'], taskCall: TaskCall, outcome: Outcome): void {
  showItems(io, { json: json ?? false, task: taskCall.task, items: outcome.items })
  io.err(summaryOf(outcome, taskCall))
}

/** Width in characters if there is no terminal, or its width is unknown. */
const DEFAULT_WIDTH = 120

/**
 * Writes items as a table, and to stderr the fields that it lacks.
 *
 * @param items each as JSON; written as they are with `json`, one a line
 */
export function showItems(
  io: Io,
  {
    json,
    task,
    items,
  }: { readonly json: boolean; readonly task: CatalogueTask; readonly items: readonly string[] },
): void {
  if (json) io.out(items.map((item) => `${item}\n`).join(''))
  if (json || items.length === 0) return
  const rows = items.map((item) => JSON.parse(item) as Record<string, unknown>)
  const { text, empty, hidden } = tableOf(rows, task.columns, io.width ?? DEFAULT_WIDTH)
  io.out(text)
  if (hidden.length > 0) io.err(`not shown for lack of space: ${hidden.join(', ')} (--json shows all)\n`)
  if (empty.length > 0) io.err(`null in all items: ${empty.join(', ')}\n`)
}
