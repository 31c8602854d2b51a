/**
 * What `gleaner try` and `gleaner record` have in common: a task is found, its input checked, and the task run in this
 * process, with each request shown as it ends.
 *
 * @module
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium, HOW_TO_INSTALL } from '../browser/find.ts'
import type { Catalogue, CatalogueTask } from '../catalogue/catalogue.ts'
import { loadCatalogue, PLUGINS } from '../catalogue/load.ts'
import { type Config, readConfig } from '../config.ts'
import { nearest } from '../plugin/names.ts'
import { type Exchanged, Exchanges, type ExchangesOptions } from '../trial/exchanged.ts'
import type { Told } from '../trial/parent.ts'
import { type Tried, tryTask } from '../trial/trial.ts'
import { proxyVariables } from '../worker/spawn.ts'
import { type Call, CommandFailed, type Option, UsageError } from './command.ts'
import { bytesOf, durationOf } from './sizes.ts'
import { printable } from './table.ts'
import { userAgentOf } from './version.ts'

/** A task with an input that it takes. */
export type Wanted = {
  readonly config: Config
  readonly task: CatalogueTask
  /** as sent */
  readonly input: Readonly<Record<string, unknown>>
  /** canonical JSON */
  readonly text: string
  /** credits */
  readonly price: number
}

export type Done = Tried & { readonly exchanged: readonly Exchanged[] }

/** How both commands are called. */
export const OPERANDS = { operands: "<task> ['<input>']", count: [1, 2] } as const

export const FILES: Option = {
  type: 'string',
  value: '<folder>',
  about: 'Saves the files that the run makes there.',
}

/**
 * The task and input that a line names; without an input the task's example.
 *
 * @throws {UsageError} naming what is wrong with them
 */
export async function wantedOf({ io, operands: [key = '', sent] }: Call): Promise<Wanted> {
  const config = readConfig(io.env)
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config })
  const task = catalogue.get(key)
  if (!task) throw new UsageError(unknownTask(key, catalogue))
  const input = sent === undefined ? (task.task.example as Wanted['input']) : parsed(sent)
  if (sent === undefined) io.err(`the input is the task's example: ${JSON.stringify(input)}\n`)
  const checked = task.validate(input, {}, Date.now())
  if ('canonical' in checked)
    return { config, task, input, text: checked.canonical, price: task.price(checked.input) }
  const issues = checked.map(({ pointer, detail }) => `\n  ${pointer} ${detail}`)
  throw new UsageError(`the input does not fit:${issues.join('')}`)
}

/** A plugin that is at work in may be the one that could not be loaded: all such are told. */
function unknownTask(key: string, { tasks, failures }: Catalogue): string {
  const near = nearest(
    key,
    tasks.map((task) => task.key),
  )
  const broken = failures.map(({ folder, reason }) => `\n  ${folder} could not be loaded: ${reason}`)
  return `there is no task "${key}"${near ? `; did you mean "${near}"?` : ''}${broken.join('')}`
}

function parsed(text: string): Wanted['input'] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`the input is no JSON: ${(error as Error).message}`)
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Wanted['input']
  throw new UsageError(`the input must be a JSON object, such as '{"query": "otter"}'`)
}

/**
 * Runs the task, tells each request on stderr, and saves its files where `--files` says.
 *
 * @param keep how much of each body is kept
 */
