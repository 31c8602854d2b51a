/**
 * The endpoints of all tasks in the catalogue, and the endpoints that list tasks.
 *
 * @module
 */
import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import { RunControl } from '../../catalogue/input.ts'
import { priceInWords } from '../../catalogue/price-text.ts'
import { sampleOf } from '../../catalogue/sample.ts'
import type { JsonSchema } from '../../catalogue/schema.ts'
import { standingsUnlessAway } from '../../health/standings.ts'
import { RunSchema } from '../../runs/run-schema.ts'
import { Count, Nullable, Text, Time } from '../../schema.ts'
import { answer } from '../answers.ts'
import type { Deps } from '../deps.ts'
import { type Endpoint, reply } from '../endpoint.ts'
import { pascal } from '../openapi/components.ts'
import { RUN_CANCELLED, RUN_QUEUED, RUN_SUCCEEDED } from '../openapi/schemas.ts'
import { existing } from '../problems.ts'
import { kickoff, readInput } from './kickoff.ts'
import { HEALTH_FIELDS, healthView, type Stood, taskHealthEndpoint, taskRoute } from './task-health.ts'

const TaskSchema = Type.Object(
  {
    task_key: Type.String(),
    title: Type.String(),
    description: Type.String(),
    path: Text('POST here to start a run.'),
    aliases: Type.Array(Type.String(), { description: 'Other paths of the same task.' }),
    credit_cost: Count('The minimum price of a run, in credits.'),
    pricing: Nullable(Type.String(), {
      description: 'How the price depends on the input; null if it does not.',
    }),
    requires_login: Type.Boolean({ description: 'Whether the account needs a login at the source.' }),
    access: Nullable(Type.String(), {
      description:
        'What works for a visitor, and what a login or the credentials of the operator add; null if nothing does.',
    }),
    input_schema: Type.Unsafe<object>({
      type: 'object',
      description:
        'JSON Schema 2020-12 of the input: fields of the body, and of the path if they have `"x-in": "path"`.',
    }),
    output_schema: Type.Unsafe<object>({ type: 'object', description: 'JSON Schema 2020-12 of `result`.' }),
    example: Type.Unsafe<object>({
      type: 'object',
      description: 'An input that works. Its path fields replace the `:name` parts of `path`.',
    }),
    source: Text('The source that the task reads.'),
    ...HEALTH_FIELDS,
  },
  { $id: 'Task', description: 'One thing that can be collected from a source.' },
)

const HEALTHY = { health: 'healthy', since: '2026-11-21T10:00:00.000Z', drift: [] } as const

/** All task endpoints. */
export function taskEndpoints(deps: Deps): Endpoint[] {
  // The first task is the example in the documentation.
  const [example] = deps.catalogue.tasks.slice(0, 1).map((task) => taskView(task, HEALTHY))
  return [
    taskRoute('GET', '/v1/tasks', {
      id: 'listTasks',
      summary: 'List all tasks',
      description: 'Each with its price, its input and output schema, an example, and its health.',
      answers: {
        200: reply('All tasks, by key.', Type.Object({ tasks: Type.Array(TaskSchema) }), {
          tasks: example ? [example] : [],
        }),
      },
      handle: async () => answer({ tasks: await taskViews(deps, deps.catalogue.tasks) }),
    }),
    taskRoute('GET', '/v1/tasks/:task_key', {
      id: 'getTask',
      summary: 'Get a task',
      answers: { 200: reply('The task.', TaskSchema, example) },
      handle: async ({ params }) => {
        const [view] = await taskViews(deps, [existing(deps.catalogue.get(params.task_key ?? ''))])
        return answer(view!)
      },
    }),
    taskHealthEndpoint(deps),
    ...deps.catalogue.tasks.flatMap((task) => task.paths.map((path, i) => runTask(deps, task, path, i))),
  ]
}

