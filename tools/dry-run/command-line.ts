/**
 * The common part of `gleaner try` and `gleaner record`: finds the task, checks the input, runs the task in this
 * process, and prints each request as it ends.
 *
 * @module
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium, HOW_TO_INSTALL } from '../../src/browser/chromium/find.ts'
import { type Catalogue, type CatalogueTask, loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { didYouMean } from '../../src/catalogue/names.ts'
import { count } from '../../src/cli/columns.ts'
import { CommandFailed, UsageError } from '../../src/cli/failure.ts'
import type { Io } from '../../src/cli/io.ts'
import { type Config, readConfig } from '../../src/config.ts'
import type { RateLimiter } from '../../src/net/rate-limiter.ts'
import {
  type ExchangeLogOptions,
  type ObservedExchange,
  openExchangeLog,
} from '../../src/recording/exchange-log.ts'
import { type DryRunResult, dryRun } from './dry-run.ts'
import type { RunReport } from './parent.ts'
import { printable } from './table.ts'
import { bytesOf, durationOf } from './units.ts'

/** The options of `try` and `record`. */
export type TaskOptions = { readonly json?: true; readonly files?: string }
/** The options of `record`. */
export type RecordOptions = TaskOptions & { readonly to?: string; readonly force?: true }

/** A call of `try` or `record`. */
export type TaskArguments = {
  readonly key: string
  /** JSON; undefined for the task's example */
  readonly input: string | undefined
  readonly options: RecordOptions
}

/** A task with a valid input. */
export type TaskCall = {
  readonly config: Config
  readonly task: CatalogueTask
  /** as sent */
  readonly input: Readonly<Record<string, unknown>>
  /** canonical JSON */
  readonly text: string
  /** credits */
  readonly price: number
}

export type Outcome = DryRunResult & { readonly exchanged: readonly ObservedExchange[] }

/** Finds the task of a command line. @throws {UsageError} for an unknown one */
export async function findTask(io: Io, key: string): Promise<Pick<TaskCall, 'config' | 'task'>> {
  const config = readConfig(io.env)
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config })
  const task = catalogue.get(key)
  if (!task) throw new UsageError(unknownTask(key, catalogue))
  return { config, task }
}

/**
 * Reads the task and input of a command line; without an input, the task's example is used.
 *
 * @throws {UsageError} for an unknown task or an invalid input
 */
export async function readTaskCall(io: Io, { key, input: sent }: TaskArguments): Promise<TaskCall> {
  const { config, task } = await findTask(io, key)
  const input = sent === undefined ? (task.declaration.example as TaskCall['input']) : parsed(sent)
  if (sent === undefined) io.err(`Using the task's example as input: ${JSON.stringify(input)}\n`)
  const checked = task.validate(input, {}, Date.now())
  if ('canonical' in checked) {
    const title = task.summary(input)
    if (title !== null) io.err(`The title of the run is: ${title}\n`)
    return { config, task, input, text: checked.canonical, price: task.price(checked.input) }
  }
  const issues = checked.map(({ pointer, detail }) => `\n  ${pointer} ${detail}`)
  throw new UsageError(`invalid input:${issues.join('')}`)
}

const unknownTask = (key: string, catalogue: Catalogue): string => {
  const keys = catalogue.tasks.map((task) => task.key)
  return `${failureLines(catalogue)}unknown task "${key}"${didYouMean(key, keys)}`
}

/** The plugins that could not be loaded, before an unknown name: it may be of one that the author works on. */
export const failureLines = ({ failures }: Pick<Catalogue, 'failures'>): string =>
  failures.map(({ folder, reason }) => `${folder} could not be loaded: ${reason}\n`).join('')

function parsed(text: string): TaskCall['input'] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`the input is not valid JSON: ${(error as Error).message}`)
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as TaskCall['input']
  throw new UsageError(`the input must be a JSON object, such as '{"query": "otter"}'`)
}

