/**
 * Tools for tasks: finding tasks, describing one, and the tools that each run a single task.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import { priceInWords } from '../catalogue/price-text.ts'
import { type JsonSchema, plain } from '../catalogue/schema.ts'
import { type AccountState, allowsTask } from '../domain/account.ts'
import { standingsUnlessAway } from '../health/standings.ts'
import { healthWords } from '../health/words.ts'
import { checked } from '../http/input.ts'
import { start, taskOf } from './runs.ts'
import { bytesOf, DEFAULT_BYTES, hasNoItems, result, shownCall, type Tool } from './tool.ts'

const FindTasks = Type.Object({
  query: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Words that describe the source or its data. Without it, all tasks are listed.',
    }),
  ),
})
const DescribeTask = Type.Object({ task_key: Type.String({ maxLength: 200 }) })

export const findTasks: Tool = {
  name: 'find_tasks',
  description: 'Lists what can be collected: key, title, price and health of each task.',
  inputSchema: FindTasks,
  annotations: { readOnlyHint: true },
  async call({ deps, key, args }) {
    const { query = '' } = checked(FindTasks, args)
    const tasks = matching(deps.catalogue.tasks, query)
    if (tasks.length === 0) return result('No task has these words. find_tasks {} lists all tasks.')
    const [account, standings] = await Promise.all([
      deps.accounts.state(key.accountId),
      standingsUnlessAway(deps, tasks),
    ])
    const lines = standings.map(({ task, ...standing }) => {
      const login = task.declaration.needs?.login === true ? ', needs a login' : ''
      const closed = mayRun(account, task) ? '' : ', not allowed for this account'
      return `${task.key}: ${task.source.title}, ${task.declaration.title}; ${priceInWords(task)}; ${healthWords(standing)}${login}${closed}`
    })
    const shown = firstFitting(lines)
    const left = lines.length - shown.length
    const rest = left > 0 ? `\n${left} more: narrow the list down with a query.` : ''
    return result(
      `${shown.join('\n')}${rest}\nNext: ${shownCall('describe_task', { task_key: tasks[0]!.key })}`,
    )
  },
}

export const describeTask: Tool = {
  name: 'describe_task',
  description: "Shows a task's input, the fields of its items, its price and an example.",
  inputSchema: DescribeTask,
  annotations: { readOnlyHint: true },
  async call(call) {
    const task = taskOf(call, checked(DescribeTask, call.args).task_key)
    const [standing] = await standingsUnlessAway(call.deps, [task])
    const { title, access, example, needs } = task.declaration
    const input = inputOf(task)
    const head = [
      `${task.key}: ${task.source.title}, ${title}`,
      task.apiDescription,
      `Price: ${priceInWords(task)}. Health: ${healthWords(standing!)}.${needs?.login === true ? ' Needs a login at the source.' : ''}${access === undefined ? '' : ` ${access}`}`,
    ]
    const fields = `Fields of an item: ${task.columns.join(', ') || 'none'}`
    const items = hasNoItems(task)
      ? `Result: ${JSON.stringify(bare(task.outputSchema))}`
      : `Item: ${JSON.stringify(bare(itemOf(task)))}`
    const next = `Example: ${shownCall('run_task', { task_key: task.key, input: example })}`
    const whole = `Full description: GET /v1/tasks/${task.key}`
    const versions = [
      [...head, `Input: ${JSON.stringify(input)}`, items, next],
      [...head, `Input: ${JSON.stringify(input)}`, fields, next],
      [...head, `Input, without descriptions: ${JSON.stringify(bare(input))}`, fields, next, whole],
      [...head, `Fields of the input: ${Object.keys(input.properties ?? {}).join(', ')}`, fields, whole],
    ].map((lines) => lines.join('\n'))
    return result(
      versions.find((text) => bytesOf(text) <= DEFAULT_BYTES) ?? firstFitting(head.concat(whole)).join('\n'),
    )
  },
}

/**
 * Creates a tool for each task that matches the patterns and that the account may run.
 *
 * @param patterns keys, or key prefixes that end in `*`, separated by commas
 */
export function taskTools(tasks: readonly CatalogueTask[], account: AccountState, patterns: string): Tool[] {
  const wanted = patterns.split(',').map((pattern) => pattern.trim())
  const isWanted = ({ key }: CatalogueTask) =>
    wanted.some((pattern) => (pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern))
  return tasks.filter((task) => isWanted(task) && mayRun(account, task)).map(taskTool)
}

const taskTool = (task: CatalogueTask): Tool => ({
  name: task.key.replaceAll(/[^a-zA-Z0-9]+/g, '_'),
  description: `${task.source.title}: ${task.apiDescription} Costs ${priceInWords(task)}. Same as run_task with "${task.key}".`,
  inputSchema: inputOf(task),
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  startsRun: true,
  call: (call) => start(call, task, call.args, ''),
})

const mayRun = (account: AccountState, { key }: CatalogueTask): boolean => allowsTask(account.tasks, key)

/** The tasks that match the most words of a query. */
function matching(tasks: readonly CatalogueTask[], query: string): readonly CatalogueTask[] {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  const textOf = ({ key, declaration: task, source }: CatalogueTask) =>
    `${key} ${task.title} ${task.description} ${source.title}`.toLowerCase()
  const hits = tasks.map((task) => words.filter((word) => textOf(task).includes(word)).length)
  const best = Math.max(0, ...hits)
  if (words.length > 0 && best === 0) return []
  return tasks.filter((_, i) => hits[i] === best)
}

/** The leading lines that fit into a default answer. */
function firstFitting(lines: readonly string[]): string[] {
  const room = DEFAULT_BYTES - 400
  let bytes = 0
  return lines.filter((line) => {
    bytes += bytesOf(line) + 1
    return bytes <= room
  })
}

/** A task's input schema, without the keywords that only documents need. */
function inputOf({ inputSchema }: CatalogueTask): JsonSchema {
  // Gleaner's own keywords are removed too: no model knows them.
  const { title: _, ...rest } = plain(inputSchema, () => undefined)
  return rest
}

/** The schema of an item. */
const itemOf = ({ outputSchema }: CatalogueTask): JsonSchema =>
  (outputSchema.properties as { readonly items: { readonly items: JsonSchema } }).items.items

const WORDS = ['description', 'examples', 'title', 'pattern', 'additionalProperties', 'required']

/** A schema without descriptive keywords, at all levels. */
const bare = (schema: object): JsonSchema =>
  Object.fromEntries(Object.entries(plain(schema, bare)).filter(([keyword]) => !WORDS.includes(keyword)))
