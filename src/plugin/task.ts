/**
 * A task: one kind of data that can be collected from a source. The service derives the route, validation, price and
 * documentation from this declaration.
 *
 * @module
 */
import {
  OptionalKind,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  TypeGuard,
} from '@sinclair/typebox'
import type { Context } from './run/context.ts'
import type { Issue } from './schema/issue.ts'
import { typesOf } from './schema/types.ts'

/**
 * A price in credits: a fixed number, or a price that depends on the input. Of the latter, `/v1/tasks` shows `from` as
 * `credit_cost` and `words` as `pricing`. `of` returns the price of an input, which is charged before the run starts.
 *
 * @example
 * const price: Price<{ pages: number }> = {
 *   from: 2,
 *   words: '2 for each page',
 *   of: ({ pages }) => 2 * pages,
 * }
 * price.of({ pages: 3 }) // => 6
 */
export type Price<Input = never> =
  | number
  | {
      readonly from: number
      readonly words: string
      readonly of: (input: Input) => number
      /** the price of each further block, which `context.charge` charges during the run */
      readonly block?: number
      /**
       * Returns the final price of a succeeded run, from its result without the items. Credits charged above it are
       * refunded. Default: nothing is refunded.
       */
      readonly spent?: (rest: Readonly<Record<string, unknown>>) => number
    }

/**
 * The declaration of a task, for {@link defineTask}.
 *
 * @example
 * const Input = Type.Object({ query: Query() })
 * const Item = Type.Object({ title: Type.String() })
 * const options: TaskOptions<typeof Input, typeof Item, { total: TSchema }> = {
 *   key: 'lamps.search',
 *   path: '/v1/lamps/search',
 *   title: 'Lamp search',
 *   description: 'Lamps by words.',
 *   price: 1,
 *   input: Input,
 *   item: Item,
 *   extra: { total: Nullable(Type.Integer()) },
 *   example: { query: 'desk' },
 *   canary: [{ query: 'floor' }],
 *   async *run(context, { query }) {
 *     yield { title: `A ${query} lamp` }
 *     return { next_cursor: null, total: 1 }
 *   },
 * }
 * defineTask(options).key // => 'lamps.search'
 */
