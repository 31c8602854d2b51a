/**
 * The endpoints of all tasks of the catalogue, and those that list them.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { health } from '../../../projections/health.ts'
import { KeyedMutex } from '../../async/keyed-mutex.ts'
import type { CatalogueTask, JsonSchema } from '../../catalogue/catalogue.ts'
import { exampleResultOf } from '../../catalogue/example.ts'
import { RunControl } from '../../catalogue/input.ts'
import { type Health, healthOf } from '../../domain/health.ts'
import { unlessAway } from '../../log/away.ts'
import { json } from '../answers.ts'
import type { Deps } from '../deps.ts'
import type { Call, Endpoint, EndpointDoc } from '../endpoint.ts'
import { IDEMPOTENCY_KEY_HEADER } from '../idempotency-key.ts'
import { RUN_CANCELLED, RUN_QUEUED, RUN_SUCCEEDED } from '../openapi/examples.ts'
import { RunSchema, runWithResult, TaskSchema } from '../openapi/schemas.ts'
import { Problem } from '../problems.ts'
import { kickoff, needsBody } from './kickoff.ts'

/** All of them. */
export function taskEndpoints(deps: Deps): Endpoint[] {
  const mutex = new KeyedMutex()
  const calls = deps.catalogue.tasks.flatMap((task) =>
    task.paths.map(
      (path, i): Endpoint => ({
        method: 'POST',
        path,
        access: { kind: 'key', scope: 'runs', operator: false },
        rate: 'kickoff',
        doc: callDoc(task, i),
        handle: (call) => kickoff(deps, mutex, task, call),
      }),
    ),
  )
  return [listTasks(deps), getTask(deps), ...calls]
}

/** A task as clients see it. */
function taskView({ task, ...known }: CatalogueTask, fares: Health): object {
  const [path, ...aliases] = known.paths
  const { price } = task
  return {
    task_key: known.key,
    title: task.title,
    description: task.description,
    path,
    aliases,
    credit_cost: known.creditCost,
    pricing: typeof price === 'number' ? null : price.words,
    requires_login: task.needs?.login === true,
    input_schema: known.inputSchema,
    output_schema: known.outputSchema,
    example: task.example,
    source: known.source.name,
    health: fares,
  }
}

/** Tasks with how each fares, by one look at the read model; while that is away nobody knows. */
async function taskViews(deps: Deps, tasks: readonly CatalogueTask[]): Promise<object[]> {
  const { readModels, now } = deps
  const keys = tasks.map(({ key }) => key)
  const rows = (await unlessAway(readModels.getMany(health, keys))) ?? []
  return tasks.map((task, i) => taskView(task, healthOf(rows[i]?.ends ?? [], now())))
}

const ANY_KEY = { kind: 'key', scope: 'any-key', operator: true } as const

function listTasks(deps: Deps): Endpoint {
  return {
    method: 'GET',
    path: '/v1/tasks',
    access: ANY_KEY,
    rate: 'read',
    doc: {
      id: 'listTasks',
      tag: 'Tasks',
      summary: 'List all tasks',
      description: 'Each with its price, its input and output schema, an example, and how it fares.',
      answers: {
        200: {
          description: 'All tasks, by key.',
          schema: Type.Object({ tasks: Type.Array(TaskSchema) }),
          example: { tasks: examplesOf(deps) },
        },
      },
    },
    handle: async () => json(JSON.stringify({ tasks: await taskViews(deps, deps.catalogue.tasks) })),
  }
}

function getTask(deps: Deps): Endpoint {
  return {
    method: 'GET',
    path: '/v1/tasks/:task_key',
    access: ANY_KEY,
    rate: 'read',
    doc: {
      id: 'getTask',
      tag: 'Tasks',
      summary: 'Get one task',
      answers: {
        200: { description: 'The task.', schema: TaskSchema, ...exampleOf(examplesOf(deps)) },
      },
      problems: ['not-found'],
    },
    handle: async ({ params }: Call) => {
      const task = deps.catalogue.get(params.task_key ?? '')
      if (!task) throw new Problem('not-found')
      const [view] = await taskViews(deps, [task])
      return json(JSON.stringify(view))
    },
  }
}

