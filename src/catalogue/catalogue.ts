/**
 * All tasks of all plugins, ready to be routed, validated, priced and documented.
 *
 * @module
 */
import type { Issue, Source, Task } from '../plugin.ts'

/** A JSON Schema 2020-12 document. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** What the body of a task call turned out to be. */
export type ValidInput = {
  /** for the plugin: the input as sent, path parameters included, without `_run`, with the schema's defaults */
  readonly input: Readonly<Record<string, unknown>>
  /** the same as sent, without defaults, as JSON with sorted keys: the fingerprint is made of it, and it is stored */
  readonly canonical: string
  /** `_run.async` was false */
  readonly sync: boolean
}

export interface CatalogueTask {
  readonly key: string
  readonly source: Source
  readonly task: Task
  /** the plugin's `source.ts` as a file URL: what a child process loads */
  readonly module: string
  /** path and aliases, with `:name` parameters */
  readonly paths: readonly string[]
  /** what `credit_cost` shows */
  readonly creditCost: number
  /** seconds; the task's own or RUN_LIMIT_S */
  readonly runLimitS: number
  readonly inputSchema: JsonSchema
  /** of `result`; the items stand at `properties.items.items` */
  readonly outputSchema: JsonSchema
  /** The columns of an item in the order of its schema. */
  readonly columns: readonly string[]
  /**
   * Checks a parsed JSON body with the path's parameters.
   *
   * @param now when it was sent, milliseconds since 1970
   * @returns the input, or every issue: `pointer`, `code` and `detail`; an unknown field with the nearest known name
   */
  validate(
    body: Readonly<Record<string, unknown>>,
    params: Readonly<Record<string, string>>,
    now: number,
  ): ValidInput | readonly Issue[]
  /** The price of a valid input in credits. */
  price(input: Readonly<Record<string, unknown>>): number
}

/** A plugin that could not be loaded, and why; the rest start without it. */
export type PluginFailure = { readonly folder: string; readonly reason: string }

export interface Catalogue {
  readonly tasks: readonly CatalogueTask[]
  readonly failures: readonly PluginFailure[]
  get(key: string): CatalogueTask | undefined
  /** A source of the tasks by its name. */
  source(name: string): Source | undefined
}
