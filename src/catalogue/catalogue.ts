/**
 * All tasks of all plugins, ready to be routed, validated, priced and documented. Every folder with a `source.ts` below
 * the given folders is loaded. A plugin that can't be loaded is reported with its folder and the reason, and the rest
 * start without it.
 *
 * @module
 */
import { existsSync } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { clock } from '../async/clock.ts'
import { withTimeout } from '../async/delay.ts'
import type { Config } from '../config.ts'
import { isSource } from '../plugin/source.ts'
import type { Source, Task } from '../plugin.ts'
import { fieldsOf } from './fields.ts'
import { type DocumentedFill, documentedFills, schemaName } from './fill.ts'
import { inputIssues, inputValidator, type ValidInput } from './input.ts'
import { linkKit } from './link.ts'
import { reasonOf } from './reason.ts'
import { columnsOf, inputSchemaOf, outputSchemaOf } from './schema.ts'
import { inputSummary } from './summary.ts'

/** The project's own plugins. */
export const PLUGINS = fileURLToPath(new URL('../../plugins', import.meta.url))

/** A plugin that could not be loaded, and why; the rest start without it. */
export type PluginFailure = { readonly folder: string; readonly reason: string }
/** A task as it was loaded. */
export type CatalogueTask = ReturnType<typeof catalogueTask>
export type Catalogue = Awaited<ReturnType<typeof loadCatalogue>>

/** The time limit for loading a plugin, which may await something while it loads. */
const LOAD_LIMIT_MS = 10_000

export type LoadOptions = {
  /** folders of plugin folders; PLUGINS_DIR is added to them */
  readonly folders: readonly string[]
  readonly config: Pick<Config, 'pluginsDir' | 'runLimitS'>
}

/**
 * Loads all plugins, in the order of the folders and of the names in them. If two plugins claim the same source, task
 * key or path, the first one gets it, and the second one is reported as a failure.
 */
export async function loadCatalogue({ folders, config }: LoadOptions) {
  const tasks: CatalogueTask[] = []
  const failures: PluginFailure[] = []
  const parents = [...folders, config.pluginsDir].filter((folder) => folder !== null)
  for (const folder of await pluginFolders(parents, failures)) {
    try {
      const module = pathToFileURL(join(folder, 'source.ts')).href
      const source = await loadSource(module)
      const conflict = conflictWith(source, tasks)
      if (conflict) throw new TypeError(conflict)
      const fills = documentedFills(module)
      const { runLimitS } = config
      const documented = (key: string) => fills[key] ?? null
      tasks.push(
        ...source.tasks.map((task) =>
          catalogueTask(source, task, { module, runLimitS, documentedFill: documented(task.key) }),
        ),
      )
    } catch (error) {
      failures.push({ folder, reason: reasonOf(error) })
    }
  }
  tasks.sort((a, b) => (a.key < b.key ? -1 : 1))
  const byKey = new Map(tasks.map((task) => [task.key, task]))
  const sources = new Map(tasks.map(({ source }) => [source.name, source]))
  return {
    tasks,
    failures,
    sources: [...sources.values()],
    get: (key: string) => byKey.get(key),
    source: (name: string) => sources.get(name),
  }
}

/** The folders that contain a `source.ts`, each once. Also links `gleaner/plugin` for folders outside the project. */
async function pluginFolders(parents: readonly string[], failures: PluginFailure[]): Promise<string[]> {
  const folders = new Set<string>()
  for (const parent of new Set(parents)) {
    try {
      const real = await realpath(parent)
      const names = (await readdir(real)).sort()
      const plugins = names
        .map((name) => join(real, name))
        .filter((path) => existsSync(join(path, 'source.ts')))
      if (plugins.length > 0) await linkKit(real)
      for (const path of plugins) folders.add(path)
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      failures.push({ folder: parent, reason: missing ? 'the folder does not exist' : reasonOf(error) })
    }
  }
  return [...folders]
}

async function loadSource(module: string): Promise<Source> {
  const loaded = import(module) as Promise<{ readonly default?: unknown }>
  const late = () =>
    new Error(`source.ts did not load within ${LOAD_LIMIT_MS / 1000} s: does it wait for something?`)
  const { default: source } = await withTimeout(LOAD_LIMIT_MS, loaded, late)
  if (isSource(source)) return source
  throw new TypeError(
    'the default export of source.ts must be the result of defineSource from gleaner/plugin',
  )
}

