/**
 * `gleaner captures`: lists, shows and deletes the last answers of runs whose source changed.
 *
 * @module
 */
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { columns } from '../../src/cli/columns.ts'
import { CommandFailed } from '../../src/cli/failure.ts'
import { type Io, outJson } from '../../src/cli/io.ts'
import { tasksNamed } from '../../src/cli/patterns.ts'
import { withStores } from '../../src/cli/stores.ts'
import { readConfig } from '../../src/config.ts'
import { allowsTask } from '../../src/domain/account.ts'
import { type Capture, capturesOf, readCapture, removeCapture } from '../../src/health/captures/list.ts'
import { formatJson } from '../../src/recording/format.ts'
import { bytesOf } from '../dry-run/units.ts'
import { textOf } from './text.ts'

/**
 * Lists the stored captures.
 *
 * @param patterns of tasks, such as `lamps.*`; none for all
 * @throws {UsageError} when they name neither a task nor a capture
 */
export const runList = (io: Io, patterns: readonly string[], { json }: { json?: true }): Promise<void> =>
  withStores(io, async ({ stores }) => {
    const all = await capturesOf(stores)
    const captures =
      patterns.length === 0 ? all : all.filter(({ task_key }) => allowsTask(patterns, task_key))
    // A task whose plugin is gone may still have captures.
    const unmatched = patterns.filter(
      (pattern) => !all.some(({ task_key }) => allowsTask([pattern], task_key)),
    )
    if (unmatched.length > 0)
      tasksNamed(await loadCatalogue({ folders: [PLUGINS], config: readConfig(io.env) }), unmatched)
    if (json) outJson(io, { captures })
    else if (captures.length === 0) io.err(`No captures${ofTasks(patterns)} are stored.\n`)
    else io.out(columns([HEAD, ...captures.map(rowOf)]))
  })

const ofTasks = (patterns: readonly string[]): string =>
  patterns.length === 0 ? '' : ` of ${patterns.join(', ')}`

const HEAD = ['ID', 'TIME', 'TASK', 'CODE', 'ANSWERS', 'SIZE', 'RUN', 'ACCOUNT']

const rowOf = ({ id, at, task_key, code, exchanges, bytes, run_id, account_id }: Capture): string[] => [
  id,
  at.slice(0, 16).replace('T', ' '),
  task_key,
  code ?? 'drifting',
  String(exchanges),
  bytesOf(bytes),
  run_id,
  account_id,
]

/** @throws {CommandFailed} when there is no such capture */
export const runShow = (io: Io, id: string, { json }: { json?: true }): Promise<void> =>
  withStores(io, async ({ stores }) => {
    const { capture, cassette } = (await readCapture(stores, id)) ?? unknown(id)
    io.out(json ? formatJson(cassette) : textOf(capture, cassette))
  })

/** @throws {CommandFailed} when there is no such capture */
export const runDelete = (io: Io, id: string): Promise<void> =>
  withStores(io, async ({ stores }) => {
    if (!(await removeCapture(stores, id))) unknown(id)
    io.err(`Deleted ${id}.\n`)
  })

/** @throws {CommandFailed} always */
export function unknown(id: string): never {
  throw new CommandFailed(
    `There is no capture ${id}: it has expired or was deleted, or never existed. "gleaner captures" lists those that are stored.`,
  )
}
