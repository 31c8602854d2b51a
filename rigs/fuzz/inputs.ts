/**
 * Inputs of every task: generated from its schema, or mutations of its example. Each is refused with clear issues or
 * accepted. An accepted input is stable when its stored form is sent again, has a price and a title of one short line,
 * and causes no unnamed failure.
 *
 * @module
 */
import type { TSchema } from '@sinclair/typebox'
import { inputValidator, type ValidInput } from '../../src/catalogue/input.ts'
import { inputSummary } from '../../src/catalogue/summary.ts'
import { TryAgain } from '../../src/plugin/errors.ts'
import { runTask } from '../../src/plugin/testing.ts'
import type { Issue, Source, Task } from '../../src/plugin.ts'
import { readSources } from '../../test/sources/evidence.ts'
import { jsonMutated, textMutated } from './mutate.ts'
import type { Random } from './random.ts'
import type { Opened } from './surface.ts'
import { oddNumber, oddText, oddValue } from './values.ts'

type Fields = Record<string, unknown>

const NOW = Date.UTC(2026, 10, 23)

export async function openInputs(): Promise<Opened> {
  const tasks = (await readSources()).flatMap(({ source }) =>
    source.tasks.map((task) => ({ source, task, validate: inputValidator(task) })),
  )
  return { one: (random) => sendOnce(random, random.pick(tasks)) }
}

type Taken = {
  readonly source: Source
  readonly task: Task
  readonly validate: ReturnType<typeof inputValidator>
}

async function sendOnce(random: Random, { source, task, validate }: Taken): Promise<string> {
  const fields = fieldsOf(random, task)
  // Path parameters are text.
  const names = [...task.path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const params = Object.fromEntries(names.map((name) => [name, textOf(fields[name])]))
  // As it is received over HTTP.
  const body = JSON.parse(JSON.stringify(random.chance(0.95) ? without(fields, names) : fields))
  const outcome = validate(body, params, NOW)
  if (!isValidInput(outcome)) return refused(task, outcome)
  const again = validate(without(JSON.parse(outcome.canonical), names), params, NOW)
  if (!isValidInput(again) || again.canonical !== outcome.canonical)
    throw new Error(`${task.key}: ${outcome.canonical} is not accepted again as it is stored`)
  const price =
    typeof task.price === 'number' ? task.price : (task.price.of?.(outcome.input as never) ?? task.price.from)
  if (!Number.isSafeInteger(price) || price < 0)
    throw new Error(`${task.key}: ${outcome.canonical} costs ${price}`)
  const title = inputSummary(task, outcome.sent)
  if (title !== null && ([...title].length > 80 || /\p{Cc}/u.test(title) || !title.isWellFormed()))
    throw new Error(`${task.key}: ${outcome.canonical} has the title ${JSON.stringify(title)}`)
  if (!task.needs?.browser && random.chance(0.3)) await run(source, task, JSON.parse(outcome.canonical))
  return 'accepted'
}

/** A value as a path parameter. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? 'x'))

const isValidInput = (outcome: ValidInput | readonly Issue[]): outcome is ValidInput =>
  !Array.isArray(outcome)

function refused(task: Task, issues: readonly Issue[]): string {
  for (const { pointer, code, detail } of issues)
    if (!/^(\/|$)/.test(pointer) || !/^[a-z-]+$/.test(code) || detail.trim() === '')
      throw new Error(`${task.key}: a malformed issue: ${JSON.stringify({ pointer, code, detail })}`)
  if (issues.length === 0) throw new Error(`${task.key}: refused without an issue`)
  return 'refused'
}

/** @throws when the input makes the task throw an unexpected error, such as one for an invalid URL */
async function run(source: Source, task: Task, input: Fields): Promise<void> {
  const fetch = async () => new Response('{}', { status: 404 })
  try {
    await runTask(task, input, { source, fetch, now: () => NOW })
  } catch (error) {
    if (!(error instanceof TryAgain))
      throw new Error(`${task.key} ${JSON.stringify(input)}: ${(error as Error).message}`, { cause: error })
  }
}

const without = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

function fieldsOf(random: Random, task: Task): Fields {
  const example = task.example as Fields
  const input = random.chance(0.5) ? example : { ...example, ...generated(random, task.input.properties) }
  const mutated = random.chance(0.5) ? input : jsonMutated(random, input)
  const fields =
    typeof mutated === 'object' && mutated !== null && !Array.isArray(mutated) ? (mutated as Fields) : input
  return random.chance(0.05) ? { ...fields, _run: oddValue(random) } : fields
}

const generated = (random: Random, properties: Readonly<Record<string, TSchema>>): Fields =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(() => random.chance(0.3))
      .map(([name, schema]) => [name, sampleOf(random, schema)]),
  )

/** A value mostly within or at the bounds of the schema. */
function sampleOf(random: Random, schema: TSchema): unknown {
  const { anyOf, const: fixed, type, default: usual, examples = [] } = schema
  if (random.chance(0.05)) return oddValue(random)
  if (anyOf) return sampleOf(random, random.pick(anyOf as TSchema[]))
  if (fixed !== undefined) return fixed
  if (examples.length > 0 && random.chance(0.3)) return random.pick(examples)
  if (usual !== undefined && random.chance(0.1)) return usual
  if (type === 'integer' || type === 'number') {
    const { minimum = -10, maximum = 1000 } = schema
    return random.pick([minimum, maximum, minimum + random.below(maximum - minimum + 1), oddNumber(random)])
  }
  if (type === 'boolean') return random.chance(0.5)
  if (type === 'array') return Array.from({ length: random.below(4) }, () => sampleOf(random, schema.items))
  if (type === 'object') return generated(random, schema.properties ?? {})
  return random.chance(0.5) ? oddText(random) : textMutated(random, String(examples[0] ?? 'otter'))
}
