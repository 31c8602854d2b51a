/**
 * `gleaner record`: one run of a task, kept as a cassette.
 *
 * @module
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import { endBrowser } from '../plugin/testing/page.ts'
import { readCassette, runTask } from '../plugin/testing.ts'
import { recordingOf } from '../recording/cassette.ts'
import { worthKeeping } from '../recording/exchange.ts'
import { readable } from '../recording/layout.ts'
import { type Call, type Command, CommandFailed, FAILED, OK } from './command.ts'
import { printable } from './table.ts'
import { count, type Done, FILES, OPERANDS, perform, type Wanted, wantedOf } from './trials.ts'
import { JSON_ITEMS, show } from './try.ts'

export const record: Command = {
  name: 'record',
  about: 'Runs one task as "try" does and keeps all answers as a cassette for tests.',
  ...OPERANDS,
  options: {
    to: {
      type: 'string',
      value: '<file>',
      about: 'Where to; without it fixtures/<task>.json in the folder of the source.',
    },
    force: { type: 'boolean', about: 'Writes over a file that is there.' },
    json: JSON_ITEMS,
    files: FILES,
  },
  details:
    'Cookies, tokens, keys and e-mail addresses are replaced by REDACTED, which fits any value when the cassette is replayed,\nand told. Read the file before you give it to others: what only a person knows to be private is still in it. A run that\nfails is kept too.',
  async run(call) {
    const wanted = await wantedOf(call)
    const file = resolve(call.text('to') ?? usualFile(wanted.task))
    if (existsSync(file) && !call.flag('force'))
      throw new CommandFailed(
        `${file} is there already: name another with --to, or write over it with --force`,
      )
    const at = call.io.now()
    const done = await perform(call, wanted, worthKeeping)
    show(call, wanted, done)
    if (done.end.status === 'stopped' || done.end.status === 'expired')
      throw new CommandFailed('the run did not come to its end: nothing was written')
    write(call, wanted, done, file, at)
    await replayed(call, wanted, done, file, at)
    return done.end.status === 'succeeded' ? OK : FAILED
  },
}

const folderOf = ({ module }: CatalogueTask): string => dirname(fileURLToPath(module))

const usualFile = (task: CatalogueTask): string =>
  join(folderOf(task), 'fixtures', `${task.key.split('.').slice(1).join('-')}.json`)

function write(
  { io }: Call,
  { task, input, config }: Wanted,
  { exchanged }: Done,
  file: string,
  at: number,
): void {
  const replaced = config.sourceOrigins.get(task.source.name)
  const { cassette, remarks } = recordingOf({ task, input, exchanged, replaced, at })
  if (cassette.exchanges.length === 0) throw new CommandFailed('no answer came: nothing was written')
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, readable(cassette))
  } catch (error) {
    throw new CommandFailed(`${file} can't be written: ${(error as Error).message}`)
  }
  io.err(
    `${file}: ${count(cassette.exchanges.length, 'exchange')}\n${remarks.map((remark) => `${remark}\n`).join('')}`,
  )
}

/** Runs the task on what was just written, and says how a test does. */
async function replayed({ io }: Call, { task }: Wanted, done: Done, file: string, at: number): Promise<void> {
  const { input, exchanges } = readCassette(pathToFileURL(file))
  try {
    const { items, error } = await runTask(task.task, input, {
      source: task.source,
      exchanges,
      now: () => at,
    })
    const code = done.end.status === 'failed' ? done.end.code : undefined
    const same = items.filter((item, i) => JSON.stringify(item) === done.items[i]).length
    if (error?.code !== code) io.err(`Replayed it ends otherwise: ${error?.code ?? 'succeeded'}\n`)
    else if (same === done.items.length) io.err(`Replayed it gives the same: ${count(same, 'item')}\n`)
    else
      io.err(
        `Replayed it gives ${count(items.length, 'item')}, ${same} of them the same: see what was replaced\n`,
      )
  } catch (error) {
    const words =
      done.end.status === 'errored' ? 'Replayed it ends as a defect too' : 'It does not replay yet'
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