/** The first task stands for all of them. */
const examplesOf = (deps: Deps): object[] =>
  deps.catalogue.tasks.slice(0, 1).map((task) => taskView(task, 'healthy'))
const exampleOf = ([example]: readonly object[]) => (example ? { example } : {})

function callDoc(task: CatalogueTask, nth: number): EndpointDoc {
  const { key, creditCost, inputSchema } = task
  const { title, description, price, example } = task.task
  const cost =
    typeof price === 'number'
      ? `Costs ${creditCost} ${creditCost === 1 ? 'credit' : 'credits'}.`
      : price.words
  return {
    id: `${key.replaceAll(/[^a-zA-Z0-9]+/g, '_')}${nth === 0 ? '' : `_alias_${nth}`}`,
    tag: task.source.title,
    summary: nth === 0 ? title : `${title} (alias of ${task.paths[0]})`,
    description: `${description}\n\n${cost}`,
    path: pathProperties(inputSchema),
    headers: [IDEMPOTENCY_KEY_HEADER],
    body: {
      schema: bodySchema(inputSchema),
      required: needsBody(task),
      example: bodyOf(example, inputSchema),
    },
    answers: {
      200: {
        description: 'The ended run, whatever its end: `_run.async` was false.',
        schema: runWithResult(`${pascal(key)}Result`, task.outputSchema),
        // Made when the documents are, not at every start.
        get example() {
          const result = exampleResultOf(task.task)
          return result
            ? { ...RUN_SUCCEEDED, task_key: key, credits: { charged: creditCost, refunded: 0 }, result }
            : { ...RUN_CANCELLED, task_key: key }
        },
      },
      202: {
        description: 'The run was admitted. After a sync call: it is not over yet; poll it.',
        schema: RunSchema,
        example: { ...RUN_QUEUED, task_key: key, credits: { charged: creditCost, refunded: 0 } },
      },
    },
    problems: [
      'malformed-json',
      'bad-idempotency-key',
      'insufficient-credits',
      'task-not-allowed',
      'account-suspended',
      'idempotency-in-progress',
      'body-too-large',
      'unsupported-media-type',
      'validation-failed',
      'idempotency-key-reused',
      'shutting-down',
    ],
  }
}

/** `forum.community.hot` as `ForumCommunityHot`. */
const pascal = (key: string): string =>
  key.replaceAll(/(?:^|[^a-z0-9]+)([a-z0-9])/g, (_, first: string) => first.toUpperCase())

type Properties = Readonly<Record<string, JsonSchema>>

const inPath = (schema: JsonSchema): ReadonlySet<string> =>
  new Set(
    Object.entries(schema.properties as Properties)
      .filter(([, property]) => property['x-in'] === 'path')
      .map(([name]) => name),
  )

const pathProperties = (schema: JsonSchema): Properties => {
  const names = inPath(schema)
  return Object.fromEntries(
    Object.entries(schema.properties as Properties).filter(([name]) => names.has(name)),
  )
}

/** The body of a call: the input without what stands in the path, and `_run`. */
function bodySchema(input: JsonSchema): JsonSchema {
  const { $schema: _, required = [], properties, ...rest } = input
  const path = inPath(input)
  const fields = Object.entries(properties as Properties).filter(([name]) => !path.has(name))
  return {
    ...rest,
    required: (required as readonly string[]).filter((name) => !path.has(name)),
    properties: { ...Object.fromEntries(fields), _run: RunControl },
  }
}

function bodyOf(example: Readonly<Record<string, unknown>>, input: JsonSchema): object {
  const path = inPath(input)
  return Object.fromEntries(Object.entries(example).filter(([name]) => !path.has(name)))
}
