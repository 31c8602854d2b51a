/**
 * The rate limits that hold for a host of a source: from the source's declaration, and from what the operator has set.
 *
 * @module
 */
import { hostMatches } from '../plugin/reading/urls.ts'
import type { PaceLimits, Source } from '../plugin.ts'

const PER_SECOND = 5
const CONCURRENT = 4

/** The source of a request. All runs of the source share its rate limits. */
export type PacedSource = Pick<Source, 'name' | 'pace'>

/** What the operator's settings mean for the pace of all sources. */
export type PaceSettings = {
  /** the names of the sources whose origin is replaced */
  readonly replaced?: ReadonlySet<string>
  /** whether the service's `User-Agent` names a contact */
  readonly hasContact?: boolean
}

/** At most `most` requests may start within `lengthMs` milliseconds. */
export type Window = { readonly most: number; readonly lengthMs: number }

/** The limits of a host, or of several together. @property key the requests that count together have the same one */
export type HostLimits = {
  readonly key: string
  readonly windows: readonly Window[]
  readonly concurrent: number
}

/** The limits of some hosts of a source. */
export type LimitsOfHosts = Pick<HostLimits, 'windows' | 'concurrent'> & {
  /** names as in `hosts` of the source; undefined: all others, each for itself unless `isTogether` */
  readonly host: string | undefined
  /** whether the requests to all these hosts count together */
  readonly isTogether: boolean
}

/** All limits of a source, those of hosts with limits of their own first. */
export function limitsOfHosts(source: PacedSource, settings?: PaceSettings): readonly LimitsOfHosts[] {
  const isReplaced = settings?.replaced?.has(source.name) ?? false
  const isTogether = isReplaced || (source.pace?.together ?? false)
  const named = isReplaced ? [] : Object.keys(source.pace?.hosts ?? {})
  // No host has the name of all others.
  return [...named, undefined].map((host) => {
    const { windows, concurrent } = limitsOf(source, host?.replace(/^\*/, 'any') ?? '', settings)
    return { host, isTogether: host === undefined && isTogether, windows, concurrent }
  })
}

/** What the settings of a process mean for the pace of all sources. */
export const paceSettingsOf = (config: {
  readonly sourceOrigins: ReadonlyMap<string, string>
  readonly contact: string | null
}): PaceSettings => ({
  replaced: new Set(config.sourceOrigins.keys()),
  hasContact: config.contact !== null,
})

/** The limits of a request. @param host of the public site */
export function limitsOf(
  { name, pace = {} }: PacedSource,
  host: string,
  { replaced, hasContact = true }: PaceSettings = {},
): HostLimits {
  const own = Object.keys(pace.hosts ?? {}).find((each) => hostMatches(host, [each]))
  // All requests go to the one origin that replaces the site's.
  if (replaced?.has(name)) return hostLimits(`${name} ${host}`, pace.replaced ?? atLeastDefault(pace))
  if (own !== undefined) return hostLimits(`${name} ${host}`, pace.hosts?.[own] ?? {})
  const limits = hasContact ? pace : (pace.withoutContact ?? pace)
  return hostLimits(pace.together ? name : `${name} ${host}`, limits)
}

/** The default at a replaced origin: no slower than the default of all sources. */
const atLeastDefault = ({ perSecond = PER_SECOND, concurrent = CONCURRENT }: PaceLimits): PaceLimits => ({
  perSecond: Math.max(perSecond, PER_SECOND),
  concurrent: Math.max(concurrent, CONCURRENT),
})

function hostLimits(key: string, limits: PaceLimits): HostLimits {
  const { perSecond = PER_SECOND, burst, perMinute, concurrent = CONCURRENT } = limits
  const most = Math.max(1, Math.floor(burst ?? perSecond))
  const windows = [{ most, lengthMs: (most / perSecond) * 1000 }]
  if (perMinute !== undefined) {
    const inMinute = Math.max(1, Math.floor(perMinute))
    windows.push({ most: inMinute, lengthMs: (inMinute / perMinute) * 60_000 })
  }
  return { key, windows, concurrent: Math.max(1, Math.floor(concurrent)) }
}
