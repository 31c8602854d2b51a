/**
 * How endpoints are declared: as data. Routing, authentication, rate limits, validation, the `Allow` of a 405 and the
 * OpenAPI document all come from one list of them.
 *
 * @module
 */
import { type SchemaOptions, type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { Scope } from '../domain/key.ts'
import type { RateClass } from '../ephemeral/ephemeral-store.ts'
import type { KeyPrincipal, Principal } from '../keys/principal.ts'
import type { Cause } from '../log/execute.ts'
import { NextCursor } from './openapi/schemas.ts'
import type { ProblemCode } from './problems.ts'
import type { Timed } from './time-limit.ts'

/** Parameters of a query by name, each an integer or a string. All of them are optional. */
export type Fields = { readonly [name: string]: TSchema }

/** One request that has passed authentication, scope, rate limit and validation. */
export type Call<Q extends Fields = Fields, B extends TObject = TObject> = {
  readonly request: Request
  readonly requestId: string
  /** how long it may take, and what of it does not count */
  readonly time: Timed
  readonly params: Readonly<Record<string, string>>
  readonly principal: Principal
  /**
   * The principal of an endpoint that the operator's key does not open.
   *
   * @throws when it is the operator
   */
  readonly key: KeyPrincipal
  readonly query: { readonly [Name in keyof Q]?: Static<Q[Name]> }
  /** The body as the endpoint declares it; an absent one is an empty object. */
  readonly input: Static<B>
  /**
   * The value of Idempotency-Key; undefined without one.
   *
   * @throws {Problem} 400 when it is empty, too long or not printable
   */
  readonly idempotencyKey: string | undefined
  /** what led to the events that the call writes */
  readonly cause: Omit<Cause, 'accountId'>
  /**
   * Counts the call, for an endpoint that declares `countsItself`.
   *
   * @throws {Problem} 429 over the limit; 503 for a kickoff while the process shuts down
   */
  count(kind: RateClass): Promise<void>
  /**
   * The body as a JSON object, for an endpoint that checks it itself; an absent one is `undefined`.
   *
   * @throws {Problem} 400, 413, 415
   */
  body(): Promise<Record<string, unknown> | undefined>
}

/** Who may call: `public` needs no key; a scope needs a key that has it; `any-key` takes any valid key. */
export type Access =
  | { readonly kind: 'public' }
  | { readonly kind: 'key'; readonly scope: Scope | 'any-key'; readonly operator: boolean }
  | { readonly kind: 'operator' }

/** What an endpoint answers with one status, for the documentation. */
export type Reply = {
  readonly description: string
  /** schemas by content type */
  readonly content?: { readonly [contentType: string]: object }
  /** of the JSON content; made from its schema by default */
  readonly example?: unknown
}

/** A JSON answer. */
export const reply = (description: string, schema: object, example?: unknown): Reply => ({
  description,
  content: { 'application/json': schema },
  example,
})

/** One of these texts, in a query or a body. */
export const among = <const T extends string>(values: readonly T[], options: SchemaOptions = {}) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  )

/** A page of a list. @param name of its entries */
export const pageOf = (name: string, entry: TSchema) =>
  reply(`A page of ${name}.`, Type.Object({ [name]: Type.Array(entry), next_cursor: NextCursor }))

/** What the endpoints of a group may have in common. */
type Common = {
  readonly access: Access
  /** the bucket that a call is counted in; null: not limited */
  readonly rate: RateClass | null
  readonly tag: string
  /** of the path's parameters, by name; a string where nothing is said */
  readonly params?: { readonly [name: string]: object }
  /** whether it takes an Idempotency-Key */
  readonly idempotent?: boolean
  /** codes of problems beside those that follow from the rest of the declaration; see `problemCodes` */
  readonly problems?: readonly ProblemCode[]
}

/** What an endpoint has for itself, with types for the query and the body that its handler gets. */
type Own<Q extends Fields, B extends TObject> = {
  /** its operation id in the OpenAPI document */
  readonly id: string
  /** the key of the task that a call runs, for generators of clients: `x-task-key` in the OpenAPI document */
  readonly taskKey?: string
  readonly summary: string
  readonly description?: string
  /** what is sent is checked against it before the handler is called */
  readonly query?: Q
  /** of headers, by name */
  readonly headers?: { readonly [name: string]: object }
  /** what is sent is checked against it before the handler is called, unless `checksBody` is set */
  readonly body?: B
  /** The handler reads the query itself, and takes any. */
  readonly checksQuery?: boolean
  /** The handler reads and checks the body itself. */
  readonly checksBody?: boolean
  /** The handler calls `count` itself, once it knows from the body what the call is. */
  readonly countsItself?: boolean
  readonly answers: { readonly [status: number]: Reply }
  handle(call: Call<Q, B>): Response | Promise<Response>
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** An endpoint among others. */
// biome-ignore lint/suspicious/noExplicitAny: each handler has types of its own, which the pipeline does not know
export type Endpoint = Common & Own<any, any> & { readonly method: Method; readonly path: string }

/**
 * Declares endpoints that have much in common. The types of a handler's call follow from the schemas of its endpoint.
 *
 * @returns how to declare one of them, by its method and its path with `:name` parameters; what it says itself comes first
 */
export const group =
  (common: Common) =>
  <Q extends Fields, B extends TObject>(
    method: Method,
    path: string,
    own: Own<Q, B> & Partial<Common>,
  ): Endpoint => ({ ...common, method, path, ...own })
