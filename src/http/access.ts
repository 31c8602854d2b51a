/**
 * Authentication, authorization and rate limits of requests. Each account has a token bucket for each class of calls;
 * response headers report its state.
 *
 * @module
 */
import { clock } from '../async/clock.ts'
import type { AccountId } from '../domain/ids.ts'
import { LEAST_ROLE, type Role } from '../domain/roles.ts'
import type { RateClass, RateVerdict } from '../ephemeral/ephemeral-store.ts'
import type { Principal } from '../keys/principal.ts'
import { StoreUnavailable } from '../log/event-log.ts'
import type { Deps } from './deps.ts'
import type { Access, Endpoint } from './endpoint.ts'
import { Problem } from './problems.ts'

/** The principal of a key. @param key undefined or empty if the request has none @throws {Problem} 401 */
export async function principalOf(keys: Deps['keys'], key: string | undefined): Promise<Principal> {
  if (!key) throw new Problem('missing-key')
  const principal = await keys.authenticate(key)
  if (typeof principal === 'string') throw new Problem(principal)
  return principal
}

/** Why a principal may not use an endpoint, or undefined when it may. */
export function accessRefusal(access: Access, principal: Principal): Problem | undefined {
  if (access.kind === 'public') return undefined
  if (principal.kind === 'operator') {
    if (access.kind === 'operator' || access.operator) return undefined
    return new Problem('key-scope', { detail: "The operator's key cannot make this call." })
  }
  if (access.kind === 'operator') {
    return new Problem('key-scope', { detail: "Only the operator's key can make this call." })
  }
  if (access.scope === 'any-key' || principal.scopes.includes(access.scope)) return undefined
  return new Problem('key-scope', { detail: `This key does not have the scope "${access.scope}".` })
}

/** Says who may do something in an account. */
export const onlyFor = (least: Role): string =>
  `Only ${least === 'owner' ? 'an owner' : 'an owner or a member'} of this account can do this`

/** The least role of a person whose keys may use an endpoint, unless it declares another. */
export function leastRoleOf({ access, method, leastRole }: Endpoint): Role {
  if (leastRole !== undefined) return leastRole
  if (access.kind !== 'key' || access.scope === 'any-key') return 'viewer'
  return method === 'GET' && access.scope !== 'admin' ? 'viewer' : LEAST_ROLE[access.scope]
}

/** A counted call. */
export type Counted = RateVerdict & { readonly kind: RateClass; readonly perMinute: number }

/** Interval at which the log repeats that calls are not counted, in milliseconds. */
const SAY_EVERY_MS = 60_000
const saidAt = new WeakMap<Deps['logger'], number>()

/**
 * Counts a call.
 *
 * @returns undefined if no limit applies, or if the counting store is unavailable: calls are then let through
 */
export async function count(
  deps: Deps,
  owner: AccountId | 'operator',
  kind: RateClass,
): Promise<Counted | undefined> {
  let perMinute = deps.config.rate[kind]
  if (owner !== 'operator') {
    const { limits } = await deps.accounts.lastSeen(owner)
    perMinute = limits[`${kind}_per_minute`] ?? perMinute
  }
  if (perMinute === 0) return undefined
  try {
    return { kind, perMinute, ...(await deps.ephemeral.take(owner, kind, perMinute, deps.now())) }
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    deps.metrics.count('gleaner_requests_uncounted_total', { class: kind })
    const now = clock.monotonic()
    if (now - (saidAt.get(deps.logger) ?? -SAY_EVERY_MS) >= SAY_EVERY_MS) {
      saidAt.set(deps.logger, now)
      const warning = 'Rate limits are not enforced: the store that counts requests is unavailable.'
      deps.logger.warn({ err: error }, warning)
    }
    return undefined
  }
}

/** Adds `RateLimit-Policy` and `RateLimit`: structured fields as in the IETF draft. */
export function addRateHeaders(headers: Headers, { kind, perMinute, remaining, resetS }: Counted): void {
  headers.set('ratelimit-policy', `"${kind}";q=${perMinute};w=60`)
  headers.set('ratelimit', `"${kind}";r=${remaining};t=${resetS}`)
}
