/**
 * `gleaner new-source`: the beginning of a plugin.
 *
 * @module
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { linkKit } from '../catalogue/link.ts'
import { loadCatalogue, PLUGINS } from '../catalogue/load.ts'
import { type Config, readConfig } from '../config.ts'
import { type Command, CommandFailed, OK, UsageError } from './command.ts'

/** A source like any other, but for its name. */
const TEMPLATE = fileURLToPath(new URL('../../templates/source', import.meta.url))
const TEMPLATE_NAME = 'newsource'
const TEMPLATE_TITLE = 'New source'
const LONGEST_NAME = 40

export const newSource: Command = {
  name: 'new-source',
  about: 'Writes a source that runs, with its test, to begin a plugin with.',
  operands: '<name>',
  count: [1, 1],
  options: {
    to: {
      type: 'string',
      value: '<folder>',
      about: "Where its folder is made; without it PLUGINS_DIR, else the project's plugins/.",
    },
  },
  details: 'docs/plugins.md goes on from there.',
  async run({ io, operands: [name = ''], text }) {
    if (!/^[a-z][a-z0-9_]*$/.test(name) || name.length > LONGEST_NAME) {
      const form = `lower-case letters, digits and _, from a letter on, ${LONGEST_NAME} at most`
      throw new UsageError(`"${name}" is no name of a source: ${form}`)
    }
    const config = readConfig(io.env)
    const parent = resolve(text('to') ?? config.pluginsDir ?? PLUGINS)
    const folder = join(parent, name)
    if (existsSync(folder)) throw new CommandFailed(`${folder} is there already`)
    const files = await made(folder, name, config)
    io.out(files.map((file) => `${file}\n`).join(''))
    io.err(nextSteps(name, parent, config))
    return OK
  },
}

/**
 * Writes the folder, and takes it away again when no service would load it.
 *
 * @returns the files written
 * @throws {CommandFailed} saying why not
 */
async function made(folder: string, name: string, config: Config): Promise<string[]> {
  try {
    const files = write(folder, name)
    const real = realpathSync(folder)
    await linkKit(dirname(real))
    const { failures } = await loadCatalogue({ folders: [PLUGINS, dirname(real)], config })
    const failure = failures.find((one) => one.folder === real)
    if (failure) throw new Error(failure.reason)
    return files
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw new CommandFailed(`${folder} can't be made: ${(error as Error).message}`)
  }
}

function write(folder: string, name: string): string[] {
  const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')
  const entries = readdirSync(TEMPLATE, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const from = join(entry.parentPath, entry.name)
      const to = join(folder, from.slice(TEMPLATE.length))
      const content = readFileSync(from, 'utf8')
        .replaceAll(TEMPLATE_NAME, name)
        .replaceAll(TEMPLATE_TITLE, title)
      mkdirSync(dirname(to), { recursive: true })
      writeFileSync(to, content, { flag: 'wx' })
      return to
    })
    .sort()
}

function nextSteps(name: string, parent: string, { pluginsDir }: Config): string {
  const isKnown = [PLUGINS, pluginsDir].includes(parent)
  return `
Next: set its origin, fields and requests in source.ts, then
  gleaner try ${name}.search '{"query": "desk"}'      runs it live
  gleaner record ${name}.search '{"query": "desk"}'   keeps what it got for its test
${isKnown ? '' : `These and the service find it with PLUGINS_DIR=${parent}\n`}docs/plugins.md tells more.
`
}
