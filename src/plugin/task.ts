/**
 * A task: one thing that can be collected from a source. All that the service knows of it (route, validation, price,
 * documentation) comes from this declaration.
 *
 * @module
 */
import type { Static, TObject, TProperties } from '@sinclair/typebox'
import type { Context } from './context.ts'

/** What is wrong with one field of an input: `pointer` is a JSON pointer like `/url`. */
export type Issue = { readonly pointer: string; readonly code: string; readonly detail: string }

/**
 * A price in credits: a number, or one that depends on the input.
 * `from` is what `/v1/tasks` shows as `credit_cost`, `words` how the rest is explained there.
 */
export type Price<Input = never> =
  | number
  | { readonly from: number; readonly words: string; readonly of: (input: Input) => number }

export type TaskOptions<Input extends TObject, Item extends TObject, Extra extends TProperties> = {
  /** `<source>.<what>`, with more parts where needed */
  readonly key: string
  /** the path of its endpoint; `:name` parts are input fields */
  readonly path: string
  readonly aliases?: readonly string[]
  readonly title: string
  readonly description: string
  readonly price: Price<Static<Input>>
  /** All fields of the input, path parameters included. Unknown fields are refused. */
  readonly input: Input
  /** What a schema can't say: rules over several fields, addresses and their hosts. Pure. */
  readonly refine?: (input: Static<Input>) => readonly Issue[]
  /** One item. Fields that the source may lack are `null`, never missing. */
  readonly item: Item
  /** Fields of the result beside `items` and `next_cursor`; they must allow for a partial result. */
  readonly extra?: Extra
  /** An input that works. */
  readonly example: Static<Input>
  readonly needs?: { readonly browser?: boolean; readonly login?: boolean }
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

/** What a task returns when it is done. */
export type Rest<Extra extends TProperties> = { readonly next_cursor?: string | null } & Static<
  TObject<Extra>
>

/** A declared task, without the types of its input and items. */
// biome-ignore lint/suspicious/noExplicitAny: tasks of all inputs lie in one catalogue
export type Task = TaskOptions<any, any, any>

/**
 * Declares a task.
 *
 * @throws TypeError naming what is wrong with the declaration
 */
export function defineTask<Input extends TObject, Item extends TObject, Extra extends TProperties>(
  options: TaskOptions<Input, Item, Extra>,
): TaskOptions<Input, Item, Extra> {
  const { key, path, input } = options
  if (!/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_-]*)+$/.test(key)) throw new TypeError(`task key "${key}"`)
  for (const at of [path, ...(options.aliases ?? [])]) {
    if (!/^\/v1(\/:?[a-z_][a-z0-9_-]*)+$/.test(at)) throw new TypeError(`path "${at}" of ${key}`)
    for (const [, name] of at.matchAll(/:([a-z0-9_]+)/g)) {
      if (!name || !(name in input.properties))
        throw new TypeError(`path "${at}" of ${key}: no input field "${name}"`)
    }
  }
  return options
}
