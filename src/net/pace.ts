/**
 * The rate limits that hold for a host of a source: from the source's declaration, and from what the operator has set.
 *
 * @module
 */
import type { SetPace } from '../config/ways.ts'
import { hostMatches } from '../plugin/reading/urls.ts'
import type { PaceLimits, Source } from '../plugin.ts'

const PER_SECOND = 5
const CONCURRENT = 4

/** The source of a request. All runs of the source share its rate limits. */
export type PacedSource = Pick<Source, 'name' | 'pace' | 'imageHosts'>

/** What the operator's settings mean for the pace of all sources. */
export type PaceSettings = {
  /** the names of the sources whose origin is replaced */
  readonly replaced?: ReadonlySet<string>
  /** whether the service's `User-Agent` names a contact */
  readonly hasContact?: boolean
  /** by the names of sources: the pace that holds in place of the source's own */
  readonly set?: ReadonlyMap<string, SetPace>
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
  const isOne = isReplaced || settings?.set?.has(source.name)
  const named = isOne ? [] : Object.keys(source.pace?.hosts ?? {})
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
  readonly sourceWays: ReadonlyMap<string, { readonly pace: SetPace | undefined }>
}): PaceSettings => ({
  replaced: new Set(config.sourceOrigins.keys()),
  hasContact: config.contact !== null,
  set: new Map(
    [...config.sourceWays].flatMap(([family, { pace }]) => (pace ? [[family, pace] as const] : [])),
  ),
})

/** The limits of a request. @param host of the public site */
export function limitsOf(
  { name, pace = {}, imageHosts = [] }: PacedSource,
  host: string,
  { replaced, hasContact = true, set }: PaceSettings = {},
): HostLimits {
  const ofOperator = set?.get(name)
  // People who look at images neither slow down runs nor wait for them.
  if (ofOperator && !hostMatches(host, imageHosts)) {
    // One origin replaces all hosts of the site.
    const isTogether = replaced?.has(name) || pace.together
    const concurrent = ofOperator.concurrent ?? (replaced?.has(name) ? atLeastDefault(pace) : pace).concurrent
    return hostLimits(isTogether ? name : `${name} ${host}`, {
      ...ofOperator,
      ...(concurrent && { concurrent }),
    })
  }
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

/** A node's share of limits that several nodes keep together. Each may have one request at once. */
export const shareOf = ({ key, windows, concurrent }: HostLimits, nodes: number): HostLimits => ({
  key,
  windows: windows.map(({ most, lengthMs }) => {
    const share = Math.max(1, Math.floor(most / nodes))
    return { most: share, lengthMs: (lengthMs * nodes * share) / most }
  }),
  concurrent: Math.max(1, Math.floor(concurrent / nodes)),
})
