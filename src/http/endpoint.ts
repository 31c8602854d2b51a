/**
 * Endpoint declarations. Endpoints are declared as data. Routing, authentication, rate limits, validation, the `Allow`
 * header of a 405 and the OpenAPI document are all derived from one list of declarations.
 *
 * @module
 */
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { AccountId } from '../domain/ids.ts'
import type { Role, Scope } from '../domain/roles.ts'
import type { RateClass } from '../ephemeral/ephemeral-store.ts'
import type { KeyPrincipal, Principal } from '../keys/principal.ts'
import type { Cause } from '../log/execute.ts'
import type { HeaderName } from './openapi/headers.ts'
import { NextCursor } from './openapi/schemas.ts'
import type { Problem, ProblemCode } from './problems.ts'
import type { Timed } from './time-limit.ts'

/** Query parameters by name, each an integer or a string. All are optional. */
export type Fields = { readonly [name: string]: TSchema }

/** A request that has passed authentication, scope, rate limit and validation. */
export type Call<Q extends Fields = Fields, B extends TObject = TObject> = {
  readonly request: Request
  readonly requestId: string
  /** the time limit of the request */
  readonly time: Timed
  readonly params: Readonly<Record<string, string>>
  readonly principal: Principal
  /**
   * The principal of an endpoint that the operator's key cannot call.
   *
   * @throws if the principal is the operator
   */
  readonly key: KeyPrincipal
  readonly query: { readonly [Name in keyof Q]?: Static<Q[Name]> }
  /** The body as the endpoint declares it, an empty object if the request has no body; or what its `check` returned. */
  readonly input: Static<B>
  /**
   * The value of Idempotency-Key; undefined if the header is absent.
   *
   * @throws {Problem} 400 if the key is empty, too long or not printable
   */
  readonly idempotencyKey: string | undefined
  /** the cause of the events that the call writes */
  readonly cause: Omit<Cause, 'accountId'>
  /**
   * Counts the call, for a {@link rawEndpoint}.
   *
   * @param owner by default the account of the key, or the operator
   * @throws {Problem} 429 if the rate limit is exceeded; 503 for a kickoff while the process shuts down
   */
  count(kind: RateClass, owner?: AccountId): Promise<void>
  /** Why the person who created the key may not do what requires a role; undefined when they may, or nobody did. */
  roleRefusal(least: Role): Problem | undefined
  /**
   * The body as a JSON object, for a `check` and for a {@link rawEndpoint}; undefined if the request has no body.
   *
   * @throws {Problem} 400, 413, 415
   */
  body(): Promise<Record<string, unknown> | undefined>
}

/** Who may call: `public` needs no key, a scope needs a key with that scope, `any-key` accepts any valid key. */
export type Access =
  | { readonly kind: 'public' }
  | { readonly kind: 'key'; readonly scope: Scope | 'any-key'; readonly operator: boolean }
  | { readonly kind: 'operator' }

/** Documents an endpoint's response with one status. */
export type Reply = {
  readonly description: string
  /** schemas by content type */
  readonly content?: { readonly [contentType: string]: object }
  /** example of the JSON content; generated from its schema by default */
  readonly example?: unknown
  /** headers in addition to those that follow from the endpoint and the status */
  readonly headers?: readonly HeaderName[]
}

/** A JSON response. */
export const reply = (description: string, schema: object, example?: unknown): Reply => ({
  description,
  content: { 'application/json': schema },
  example,
})

/** A page of a list. @param name the field that holds the entries */
export const pageOf = (name: string, entry: TSchema) =>
  reply(`A page of ${name}.`, Type.Object({ [name]: Type.Array(entry), next_cursor: NextCursor }))

/** The settings that the endpoints of a group can share. */
type Common = {
  readonly access: Access
  /** the rate limit bucket that calls count against; null: not limited */
  readonly rate: RateClass | null
  readonly tag: string
  /** schemas of path parameters by name; default: a string */
  readonly params?: { readonly [name: string]: object }
  /** whether the endpoint accepts an Idempotency-Key */
  readonly idempotent?: boolean
  /** problem codes in addition to those that follow from the rest of the declaration; see `problemCodes` */
  readonly problems?: readonly ProblemCode[]
}

/** The settings of a single endpoint, with types for its handler's query and body. */
type Own<Q extends Fields, B extends TObject> = {
  /** operation id in the OpenAPI document */
  readonly id: string
  /** the key of the task that a call runs, for client generators: `x-task-key` in the OpenAPI document */
  readonly taskKey?: string
  readonly summary: string
  readonly description?: string
  /** schema of the query, which is validated before the handler is called */
  readonly query?: Q
  /** schemas of headers by name */
  readonly headers?: { readonly [name: string]: object }
  /** schema of the body, which is validated before the handler is called */
  readonly body?: B
  /**
   * Checks the body in place of its schema, for rules that a schema can't express.
   *
   * @returns the `input` of the handler's call
   * @throws {Problem}
   */
  readonly check?: (call: Pick<Call, 'body' | 'params'>) => object | Promise<object>
  /** the least role of a person whose keys may call; by default, see `leastRoleOf` */
  readonly leastRole?: Role
  readonly answers: { readonly [status: number]: Reply }
  handle(call: Call<Q, B>): Response | Promise<Response>
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

type Route = {
  readonly method: Method
  readonly path: string
  /** see {@link rawEndpoint} */
  readonly raw?: true
}

/** An endpoint in a list of endpoints. */
// biome-ignore lint/suspicious/noExplicitAny: the pipeline does not know the types of each handler
export type Endpoint = Common & Own<any, any> & Route

/**
 * Makes an endpoint whose calls are not counted or validated, only authenticated: its handler counts them and reads
 * query and body, or ignores them. What it declares of its query and body is documentation.
 */
export const rawEndpoint = (endpoint: Endpoint): Endpoint => ({ ...endpoint, raw: true })

/**
 * A raw endpoint that is called by pages: it accepts no API keys, and no API document lists it.
 *
 * @param pages what the pages are called, as the beginning of its id
 */
export const pageEndpoint = (
  pages: string,
  { method, path, handle }: Pick<Endpoint, 'method' | 'path' | 'handle'>,
): Endpoint =>
  rawEndpoint({
    method,
    path,
    access: { kind: 'public' },
    rate: null,
    answers: {},
    id: `${pages}${path}`,
    tag: pages,
    summary: `${method} ${path}`,
    handle,
  })

/**
 * Declares endpoints that share settings. The types of a handler's call are inferred from the endpoint's schemas.
 *
 * @returns a function that declares one endpoint, given its method and its path with `:name` parameters. Its own
 *   settings override the common ones
 */
export const group =
  (common: Common) =>
  <Q extends Fields, B extends TObject>(
    method: Method,
    path: string,
    own: Own<Q, B> & Partial<Common>,
  ): Endpoint => ({ ...common, method, path, ...own })
