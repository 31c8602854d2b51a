/**
 * Rate limits: a token bucket for each account and class of calls, and the headers that tell where it stands.
 *
 * @module
 */
import type { AccountState } from '../domain/account.ts'
import type { RateClass, RateVerdict } from '../ephemeral/ephemeral-store.ts'
import type { Principal } from '../keys/principal.ts'
import { StoreUnavailable } from '../log/event-log.ts'
import type { Deps } from './deps.ts'

/** A call that was counted. */
export type Counted = RateVerdict & { readonly kind: RateClass; readonly perMinute: number }

/** While the store is away, this is said so often, in milliseconds. */
const SAY_EVERY_MS = 60_000
const saidAt = new WeakMap<Deps['logger'], number>()

/**
 * Counts a call.
 *
 * @returns undefined where there is no limit, and while the store that counts is away: nobody is turned away for that
 */
export async function count(deps: Deps, principal: Principal, kind: RateClass): Promise<Counted | undefined> {
  const owner = principal.kind === 'operator' ? 'operator' : principal.accountId
  let perMinute = deps.config.rate[kind]
  if (owner !== 'operator') {
    const account = deps.ledger.seen(owner) ?? (await deps.ledger.state(owner))
    perMinute = account.limits[LIMIT_OF[kind]] ?? perMinute
  }
  if (perMinute === 0) return undefined
  try {
    const taken = deps.ephemeral.take(owner, kind, perMinute, deps.now())
    const { allowed, remaining, resetS } = taken instanceof Promise ? await taken : taken
    return { kind, perMinute, allowed, remaining, resetS }
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    uncounted(deps, kind, error)
    return undefined
  }
}

function uncounted({ metrics, logger }: Deps, kind: RateClass, err: StoreUnavailable): void {
  metrics.requestUncounted(kind)
  const now = performance.now()
  if (now - (saidAt.get(logger) ?? Number.NEGATIVE_INFINITY) < SAY_EVERY_MS) return
  saidAt.set(logger, now)
  logger.warn({ err }, 'rate limits are not enforced: the store that counts requests is away')
}

const LIMIT_OF = {
  kickoff: 'kickoff_per_minute',
  read: 'read_per_minute',
  admin: 'admin_per_minute',
} as const satisfies Record<RateClass, keyof AccountState['limits']>

/** Adds `RateLimit-Policy` and `RateLimit`, structured fields as in the IETF's draft. */
export function addRateHeaders(headers: Headers, { kind, perMinute, remaining, resetS }: Counted): void {
  headers.set('ratelimit-policy', `"${kind}";q=${perMinute};w=60`)
  headers.set('ratelimit', `"${kind}";r=${remaining};t=${resetS}`)
}
