/**
 * How endpoints are declared: as data, so that routing, authentication, scopes, rate limits, the `Allow` of a 405 and
 * the OpenAPI document all come from one list.
 *
 * @module
 */
import type { TSchema } from '@sinclair/typebox'
import type { Scope } from '../domain/key.ts'
import type { RateClass } from '../ephemeral/ephemeral-store.ts'
import type { KeyPrincipal, OperatorPrincipal } from '../keys/principal.ts'
import type { Timed } from './time-limit.ts'

/** One request that has passed authentication, scope and rate limit. */
export type Call<P = KeyPrincipal | OperatorPrincipal> = {
  readonly request: Request
  readonly requestId: string
  /** how long it may take, and what of it does not count */
  readonly time: Timed
  readonly params: Readonly<Record<string, string>>
  readonly principal: P
  /** the query's parameters; a parameter that the endpoint does not declare is refused before */
  readonly query: URLSearchParams
  /**
   * The body as a JSON object; an absent one is `undefined`.
   *
   * @throws {Problem} 400, 413, 415
   */
  body(): Promise<Record<string, unknown> | undefined>
}

/** Who may call: `public` needs no key; a scope needs a key that has it; `any-key` any valid one. */
export type Access =
  | { readonly kind: 'public' }
  | { readonly kind: 'key'; readonly scope: Scope | 'any-key'; readonly operator: boolean }
  | { readonly kind: 'operator' }

/** What the OpenAPI document says of an endpoint; see openapi.ts. */
export type EndpointDoc = {
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly query?: readonly {
    readonly name: string
    readonly description: string
    /** a whole number or a text: what is sent is checked against it before the handler is called */
    readonly schema: TSchema
    readonly example?: unknown
  }[]
  /** of the path's parameters, by name; text where nothing is said */
  readonly path?: { readonly [name: string]: object }
  readonly headers?: readonly {
    readonly name: string
    readonly description: string
    readonly schema: object
  }[]
  readonly body?: { readonly schema: object; readonly required: boolean; readonly example?: unknown }
  /** by status: 2xx answers with schema and example, and the codes of problems */
  readonly answers: {
    readonly [status: number]: {
      readonly description: string
      readonly contentType?: string
      readonly schema?: object
      readonly example?: unknown
      /** the same in other content types, for those who ask for them */
      readonly alternatives?: readonly {
        readonly contentType: string
        readonly schema: object
        readonly example?: unknown
      }[]
    }
  }
  /** codes of problem details beside those that every endpoint of its access has */
  readonly problems?: readonly string[]
}

export type Endpoint = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** with `:name` parameters */
  readonly path: string
  readonly access: Access
  /** the bucket that a call is counted in; null: not limited */
  readonly rate: RateClass | null
  readonly doc: EndpointDoc
  // biome-ignore lint/suspicious/noExplicitAny: each endpoint narrows the principal that its access allows
  readonly handle: (call: Call<any>) => Response | Promise<Response>
}
