/**
 * A task: one thing that can be collected from a source. All that the service knows of it (route, validation, price,
 * documentation) comes from this declaration.
 *
 * @module
 */
import { OptionalKind, type Static, type TObject, type TProperties, type TSchema } from '@sinclair/typebox'
import type { Context } from './run/context.ts'
import type { Issue } from './schema/issue.ts'
import { typesOf } from './schema/types.ts'

/**
 * A price in credits: a number, or one that depends on the input.
 * `from` is what `/v1/tasks` shows as `credit_cost`, `words` how the rest is explained there.
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
      /** credits for each further block, which `context.charge` takes while the run goes on */
      readonly block?: number
      /** what a succeeded run costs by its result: what was charged above it comes back. Default: all of it is kept */
      readonly spent?: (rest: Readonly<Record<string, unknown>>) => number
    }

/**
 * What a task is made of.
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
  readonly description: string
  readonly price: Price<Static<Input>>
  /** All fields of the input, path parameters included. Unknown fields are refused. */
  readonly input: Input
  /**
   * What a schema can't say: rules over several fields, addresses and their hosts, days that have passed. Pure. It gets
   * the input as it was sent, without defaults, once that is as the schema says, and the time of the call in
   * milliseconds since 1970. What it allows may be refused later on (a day that has passed), never the other way.
   */
  readonly refine?: (sent: Partial<Static<Input>>, now: number) => readonly Issue[]
  /** One item. Fields that the source may lack are `null`, never missing. */
  readonly item: Item
  /**
   * Fields of the result beside `items` and `next_cursor`. A run that ends early has them too: with their `default`,
   * else as null, else, when they are optional, not at all. Each must allow one of these.
   */
  readonly extra?: Extra
  /** An input that works. */
  readonly example: Partial<Static<Input>>
  readonly needs?: {
    /** it uses `context.page` */
    readonly browser?: boolean
    /**
     * It runs with the account's login at the source, which the source declares. True: without one it is not started,
     * and the caller is asked to sign in. `'optional'`: without one it runs as a visitor; `context.signedIn` says which.
     */
    readonly login?: true | 'optional'
  }
  readonly limits?: {
    /** seconds; default RUN_LIMIT_S */
    readonly run_s?: number
    /** memory of the process that runs it, in MiB; default 512 */
    readonly memory_mb?: number
  }
  /** Its clients know only `succeeded` and `failed`: every other end is told as failed. Default false. */
  readonly failedOnly?: boolean
  /**
   * Collects. Yield items as they come, so that a run that ends early keeps them; what is returned completes the
   * result (`next_cursor`: null or missing at the end).
   */
  readonly run: (
    context: Context,
    input: Static<Input>,
  ) => AsyncGenerator<Static<Item>, Rest<Extra> | undefined, void>
}

/**
 * What a task returns when it is done: the extra fields of its result, and where the next answer begins.
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
// biome-ignore lint/suspicious/noExplicitAny: tasks of all inputs lie in one catalogue
export type Task = TaskOptions<any, any, any>

/**
 * Declares a task.
 *
 * @throws {TypeError} naming what is wrong with the declaration
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
  const wrong = faultOf(options)
  if (wrong) throw new TypeError(wrong)
  return options
}

function faultOf({ key, path, aliases = [], input, price, extra = {} }: Task): string | undefined {
  if (!/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_-]*)+$/.test(key))
    return `task key "${key}" must be lower-case letters, digits and _ in parts joined by dots, such as lamps.search`
  for (const at of [path, ...aliases]) {
    if (!/^\/v1\/[a-z][a-z0-9_-]*(\/:?[a-z_][A-Za-z0-9_-]*)*$/.test(at))
      return `path "${at}" of ${key} must be /v1/ and a fixed part, followed by fixed parts or :names`
    const strange = pathParams(at).find((name) => !Object.hasOwn(input.properties, name))
    if (strange) return `path "${at}" of ${key} has :${strange}, which is not an input field`
    if (String(pathParams(at).sort()) !== String(pathParams(path).sort()))
      return `alias "${at}" of ${key} must have the parameters of "${path}"`
  }
  const least = typeof price === 'number' ? price : price.from
  if (!Number.isSafeInteger(least) || least < 0)
    return `price of ${key} must be a whole number of credits, not ${least}`
  for (const [field, schema] of Object.entries<TSchema>(extra)) {
    if (schema[OptionalKind] !== 'Optional' && startOf(schema) === undefined)
      return `extra field "${field}" of ${key} must be nullable, optional or have a default: a run may end early`
  }
  return undefined
}

/** The names of a path's parameters, in their order. */
export const pathParams = (path: string): string[] =>
  [...path.matchAll(/:([A-Za-z0-9_]+)/g)].map(([, name]) => name as string)

/** The value of an extra field when a run ends early: its default, else null; undefined when it allows neither. */
export function startOf(schema: TSchema): unknown {
  if (schema.default !== undefined) return schema.default
  return typesOf(schema).includes('null') ? null : undefined
}