/** A task as clients see it. */
function taskView({ declaration: task, ...known }: CatalogueTask, standing: Stood): object {
  const [path, ...aliases] = known.paths
  const { price } = task
  return {
    task_key: known.key,
    title: task.title,
    description: known.apiDescription,
    path,
    aliases,
    credit_cost: known.creditCost,
    pricing: typeof price === 'number' ? null : price.words,
    requires_login: task.needs?.login === true,
    access: task.access ?? null,
    input_schema: known.inputSchema,
    output_schema: known.outputSchema,
    example: task.example,
    source: known.source.name,
    ...healthView(standing),
  }
}

async function taskViews(deps: Deps, tasks: readonly CatalogueTask[]): Promise<object[]> {
  const standings = await standingsUnlessAway(deps, tasks)
  return standings.map((standing) => taskView(standing.task, standing))
}

/** The id of a task's operation in /openapi.json, and of its section in /docs. */
export const operationOf = (key: string): string => key.replaceAll(/[^a-zA-Z0-9]+/g, '_')

/** @param nth index of the path among the task's paths */
function runTask(deps: Deps, task: CatalogueTask, path: string, nth: number): Endpoint {
  const { key, creditCost, inputSchema, apiDescription } = task
  const { title, price, needs } = task.declaration
  const cost = typeof price === 'number' ? `Costs ${priceInWords(task)}.` : price.words
  const ofTask = { task_key: key, title: task.summary(task.declaration.example) }
  return {
    method: 'POST',
    path,
    access: { kind: 'key', scope: 'runs', operator: false },
    rate: 'kickoff',
    id: `${operationOf(key)}${nth === 0 ? '' : `_alias_${nth}`}`,
    taskKey: key,
    tag: task.source.title,
    summary: nth === 0 ? title : `${title} (alias of ${task.paths[0]})`,
    description: `${apiDescription}\n\n${cost}`,
    idempotent: true,
    params: inputSchema.properties as Properties,
    body: bodySchema(task),
    check: (call) => readInput(task, call, deps.now()),
    answers: {
      200: {
        description: 'The ended run, whatever its status: `_run.async` was false.',
        content: { 'application/json': runWithResult(`${pascal(key)}Result`, task.outputSchema) },
        // Generated with the documents, not at every start.
        get example() {
          const result = sampleOf(task)
          return result
            ? { ...RUN_SUCCEEDED, ...ofTask, credits: { charged: creditCost, refunded: 0 }, result }
            : { ...RUN_CANCELLED, ...ofTask, credits: { charged: creditCost, refunded: creditCost } }
        },
      },
      202: reply('The run was admitted. After a sync call: it has not ended yet; poll it.', RunSchema, {
        ...RUN_QUEUED,
        ...ofTask,
        credits: { charged: creditCost, refunded: 0 },
      }),
    },
    problems: [
      'insufficient-credits',
      'task-not-allowed',
      'account-suspended',
      'idempotency-in-progress',
      ...(needs?.login === true ? (['login-required'] as const) : []),
    ],
    handle: (call) => kickoff(deps, task, call),
  }
}

/**
 * The schema of a run of one task, with the result that the task's output schema describes.
 *
 * @param name component name of the result
 */
const runWithResult = (name: string, outputSchema: object): TSchema =>
  Type.Unsafe({
    allOf: [
      RunSchema,
      Type.Object({
        result: Type.Union([
          Type.Unsafe({ ...outputSchema, $id: name }),
          Type.Object({ expired_at: Time('When the result was deleted.') }, { additionalProperties: false }),
          Type.Null(),
        ]),
      }),
    ],
  })

type Properties = Readonly<Record<string, JsonSchema>>

/** The body of a call: the input without the fields of the path, and `_run`. */
function bodySchema({ declaration: task, inputSchema }: CatalogueTask): TObject {
  const { $schema: _, required = [], properties, ...rest } = inputSchema
  const fields = properties as Properties
  const isInBody = (name: string) => fields[name]?.['x-in'] !== 'path'
  const inBody = <T>(values: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => isInBody(name)))
  return Type.Unsafe({
    ...rest,
    required: (required as readonly string[]).filter(isInBody),
    properties: { ...inBody(fields), _run: RunControl },
    examples: [inBody<unknown>(task.example)],
  }) as TSchema as TObject
}
