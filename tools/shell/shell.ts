/**
 * `gleaner shell`: a prompt with the kit of plugins and an answer to try it on.
 *
 * @module
 */
import { existsSync } from 'node:fs'
import { unlessAborted } from '../../src/async/abort.ts'
import { type Catalogue, loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { count } from '../../src/cli/columns.ts'
import { CommandFailed, UsageError } from '../../src/cli/failure.ts'
import type { Io } from '../../src/cli/io.ts'
import { readConfig } from '../../src/config.ts'
import { SourceError } from '../../src/plugin/errors.ts'
import { readOrRefuse } from '../dry-run/cassette.ts'
import { printable } from '../dry-run/table.ts'
import { recordedAnswer } from './answer.ts'
import { evaluate, isIncomplete } from './evaluate.ts'
import { isAtTerminal, type Lines, openLines } from './lines.ts'
import { render } from './render.ts'
import { Requests } from './requests.ts'
import { Toolkit } from './toolkit.ts'

/** Width in characters if there is no terminal, or its width is unknown. */
const DEFAULT_WIDTH = 120

/**
 * Opens a URL or a cassette, then evaluates what is entered until the end of the input.
 *
 * @throws {UsageError} when the target is neither
 * @throws {CommandFailed} when the URL has no answer, or a line failed and nobody sits at a terminal
 */
export async function runShell(io: Io, target: string): Promise<void> {
  const config = readConfig(io.env)
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config })
  let stop = new AbortController()
  // The signals of the process keep their default, which ends it even during an endless loop.
  const requests = new Requests({
    config,
    catalogue,
    signal: () => stop.signal,
    tell: (line) => io.err(`${line}\n`),
  })
  const toolkit = new Toolkit(requests, (text) => io.out(text))
  await open(target, { io, catalogue, requests, toolkit })
  if (isAtTerminal(io)) io.err('help() lists what there is; Ctrl-D ends the shell\n')
  let failures = 0
  const lines = openLines({
    io,
    names: () => Object.keys(toolkit.scope),
    interrupt: () => stop.abort(new Error('stopped')),
  })
  try {
    for (
      let code = await nextEntry(lines);
      code !== undefined && !EXIT.test(code);
      code = await nextEntry(lines)
    ) {
      stop = new AbortController()
      try {
        show(io, toolkit, await unlessAborted(stop.signal, evaluate(code, toolkit.scope)))
      } catch (error) {
        failures++
        io.err(`${wordsOf(error)}\n`)
      }
    }
  } finally {
    lines.close()
  }
  if (failures > 0 && !isAtTerminal(io)) throw new CommandFailed(`${count(failures, 'line')} failed`)
}

const EXIT = /^\s*\.exit\s*$/

type Opening = {
  readonly io: Io
  readonly catalogue: Catalogue
  readonly requests: Requests
  readonly toolkit: Toolkit
}

async function open(target: string, { io, catalogue, requests, toolkit }: Opening): Promise<void> {
  if (/^https?:\/\//.test(target)) {
    try {
      const { line } = await toolkit.fetch(target)
      return io.out(`${line}\n`)
    } catch (error) {
      throw new CommandFailed(wordsOf(error))
    }
  }
  if (!existsSync(target))
    throw new UsageError(`"${target}" is neither a URL nor a file: begin a URL with https://`)
  const { task: key, exchanges } = readOrRefuse(target)
  const task = catalogue.get(key)
  if (task) requests.startAt(task.source)
  for (const exchange of exchanges) toolkit.answers.push(await recordedAnswer(exchange))
  io.out(`${render(toolkit.answers, { width: io.width ?? DEFAULT_WIDTH, colours: false })}\n`)
  const first = toolkit.answers.findIndex(({ status, text }) => status < 300 && text !== '')
  if (first >= 0) toolkit.use(first)
}

/** Reads lines until they are a whole entry. An empty line ends one that cannot become whole. */
async function nextEntry(lines: Lines): Promise<string | undefined> {
  let code = await lines.next('> ')
  while (code !== undefined && isIncomplete(code)) {
    const more = await lines.next('... ')
    if (more === undefined || more.trim() === '') break
    code += `\n${more}`
  }
  return code
}

/** Prints a value and the lines for a plugin that give it. */
function show(io: Io, toolkit: Toolkit, value: unknown): void {
  const text = render(value, { width: io.width ?? DEFAULT_WIDTH, colours: io.isTerminal })
  if (text !== '') io.out(`${text}\n`)
  for (const line of toolkit.linesFor(value)) io.out(`  // ${line}\n`)
}

/** An error in a line, with what to do where that is known. */
function wordsOf(error: unknown): string {
  if (error instanceof SourceError) return printable(`${error.code}: ${error.message}`)
  if (error instanceof ReferenceError) return `${printable(error.message)}: help() lists what there is`
  if (error instanceof Error) return printable(error.message || error.name)
  return printable(`thrown: ${String(error)}`)
}
