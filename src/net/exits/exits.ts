/**
 * The exits of this process's runs and logins. Rests are shared with other nodes; while their store is unavailable, exits
 * are chosen as if none rested.
 *
 * @module
 */
import { type Way, type WaySettings, wayOf } from '../../config/ways.ts'
import type { ExitRests } from '../../ephemeral/exit-rests.ts'
import type { Logger } from '../../logger.ts'
import { random, randomBytes } from '../../random.ts'
import {
  chooseExit,
  type Exit,
  exitOfLogin,
  hashed,
  hasOther,
  identityOf,
  labelOf,
  sessionFrom,
} from './choose.ts'
import { type Failure, restAfter } from './rest.ts'

export type ExitsOptions = {
  readonly config: WaySettings
  readonly rests: ExitRests
  /** milliseconds since 1970 */
  readonly now: () => number
  readonly logger: Pick<Logger, 'debug' | 'warn'>
}

/** How a run's use of an exit ended. */
export type ExitOutcome = 'good' | Failure

/** A rest that is not over. */
export type RestingExit = Pick<Exit, 'way' | 'number' | 'label'> & {
  /** for which source; null: for all */
  readonly source: string | null
  readonly until: number
  readonly why: Failure
  /** which one in a row it is, from 1 */
  readonly count: number
}

/** An exit of a source, for commands that run without a store: as if none rested. @returns null: directly */
export function anyExit(config: WaySettings, source: string): Exit | null {
  const way = wayOf(config, source)
  return way && chooseExit({ way, ...byChance(), tried: [], rests: new Map(), now: 0 })
}

const byChance = () => ({ seed: random(), session: sessionFrom(randomBytes(16)) })

export class Exits {
  /**
   * The keys of rests for all sources, by way. Of the entries as they are set, without a country filled in: an exit that
   * can't be reached rests for all sources. A changed entry has another key.
   */
  private readonly keys: ReadonlyMap<string, readonly string[]>

  constructor(private readonly options: ExitsOptions) {
    const { ways } = options.config
    this.keys = new Map(
      [...ways.values()].map((way) => [
        way.name,
        way.entries.map(
          (entry, i) => `${hashed(identityOf(entry)).slice(0, 12)} ${labelOf(way.name, i + 1)}`,
        ),
      ]),
    )
  }

  /**
   * The exit of a run that starts, or starts over. Never throws.
   *
   * @param tried labels of the exits that it has tried
   * @returns null: the source is reached directly
   */
  async forRun(source: string, tried: readonly string[] = []): Promise<Exit | null> {
    const way = wayOf(this.options.config, source)
    if (!way) return null
    const rests = way.entries.length > 1 ? await this.restEnds(way, source) : new Map()
    return chooseExit({ way, ...byChance(), tried, rests, now: this.options.now() })
  }

  /** Whether a run that has tried these exits has another one to start over at. */
  hasOther(source: string, tried: readonly string[]): boolean {
    const way = wayOf(this.options.config, source)
    return way !== null && hasOther(way, tried)
  }

  /**
   * The exit of a login, in its runs and in the browser in which a person signs in.
   *
   * @param loginId the same for all sign-ins of the login: the name of its stream
   */
  forLogin(source: string, loginId: string): Exit | null {
    const way = wayOf(this.options.config, source)
    return way && exitOfLogin(way, loginId)
  }

  /**
   * Takes note of how a use of an exit ended. Never throws: while the store is unavailable, it is lost.
   *
   * @param reason of a failure, for the log, which has a line for each rest that begins
   */
  async ended(
    { label, number }: Pick<Exit, 'label' | 'number'>,
    source: string,
    outcome: ExitOutcome,
    reason?: string,
  ): Promise<void> {
    const { config, rests, now, logger } = this.options
    const way = wayOf(config, source)
    const unreachable = way && this.keys.get(way.name)?.[number - 1]
    if (!unreachable || labelOf(way.name, number) !== label) return
    const keys = keysOf(unreachable, source)
    try {
      if (outcome === 'good') return await rests.clear(Object.values(keys))
      // The next session of a template is another address.
      if (outcome === 'blocked' && way.entries[number - 1]?.isTemplate) return
      const [before] = await rests.get([keys[outcome]])
      const rest = restAfter(outcome, before, now())
      if (rest === before) return
      await rests.put(keys[outcome], rest, now())
      logger.warn(
        {
          exit: label,
          ...(outcome !== 'unreachable' && { source }),
          outcome,
          reason,
          until: new Date(rest.until).toISOString(),
        },
        'An exit rests.',
      )
    } catch (err) {
      logger.debug(
        { err, exit: label, source, outcome },
        'The outcome of an exit could not be stored and is lost.',
      )
    }
  }

  /**
   * The exits that rest, of the ways as they are set: of an exit's rests for one source, the one that ends last.
   *
   * @throws {StoreUnavailable}
   */
  async resting(): Promise<readonly RestingExit[]> {
    const { rests, now } = this.options
    const known = new Map(
      [...this.keys].flatMap(([way, keys]) => keys.map((key, i) => [key, { way, number: i + 1 }] as const)),
    )
    const last = new Map<string, RestingExit>()
    for (const { key, rest } of await rests.all(now())) {
      const [hash = '', label = '', source = null, refused] = key.split(' ')
      const why = source === null ? 'unreachable' : refused === undefined ? 'blocked' : 'refused'
      const exit = known.get(`${hash} ${label}`)
      const where = `${label} ${source ?? ''}`
      if (exit && rest.until > (last.get(where)?.until ?? 0))
        last.set(where, { ...exit, label, source, why, ...rest })
    }
    return [...last.values()]
  }

  private async restEnds(way: Way, source: string): Promise<Map<number, number>> {
    const { rests, logger } = this.options
    const keys = (this.keys.get(way.name) ?? []).map((key) => Object.values(keysOf(key, source)))
    try {
      const ends = (await rests.get(keys.flat())).map((rest) => rest?.until ?? 0)
      return new Map(
        keys.map(({ length }, i) => [i + 1, Math.max(...ends.slice(i * length, (i + 1) * length))]),
      )
    } catch (err) {
      logger.debug({ err, source }, 'Rests of exits could not be read: one is chosen as if none rested.')
      return new Map()
    }
  }
}

/**
 * The keys of an exit's rests that concern a source. Each failure counts for itself: proxies refuse a site that is down,
 * which says nothing about how often the site has blocked them.
 *
 * @param key that for all sources
 */
const keysOf = (key: string, source: string): Readonly<Record<Failure, string>> => ({
  unreachable: key,
  blocked: `${key} ${source}`,
  refused: `${key} ${source} refused`,
})