type Origin = {
  /** the file URL of the plugin's `source.ts` */
  readonly module: string
  /** seconds, for a task without a limit of its own */
  readonly runLimitS: number
  readonly documentedFill: DocumentedFill | null
}

function catalogueTask(source: Source, task: Task, { module, runLimitS, documentedFill }: Origin) {
  const { price } = task
  checkInputs(task)
  checkSummary(task)
  const fields = fieldsOf(task)
  return {
    key: task.key,
    source,
    /** the task as its plugin declares it */
    declaration: task,
    /** for programs: the description, and what only they need to know */
    apiDescription: [task.description, task.apiNotes].filter(Boolean).join(' '),
    /** the plugin's `source.ts` as a file URL, which child processes load */
    module,
    /** path and aliases, with `:name` parameters */
    paths: [task.path, ...(task.aliases ?? [])],
    /** the value of `credit_cost` */
    creditCost: typeof price === 'number' ? price : price.from,
    /** seconds; the task's own limit or RUN_LIMIT_S */
    runLimitS: task.limits?.run_s ?? runLimitS,
    inputSchema: inputSchemaOf(task),
    /** schema of `result`; the item schema is at `properties.items.items` */
    outputSchema: outputSchemaOf(task),
    /** the columns of an item in the order of its schema */
    columns: columnsOf(task.item),
    /** the fields whose fill is counted, in order */
    fields,
    /** 8 hex digits: names the version of the counted fields and of their documented fill */
    schema: schemaName(fields, documentedFill),
    /** how the items of its recordings are filled; null when that is not documented */
    documentedFill,
    validate: inputValidator(task),
    /** the summary of a valid input as sent, see {@link inputSummary} */
    summary: (sent: ValidInput['sent']) => inputSummary(task, sent),
    /** the price of a valid input in credits */
    price: (input: ValidInput['input']) =>
      typeof price === 'number' ? price : checked(task.key, price.of(input as never)),
  }
}

/** @throws {TypeError} when the example of a task, or an input of its canary, is not valid */
function checkInputs(task: Task): void {
  const canary = (task.canary ?? []).map((input, i) => [`canary[${i}]`, input] as const)
  for (const [name, input] of [['example', task.example] as const, ...canary]) {
    const [issue] = inputIssues(task, input, clock.now())
    if (issue)
      throw new TypeError(`the ${name} of ${task.key} is not valid: ${issue.pointer} ${issue.detail}`)
  }
}

/** @throws {TypeError} when a task that declares a summary has none of its example */
function checkSummary(task: Task): void {
  if (!task.summary) return
  try {
    if (inputSummary(task, task.example) !== null) return
  } catch (error) {
    throw new TypeError(`the summary of ${task.key} fails for its example: ${reasonOf(error)}`)
  }
  throw new TypeError(`the summary of ${task.key} is empty for its example`)
}

/** @throws {RangeError} when the price is not a valid number of credits: nothing may be charged then */
function checked(key: string, price: number): number {
  if (Number.isSafeInteger(price) && price >= 0) return price
  throw new RangeError(`the price of ${key} must be a whole number of credits, not ${price}`)
}

/** The first path segments after `/v1/` in the service's own routes. */
const OWN = new Set(['account', 'events', 'logins', 'runs', 'tasks', 'webhooks'])

/** Why a source conflicts with the tasks loaded before it; undefined when it does not. */
function conflictWith(source: Source, tasks: readonly CatalogueTask[]): string | undefined {
  if (tasks.some((task) => task.source.name === source.name))
    return `another plugin already has the source name "${source.name}"`
  const owners = new Map(tasks.flatMap((task) => task.paths.map((path) => [shapeOf(path), task.key])))
  for (const { key, path, aliases = [] } of source.tasks) {
    for (const at of [path, ...aliases]) {
      if (OWN.has(at.split('/')[2] ?? '')) return `the path "${at}" of ${key} is reserved for the service`
      const owner = owners.get(shapeOf(at))
      if (owner) return `the path "${at}" of ${key} is already used by ${owner}`
      owners.set(shapeOf(at), key)
    }
  }
  return undefined
}

/** Paths that differ only in the names of their parameters are the same route. */
const shapeOf = (path: string): string => path.replace(/:[^/]+/g, ':')