export type TaskOptions<Input extends TObject, Item extends TSchema, Extra extends TProperties> = {
  /** `<source>.<what>`, with more parts where needed */
  readonly key: string
  /** the path of its endpoint; `:name` parts are input fields */
  readonly path: string
  /** more paths of the same task, with the same `:name` parts */
  readonly aliases?: readonly string[]
  readonly title: string
  /** What the task collects, in a sentence or two for people. */
  readonly description: string
  /**
   * What only programs need to know, such as how they read the next page. The API has it after the description, the
   * console's page leaves it out. Default: nothing
   */
  readonly apiNotes?: string
  /**
   * What works for a visitor, and what a login or the operator's credentials add, in a sentence or two for clients.
   * Default: the source shows visitors everything
   */
  readonly access?: string
  readonly price: Price<Static<Input>>
  /** All fields of the input, path parameters included. Unknown fields are rejected. */
  readonly input: Input
  /**
   * Checks that a schema cannot express: rules over several fields, hosts of URLs, days in the past. It is called after
   * the input has passed the schema, and must be pure. As time passes, a valid input may become invalid (a day that has
   * passed), but an invalid one must never become valid.
   *
   * @param input the input as sent, without defaults
   * @param now the time of the call, in milliseconds since 1970
   *
   * @returns the issues; empty for a valid input
   */
  readonly refine?: (input: Partial<Static<Input>>, now: number) => readonly Issue[]
  /**
   * What a run is about, in a few words by which people recognize it: the fields that tell its input from others. It
   * must be pure and must not contain a secret. Only the first 80 characters are kept, in one line. Default: runs have
   * no title unless their callers set one.
   *
   * @param input a valid input as sent, without defaults
   */
  readonly summary?: (input: Partial<Static<Input>>) => string | undefined
  /** One item. A field that the source may not provide is nullable, never optional. */
  readonly item: Item
  /**
   * Fields of the result beside `items` and `next_cursor`. Each must have a `default`, be nullable or be optional: when
   * a run ends early, the field gets its default, otherwise null, otherwise it is omitted.
   */
  readonly extra?: Extra
  /** A valid input. It is checked when the plugin loads. */
  readonly example: Partial<Static<Input>>
  /**
   * Further valid inputs, which the canary runs every day beside the example to learn whether the source still answers
   * as it did. Choose what should live for years and always have items, with a small limit; a day must be relative to
   * today. They are checked when the plugin loads. Default: the example alone
   */
  readonly canary?: readonly Partial<Static<Input>>[]
  readonly needs?: {
    /** whether the task uses `context.page`; default false */
    readonly browser?: boolean
    /**
     * Run with the account's login at the source, which must declare `login`. `true`: without a login the run is not
     * started and the caller is asked to sign in. `'optional'`: without a login the task runs as a visitor;
     * `context.signedIn` tells the two apart. Default: without a login.
     */
    readonly login?: true | 'optional'
    /**
     * `false`, for an optional login: the site shows visitors nothing or next to nothing, so pages say that the task
     * needs a login unless the operator's credentials are set. Default true.
     */
    readonly visitors?: boolean
  }
  readonly limits?: {
    /** time limit of a run, in seconds; default RUN_LIMIT_S */
    readonly run_s?: number
    /** memory limit of the process that runs the task, in MiB; default 512 */
    readonly memory_mb?: number
  }
  /** Report errored and expired runs as failed, for clients that know only `succeeded` and `failed`. Default false. */
  readonly failedOnly?: boolean
  /**
   * Collects the items. Yield each item as soon as it is complete: a run that ends early keeps the items yielded so
   * far. Return `next_cursor` (null or missing when no items remain) and the extra fields.
   *
   * @throws {SourceError} to end the run as failed. Any other error ends it as errored
   */
  readonly run: (
    context: Context,
    input: Static<Input>,
  ) => AsyncGenerator<Static<Item>, Rest<Extra> | undefined, void>
}

/**
 * The return value of a task's `run`: the extra fields of the result, and the cursor of the next page.
 *
 * @example
 * const rest: Rest<{ total: TSchema }> = { next_cursor: '20', total: 46 }
 * rest.next_cursor // => '20'
 */
export type Rest<Extra extends TProperties> = { readonly next_cursor?: string | null } & Static<
  TObject<Extra>
>

/**
 * A declared task, without the types of its input and items.
 *
 * @example
 * const keysOf = (tasks: readonly Task[]): string[] => tasks.map((task) => task.key)
 * keysOf([]) // => []
 */
// biome-ignore lint/suspicious/noExplicitAny: the catalogue holds tasks with all types of input
export type Task = TaskOptions<any, any, any>

/**
 * Declares a task.
 *
 * @returns the same object
 * @throws {TypeError} naming the first fault of the declaration
 * @example
 * const search = defineTask({
 *   key: 'lamps.search',
 *   path: '/v1/lamps/search',
 *   title: 'Lamp search',
 *   description: 'Lamps by words.',
 *   price: 1,
 *   input: Type.Object({ query: Query() }),
 *   item: Type.Object({ title: Type.String() }),
 *   example: { query: 'desk' },
 *   async *run(context, { query }) {
 *     const reply = await context.fetch('/search.json', { query: { q: query } })
 *     for (const hit of listAt(await reply.json(), 'hits')) {
 *       const title = textOrNull(at(hit, 'title'))
 *       if (title === null) throw new SourceChanged('a hit has no title')
 *       yield { title }
 *     }
 *     return undefined
 *   },
 * })
 * search.path // => '/v1/lamps/search'
 */
export function defineTask<
  Input extends TObject,
  Item extends TSchema,
  // biome-ignore lint/complexity/noBannedTypes: a task without extra fields
  Extra extends TProperties = {},
>(options: TaskOptions<Input, Item, Extra>): TaskOptions<Input, Item, Extra> {
  const wrong = taskFault(options)
  if (wrong) throw new TypeError(wrong)
  return options
}

