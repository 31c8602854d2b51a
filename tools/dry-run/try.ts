/**
 * `gleaner try`: one run of a task without a server.
 *
 * @module
 */
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
  if (json) io.out(outcome.items.map((item) => `${item}\n`).join(''))
  else if (outcome.items.length > 0) showTable(io, taskCall, outcome)
  io.err(summaryOf(outcome, taskCall))
}

/** Width in characters if there is no terminal, or its width is unknown. */
const DEFAULT_WIDTH = 120

function showTable(io: Io, { task }: TaskCall, { items }: Outcome): void {
  const rows = items.map((item) => JSON.parse(item) as Record<string, unknown>)
  const { text, empty, hidden } = tableOf(rows, task.columns, io.width ?? DEFAULT_WIDTH)
  io.out(text)
  if (hidden.length > 0) io.err(`not shown for lack of space: ${hidden.join(', ')} (--json shows all)\n`)
  if (empty.length > 0) io.err(`null in all items: ${empty.join(', ')}\n`)
}
