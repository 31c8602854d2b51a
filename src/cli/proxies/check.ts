/**
 * Opens the front page of a source through one exit, as a run would, and says what came back.
 *
 * @module
 */
import { clock } from '../../async/clock.ts'
import { filled } from '../../config/ways.ts'
import { type Config, DIRECT, wayOf } from '../../config.ts'
import { network } from '../../net/connection/network.ts'
import { labelOf, sessionFrom } from '../../net/exits/choose.ts'
import { type Failure, failureFrom } from '../../net/exits/rest.ts'
import { HttpClient } from '../../net/http-client.ts'
import type { RateLimiter } from '../../net/rate-limiter.ts'
import { ExitFailed, ExitLate, ExitUnreachable, type Transport } from '../../net/transport/transport.ts'
import { turn } from '../../net/turn.ts'
import { SourceError } from '../../plugin/errors.ts'
import { blockPage, titleOf } from '../../plugin/reading/block-page.ts'
import type { Reply, Source } from '../../plugin.ts'
import { randomBytes } from '../../random.ts'
import { userAgentOf } from '../../version.ts'

/** One source through one exit. @property url of the proxy, a secret; null: direct */
export type Probe = { readonly source: Source; readonly label: string; readonly url: string | null }

/**
 * `answered`: the source answered, with whatever page or error; `blocked`: with a block page or a status that means so;
 * `failed`: it did not answer; `refused`, `unreachable`: see {@link Failure}.
 */
export type Outcome = 'answered' | 'failed' | Failure

/** @property words what came back @property ms from the request to the end of the answer */
export type CheckResult = Probe & { readonly outcome: Outcome; readonly words: string; readonly ms: number }

/** A source that asks for a longer pause is not waited for, in milliseconds. */
const LONGEST_PAUSE_MS = 60_000
const TIMEOUT_S = 30
const LONGEST_TITLE = 60
/** Errors of a source that answers, though its front page is none for people: many APIs have none. */
const ANSWERS: ReadonlySet<string> = new Set(['not-found', 'source-changed', 'bad-input'])
const BLOCKS: ReadonlySet<string> = new Set(['source-blocked', 'source-rate-limited'])

/** The exits of these sources; one that is reached directly has one probe. Sources with a replaced origin have none. */
export const probesOf = (config: Config, sources: readonly Source[]): Probe[] =>
  sources
    .filter(({ name }) => !config.sourceOrigins.has(name))
    .flatMap((source): Probe[] => {
      const way = wayOf(config, source.name)
      if (!way) return [{ source, label: DIRECT, url: null }]
      return way.entries.map(({ url }, i) => ({
        source,
        label: labelOf(way.name, i + 1),
        url: filled(url, { session: sessionFrom(randomBytes(16)) }),
      }))
    })

export type CheckOptions = {
  readonly config: Config
  /** the pace of a source holds over all exits */
  readonly rateLimiter: RateLimiter
  readonly signal: AbortSignal
}

/** @throws the signal's reason */
export async function check(
  probe: Probe,
  { config, rateLimiter, signal }: CheckOptions,
): Promise<CheckResult> {
  const { source, url } = probe
  let failure: ExitFailed | undefined
  let startedAt = clock.monotonic()
  const send = network(false, url === null ? null : { url })
  const transport: Transport = async (request) => {
    try {
      return await send(request)
    } catch (error) {
      if (error instanceof ExitFailed) failure = error
      throw error
    }
  }
  const client = new HttpClient({
    source,
    userAgent: userAgentOf(config),
    transport,
    signal,
    until: Number.POSITIVE_INFINITY,
    async acquire(host, stop) {
      const paced = { source, account: '', longestPauseMs: LONGEST_PAUSE_MS }
      const release = await turn(rateLimiter, paced, host, stop)
      startedAt = clock.monotonic()
      return release
    },
    now: clock.now,
  })
  const ended = (outcome: Outcome, words: string): CheckResult => ({
    ...probe,
    outcome,
    words,
    ms: Math.round(clock.monotonic() - startedAt),
  })
  try {
    return ended(...(await readPage(source, await client.fetch('/', { tries: 1, timeoutS: TIMEOUT_S }))))
  } catch (error) {
    signal.throwIfAborted()
    if (failure && error instanceof ExitUnreachable) return ended(...readFailure(failure))
    if (!(error instanceof SourceError)) throw error
    const { code, message } = error
    if (BLOCKS.has(code)) return ended('blocked', `blocked: ${message}`)
    return ended(ANSWERS.has(code) ? 'answered' : 'failed', message)
  }
}

function readFailure(failure: ExitFailed): [Outcome, string] {
  const outcome = failureFrom(failure.where)
  // A proxy that is silent did not say that it refuses.
  const isRefusal = outcome === 'refused' && !(failure instanceof ExitLate)
  return [outcome, isRefusal ? `the way out refused: ${failure.reason}` : failure.message]
}

async function readPage(source: Source, reply: Reply): Promise<[Outcome, string]> {
  const body = await reply.text()
  const url = new URL(reply.url)
  const there = url.href === new URL('/', source.origin).href ? '' : ` from ${url.host}${url.pathname}`
  const page = blockPage(body)
  if (page) return ['blocked', `blocked: ${reply.status}${there}, ${cut(page.message)}`]
  const title = titleOf(body)
  return ['answered', `${reply.status}${there}${title === null ? '' : `, ${cut(title)}`}`]
}

const cut = (title: string): string =>
  [...title].length > LONGEST_TITLE ? `${[...title].slice(0, LONGEST_TITLE - 1).join('')}…` : title