/**
 * Runs the task and prints each request to stderr.
 *
 * @param saveIn a folder for the files of the run
 * @param keep how many bytes of a body are kept, by its headers; default none
 * @param rateLimiter shared by runs that follow one another; default one for this run
 */
export async function performDryRun(
  io: Io,
  { task, config, text: input }: Pick<TaskCall, 'task' | 'config' | 'text'>,
  saveIn: string | undefined,
  keep?: ExchangeLogOptions['keep'],
  rateLimiter?: RateLimiter,
): Promise<Outcome> {
  const { name, origin } = task.source
  const replaced = config.sourceOrigins.get(name)
  if (replaced !== undefined) io.err(`Requests to ${origin} are sent to ${replaced}\n`)
  const chromium = findChromium(config.chromiumPath)
  if (task.declaration.needs?.browser && chromium === undefined)
    io.err(`The task needs Chromium, which was not found: ${HOW_TO_INSTALL}\n`)
  if (task.declaration.needs?.login) io.err(signedOutNote(task))
  const exchanges = openExchangeLog({
    onExchange: (exchanged) => io.err(lineOf(exchanged)),
    ...(keep && { keep }),
  })
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-dry-run-'))
  try {
    const tried = await dryRun({
      task,
      input,
      config,
      chromium,
      folder,
      signal: io.signal,
      observer: exchanges.observer,
      rateLimiter,
      hear: (report) => io.err(describe(report)),
    })
    const exchanged = exchanges.end()
    save(tried.files, saveIn, io.err)
    return { ...tried, exchanged }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Logins belong to accounts of a service, and a dry run has none. */
const signedOutNote = ({ declaration: task }: CatalogueTask): string =>
  task.needs?.login === true
    ? 'The task needs a login, which only a service has. It runs signed out here and may fail with source-login-required.\n'
    : 'The task can use a login, which only a service has. It runs signed out here.\n'

function lineOf({ method, url, status, bytes, ms }: ObservedExchange): string {
  const answer = status === null ? 'no answer' : `${status}  ${bytesOf(bytes)}`
  return `${method} ${url}  ${answer}  ${durationOf(ms)}\n`
}

function describe(report: RunReport): string {
  switch (report.type) {
    case 'again':
      return `starting over: ${printable(report.reason)}\n`
    case 'log':
      return `log: ${printable(report.message)} ${JSON.stringify(report.fields)}\n`
    default: {
      const { done, total, message } = report
      return `progress: ${done}${total === null ? '' : ` of ${total}`}${message === null ? '' : ` ${printable(message)}`}\n`
    }
  }
}

function save(files: DryRunResult['files'], folder: string | undefined, tell: (text: string) => void): void {
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
      throw new CommandFailed(`${words}: cannot be saved in ${folder}: ${(error as Error).message}`)
    }
    tell(`${words}: saved as ${join(folder, name)}\n`)
  }
}

/** How the run ended, in a line or two: the code and the source's message, or a defect with its stack. */
export function summaryOf({ end, items, exchanged, ms, blocks }: Outcome, { task, price }: TaskCall): string {
  const collected = `${count(items.length, 'item')}, ${count(exchanged.length, 'request')}, ${durationOf(ms)}`
  const paid = `a service charges ${count(price, 'credit')} for it${blocks > 0 ? `, and ${count(blocks, 'further block')}` : ''}`
  switch (end.status) {
    case 'succeeded':
      return `succeeded: ${collected}; ${paid}\n${otherFieldsOf(end.rest)}`
    case 'failed':
      return `failed: ${end.code}: ${printable(end.detail)}\n${collected}; a service refunds it in full\n`
    case 'errored':
      return `errored: ${end.code}: ${end.reason}\n${collected}\n`
    case 'expired':
      return `expired: run-limit: not completed after ${task.runLimitS} s\n${collected}\n`
    default:
      return `stopped\n${collected}\n`
  }
}

/** The fields of the result other than the items. */
const otherFieldsOf = (rest: string): string =>
  Object.entries(JSON.parse(rest) as Record<string, unknown>)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
    .join('')