export async function perform(
  { io, text }: Call,
  { task, config, text: input }: Wanted,
  keep?: ExchangesOptions['keep'],
): Promise<Done> {
  const { name, origin } = task.source
  const replaced = config.sourceOrigins.get(name)
  if (replaced !== undefined) io.err(`requests to ${origin} go to ${replaced}\n`)
  const proxy = { proxyUrl: config.proxyUrl, direct: directHosts(config) }
  Object.assign(process.env, proxyVariables(proxy))
  const chromium = findChromium(config.chromiumPath)
  if (task.task.needs?.browser && chromium === undefined)
    io.err(`the task needs Chromium, which is not here: ${HOW_TO_INSTALL}\n`)
  if (task.task.needs?.login) io.err(signedOutWords(task))
  const exchanges = new Exchanges({ tell: (exchanged) => io.err(lineOf(exchanged)), ...(keep && { keep }) })
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-trial-'))
  try {
    const tried = await tryTask({
      task,
      input,
      setup: {
        userAgent: userAgentOf(config),
        origins: Object.fromEntries(config.sourceOrigins),
      },
      proxyUrl: config.proxyUrl,
      chromium,
      folder,
      signal: io.signal,
      witness: exchanges.witness,
      hear: (told) => io.err(wordsOf(told)),
    })
    const exchanged = exchanges.end()
    save(tried.files, text('files'), io.err)
    return { ...tried, exchanged }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Logins belong to accounts, and there is none here. */
const signedOutWords = ({ task }: CatalogueTask): string =>
  task.needs?.login === true
    ? 'the task needs a login, and only a service has logins: it runs signed out here, and may end as source-login-required\n'
    : 'the task takes a login where there is one, and only a service has logins: it runs signed out here\n'

const directHosts = ({ sourceOrigins }: Config): string[] =>
  [...sourceOrigins.values()].map((origin) => new URL(origin).hostname)

function lineOf({ method, url, status, bytes, ms }: Exchanged): string {
  const answer = status === null ? 'no answer' : `${status}  ${bytesOf(bytes)}`
  return `${method} ${url}  ${answer}  ${durationOf(ms)}\n`
}

function wordsOf(told: Told): string {
  switch (told.type) {
    case 'again':
      return `begins anew: ${printable(told.reason)}\n`
    case 'log':
      return `log: ${printable(told.message)} ${JSON.stringify(told.fields)}\n`
    default: {
      const { done, total, message } = told
      return `progress: ${done}${total === null ? '' : ` of ${total}`}${message === null ? '' : ` ${printable(message)}`}\n`
    }
  }
}

function save(files: Tried['files'], folder: string | undefined, tell: (text: string) => void): void {
  for (const { name, contentType, path, bytes } of files) {
    const words = `file ${name}, ${contentType}, ${bytesOf(bytes)}`
    if (folder === undefined) {
      tell(`${words}: --files <folder> saves it\n`)
      continue
    }
    try {
      mkdirSync(folder, { recursive: true })
      copyFileSync(path, join(folder, name))
    } catch (error) {
      throw new CommandFailed(`${words}: it can't be saved in ${folder}: ${(error as Error).message}`)
    }
    tell(`${words}: saved as ${join(folder, name)}\n`)
  }
}

/** How it ended, in a line or two: the code and the source's words, or a defect with its stack. */
export function endingOf({ end, items, exchanged, ms, blocks }: Done, { task, price }: Wanted): string {
  const collected = `${count(items.length, 'item')}, ${count(exchanged.length, 'request')}, ${durationOf(ms)}`
  const paid = `a service charges ${count(price, 'credit')} for it${blocks > 0 ? `, and ${count(blocks, 'further block')}` : ''}`
  switch (end.status) {
    case 'succeeded':
      return `succeeded: ${collected}; ${paid}\n${restOf(end.rest)}`
    case 'failed':
      return `failed: ${end.code}: ${printable(end.detail)}\n${collected}; a service refunds it in full\n`
    case 'errored':
      return `errored: ${end.code}: ${end.reason}\n${collected}\n`
    case 'expired':
      return `expired: run-limit: not done after ${task.runLimitS} s\n${collected}\n`
    default:
      return `stopped\n${collected}\n`
  }
}

/** What stands beside the items in the result. */
const restOf = (rest: string): string =>
  Object.entries(JSON.parse(rest) as Record<string, unknown>)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
    .join('')

/** `1 item`, `2 items`. */
export const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`
