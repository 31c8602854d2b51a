/**
 * The request pipeline. Every request passes key, rate limit, scope, shutdown, query and body checks before its handler
 * runs. Every response carries the request id and the state of the rate limit.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import type { Actor } from '../domain/events.ts'
import type { AccountId } from '../domain/ids.ts'
import { mayAs, type Role } from '../domain/roles.ts'
import type { RateClass } from '../ephemeral/ephemeral-store.ts'
import type { KeyPrincipal, Principal } from '../keys/principal.ts'
import { randomUUID } from '../random.ts'
import {
  accessRefusal,
  addRateHeaders,
  type Counted,
  count,
  leastRoleOf,
  onlyFor,
  principalOf,
} from './access.ts'
import type { Deps } from './deps.ts'
import type { Call, Endpoint } from './endpoint.ts'
import { idempotencyKeyOf } from './idempotency.ts'
import { checked, type QueryCheck, queryCheck, readBody } from './input.ts'
import { Problem, problemOf, problemResponse } from './problems.ts'
import { type Timed, UNTIMED } from './time-limit.ts'

/** Retry-After while this process shuts down, in seconds. */
const SHUTDOWN_RETRY_S = 2

/** A new request id. It is random because clients see it, also in events: a counter would reveal the call volume. */
export const newRequestId = (): string => `req_${randomUUID()}`

/** The path of a URL, without its query. */
export const pathOf = (url: string): string => new URL(url).pathname

/** What the router knows of a request. */
export type Context = {
  readonly request: Request
  /** the key of the Authorization header */
  readonly bearer: string | undefined
  /** null for a parameter that is badly encoded */
  readonly params?: Readonly<Record<string, string | null>> | undefined
}

/** Creates the request handler of an endpoint. The handler never throws. */
export function serveEndpoint(deps: Deps, endpoint: Endpoint) {
  const checkQuery = queryCheck(endpoint.query)
  const { method, path } = endpoint
  return async ({ request, bearer, params }: Context): Promise<Response> => {
    const started = clock.monotonic()
    const exchange = new Exchange(deps, endpoint, request, bearer, params as Call['params'])
    let response: Response
    try {
      response = await exchange.answer(checkQuery)
    } catch (error) {
      response = await failure(deps, error, exchange.requestId, request)
    }
    const { headers, status } = response
    headers.set('x-request-id', exchange.requestId)
    if (exchange.counted) addRateHeaders(headers, exchange.counted)
    deps.metrics.request(method, path, status, (clock.monotonic() - started) / 1000)
    return response
  }
}

/** Answers a request that matches no endpoint, or that failed before it reached one. */
export async function refuse(deps: Deps, request: Request, route: string, error: unknown): Promise<Response> {
  const response = await failure(deps, error, newRequestId(), request)
  deps.metrics.request(request.method, route, response.status, 0)
  return response
}

async function failure(deps: Deps, error: unknown, requestId: string, request: Request): Promise<Response> {
  const problem = problemOf(error, requestId, deps.logger, request.method)
  const { publicUrl } = deps.config
  const instance = pathOf(request.url)
  const page = await deps.errorPage?.(request, problem, requestId)
  return page ?? problemResponse(problem, { requestId, instance, publicUrl })
}

const actorOf = (principal: Principal | undefined): Actor =>
  principal?.kind === 'key' ? `key:${principal.keyId}` : (principal?.kind ?? 'service')

/** A request in progress, as its handler sees it. */
class Exchange implements Call {
  readonly requestId = newRequestId()
  counted: Counted | undefined
  time: Timed = UNTIMED
  principal!: Principal
  query!: Call['query']
  input: Call['input'] = {}
  /** the current role of the person who created the key; undefined if nobody did */
  private role: Role | undefined

  constructor(
    private readonly deps: Deps,
    private readonly endpoint: Endpoint,
    readonly request: Request,
    private readonly bearer: string | undefined,
    readonly params: Call['params'] = {},
  ) {}

  get key(): KeyPrincipal {
    if (this.principal.kind === 'key') return this.principal
    throw new Error(`${this.endpoint.path} was opened by the operator's key`)
  }

  get idempotencyKey(): string | undefined {
    return idempotencyKeyOf(this.request.headers)
  }

  get cause(): Call['cause'] {
    const { requestId } = this
    const actor = actorOf(this.principal)
    return { actor, correlationId: requestId, causationId: requestId, now: this.deps.now() }
  }

  body(): Promise<Record<string, unknown> | undefined> {
    return this.time.except(readBody(this.request))
  }

  answer(checkQuery: QueryCheck): Promise<Response> {
    if (this.endpoint.access.kind === 'public') return this.handle(checkQuery)
    return this.deps.timeLimit((time) => {
      this.time = time
      return this.handle(checkQuery)
    })
  }

  private async handle(checkQuery: QueryCheck): Promise<Response> {
    const { endpoint, request } = this
    if (endpoint.access.kind !== 'public') {
      this.principal = await principalOf(this.deps.keys, this.bearer)
      if (this.principal.kind === 'key' && this.principal.madeBy) await this.checkMaker(this.principal)
      await this.admit()
    }
    for (const name in this.params) if (this.params[name] === null) throw new Problem('not-found')
    if (endpoint.raw) return endpoint.handle(this)
    this.query = checkQuery(request.url)
    if (endpoint.check) this.input = (await endpoint.check(this)) as Call['input']
    else if (endpoint.body) this.input = checked(endpoint.body, (await this.body()) ?? {})
    return endpoint.handle(this)
  }

  /**
   * Finds the role of the person who created the key. Rejects a key of a former member, even if the process died before
   * it revoked the key.
   */
  private async checkMaker({ accountId, madeBy }: KeyPrincipal): Promise<void> {
    const { members } = await this.deps.accounts.lastSeen(accountId)
    if (madeBy && members.former.includes(madeBy)) throw new Problem('revoked-key')
    this.role = madeBy && members.roles[madeBy]
  }

  roleRefusal(least: Role): Problem | undefined {
    const { role } = this
    if (role === undefined || mayAs(role, least)) return undefined
    const how = `the person who created this key is a ${role}. Use another key, or ask an owner to change their role.`
    return new Problem('key-scope', { detail: `${onlyFor(least)}, and ${how}` })
  }

  private async admit(): Promise<void> {
    const { access, rate, raw } = this.endpoint
    const refusal = accessRefusal(access, this.principal) ?? this.roleRefusal(leastRoleOf(this.endpoint))
    // A forbidden call must not use up the limits of the account's other keys, so it counts as a read.
    if (refusal && rate) await this.count('read')
    if (refusal) throw refusal
    if (rate && !raw) await this.count(rate)
    this.time.check()
  }

  async count(kind: RateClass, owner?: AccountId): Promise<void> {
    const { deps, principal } = this
    const of = owner ?? (principal.kind === 'key' ? principal.accountId : 'operator')
    this.counted = await count(deps, of, kind)
    if (this.counted?.allowed === false) {
      throw new Problem('rate-limited', { extras: { retry_after_s: this.counted.resetS } })
    }
    this.time.check()
    if (kind === 'kickoff' && deps.shuttingDown()) {
      throw new Problem('shutting-down', { extras: { retry_after_s: SHUTDOWN_RETRY_S } })
    }
  }
}