/** The fields of every result, and the field of every input, that are the service's own. */
const OWN_RESULT = ['items', 'next_cursor', 'partial']
const OWN_INPUT = '_run'

/** The first fault of a declaration; undefined when it has none. */
export function taskFault(task: Task): string | undefined {
  const { key, path, aliases = [], input, price, extra = {}, limits = {} } = task
  if (!/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_-]*)+$/.test(key))
    return `task key "${key}" must be lower-case letters, digits and _ in parts joined by dots, such as lamps.search`
  const wrong = shapeFault(task)
  if (wrong) return wrong
  if (!Array.isArray(task.canary ?? [])) return `canary of ${key} must be a list of inputs`
  for (const at of [path, ...aliases]) {
    if (!/^\/v1\/[a-z][a-z0-9_-]*(\/:?[a-z_][A-Za-z0-9_-]*)*$/.test(at))
      return `path "${at}" of ${key} must be /v1/ and a fixed part, followed by fixed parts or :names`
    const strange = pathParams(at).find((name) => !Object.hasOwn(input.properties, name))
    if (strange) return `path "${at}" of ${key} has :${strange}, which is not an input field`
    if (String(pathParams(at).sort()) !== String(pathParams(path).sort()))
      return `alias "${at}" of ${key} must have the parameters of "${path}"`
  }
  const prices = typeof price === 'number' ? [price] : [price.from, price.block ?? 0]
  const unusable = prices.find((each) => !Number.isSafeInteger(each) || each < 0)
  if (unusable !== undefined) return `price of ${key} must be a whole number of credits, not ${unusable}`
  for (const [name, limit] of Object.entries(limits))
    if (limit !== undefined && !(Number.isFinite(limit) && limit > 0))
      return `limits.${name} of ${key} must be above 0, not ${limit}`
  if (Object.hasOwn(input.properties, OWN_INPUT)) return `input field "${OWN_INPUT}" of ${key} is reserved`
  for (const [field, schema] of Object.entries<TSchema>(extra)) {
    if (OWN_RESULT.includes(field)) return `extra field "${field}" of ${key} is reserved`
    if (!TypeGuard.IsSchema(schema)) return `extra field "${field}" of ${key} must be a schema`
    if (schema[OptionalKind] !== 'Optional' && startOf(schema) === undefined)
      return `extra field "${field}" of ${key} must be nullable, optional or have a default: a run may end early`
  }
  return undefined
}

/** The first part of a task that is not of its type, because plugins are not type-checked when they load. */
function shapeFault({
  key,
  title,
  description,
  apiNotes = '',
  access = '',
  input,
  item,
  price,
  summary,
  run,
}: Task): string | undefined {
  for (const [name, text] of Object.entries({ title, description, apiNotes, access }))
    if (typeof text !== 'string') return `${name} of ${key} must be a text`
  if (!TypeGuard.IsObject(input)) return `input of ${key} must be Type.Object({ … })`
  if (!TypeGuard.IsSchema(item)) return `item of ${key} must be a schema, such as Type.Object({ … })`
  if (typeof price === 'object' && typeof price.of !== 'function')
    return `price.of of ${key} must be a function`
  if (summary !== undefined && typeof summary !== 'function') return `summary of ${key} must be a function`
  // An async function without a star returns a promise.
  const isGenerator = typeof run === 'function' && run.constructor.name !== 'AsyncFunction'
  return isGenerator ? undefined : `run of ${key} must be a generator: async *run(context, input) { … }`
}

/** The names of a path's parameters, in order. */
export const pathParams = (path: string): string[] =>
  [...path.matchAll(/:([A-Za-z0-9_]+)/g)].map(([, name]) => name as string)

/** The value of an extra field when a run ends early: its default, else null, else undefined (the field is omitted). */
export function startOf(schema: TSchema): unknown {
  if (schema.default !== undefined) return schema.default
  return typesOf(schema).includes('null') ? null : undefined
}
