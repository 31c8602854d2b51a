/**
 * `gleaner try`: one run of a task without a server.
 *
 * @module
 */
import { type Call, FAILED, OK } from '../../src/cli/command.ts'
import { type Outcome, performDryRun, readTaskCall, summaryOf, type TaskCall } from './command-line.ts'
import { tableOf } from './table.ts'

/** @returns the exit code */
export async function runTry(call: Call): Promise<number> {
  const taskCall = await readTaskCall(call)
  const outcome = await performDryRun(call, taskCall)
  show(call, taskCall, outcome)
  return outcome.end.status === 'succeeded' ? OK : FAILED
}

/** Writes the items to stdout and everything else to stderr. */
export function show(call: Call, taskCall: TaskCall, outcome: Outcome): void {
  const { io } = call
  if (call.flag('json')) io.out(outcome.items.map((item) => `${item}\n`).join(''))
  else if (outcome.items.length > 0) showTable(call, taskCall, outcome)
  io.err(summaryOf(outcome, taskCall))
}

/** In characters, where the terminal does not say or there is none. */
const DEFAULT_WIDTH = 120

function showTable({ io }: Call, { task }: TaskCall, { items }: Outcome): void {
  const rows = items.map((item) => JSON.parse(item) as Record<string, unknown>)
  const { text, empty, hidden } = tableOf(rows, task.columns, io.width ?? DEFAULT_WIDTH)
  io.out(text)
  if (hidden.length > 0) io.err(`not shown for lack of space: ${hidden.join(', ')} (--json shows all)\n`)
  if (empty.length > 0) io.err(`null in all items: ${empty.join(', ')}\n`)
}
