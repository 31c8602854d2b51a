/**
 * `gleaner new-source`: creates the skeleton of a plugin.
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
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { linkKit } from '../../src/catalogue/link.ts'
import { CommandFailed, UsageError } from '../../src/cli/failure.ts'
import type { Io } from '../../src/cli/io.ts'
import { type Config, readConfig } from '../../src/config.ts'

/** A complete source, in which only the name is replaced. */
const TEMPLATE = fileURLToPath(new URL('./template', import.meta.url))
const TEMPLATE_NAME = 'newsource'
const TEMPLATE_TITLE = 'New source'
/** in characters */
const MAX_NAME = 40

/** @param to the folder to create it in */
export async function runNewSource(io: Io, name: string, to: string | undefined): Promise<void> {
  if (!/^[a-z][a-z0-9_]*$/.test(name) || name.length > MAX_NAME) {
    const form = `lower-case letters, digits and _, starting with a letter, at most ${MAX_NAME} characters`
    throw new UsageError(`"${name}" is not a valid source name: ${form}`)
  }
  const config = readConfig(io.env)
  const parent = resolve(to ?? config.pluginsDir ?? PLUGINS)
  const folder = join(parent, name)
  if (existsSync(folder)) throw new CommandFailed(`${folder} already exists`)
  const files = await create(folder, name, config)
  io.out(files.map((file) => `${file}\n`).join(''))
  io.err(nextSteps(name, parent, config))
}

/**
 * Writes the folder, and removes it again if a service could not load it.
 *
 * @returns the files written
 * @throws {CommandFailed} saying why it cannot be created
 */
async function create(folder: string, name: string, config: Config): Promise<string[]> {
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
    throw new CommandFailed(`${folder} cannot be created: ${(error as Error).message}`)
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
  gleaner record ${name}.search '{"query": "desk"}'   saves its answers for its test
${isKnown ? '' : `These commands and the service find it with PLUGINS_DIR=${parent}\n`}See docs/plugins.md.
`
}
