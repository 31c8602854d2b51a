/**
 * `gleaner try`: one run of a task without a server.
 *
 * @module
 */
import { type Call, type Command, FAILED, OK, type Option } from './command.ts'
import { tableOf } from './table.ts'
import { type Done, endingOf, FILES, OPERANDS, perform, type Wanted, wantedOf } from './trials.ts'

export const JSON_ITEMS: Option = {
  type: 'boolean',
  about: 'Writes the items as NDJSON: one JSON object a line.',
}

export const tryCommand: Command = {
  name: 'try',
  about: 'Runs one task without a server and shows its items and requests.',
  ...OPERANDS,
  options: {
    json: JSON_ITEMS,
    files: FILES,
  },
  details:
    "The input is JSON, as a call's body; without it the task's example is taken. Items go to stdout; the requests made,\nhow it ended and what stands beside the items in the result to stderr. Nothing is stored and nothing is charged. Ctrl-C\nends the run and shows what it has. The exit code is 0 when the run succeeded.",
  async run(call) {
    const wanted = await wantedOf(call)
    const done = await perform(call, wanted)
    show(call, wanted, done)
    return done.end.status === 'succeeded' ? OK : FAILED
  },
}

/** The items on stdout, and all else on stderr. */
export function show(call: Call, wanted: Wanted, done: Done): void {
  const { io } = call
  if (call.flag('json')) io.out(done.items.map((item) => `${item}\n`).join(''))
  else if (done.items.length > 0) showTable(call, wanted, done)
  io.err(endingOf(done, wanted))
}

/** What a pipe or an old terminal is taken for, in characters. */
const USUAL_WIDTH = 120

function showTable({ io }: Call, { task }: Wanted, { items }: Done): void {
  const rows = items.map((item) => JSON.parse(item) as Record<string, unknown>)
  const { text, empty, hidden } = tableOf(rows, task.columns, io.width ?? USUAL_WIDTH)
  io.out(text)
  if (hidden.length > 0) io.err(`no room for ${hidden.join(', ')}: --json shows them\n`)
  if (empty.length > 0) io.err(`null in all items: ${empty.join(', ')}\n`)
}
