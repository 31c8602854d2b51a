/**
 * `gleaner listen`: forwards the events of an account to a local program, in the form of webhook deliveries.
 *
 * @module
 */
import { type Command, InvalidArgumentError } from 'commander'
import type { Gleaner } from '../../clients/typescript/src/index.ts'
import { delay } from '../async/delay.ts'
import { timeoutSignal } from '../async/timers.ts'
import { DEFAULT_TYPES, WEBHOOK_TYPES } from '../webhooks/endpoints/record.ts'
import { newSecret, signatureHeaders } from '../webhooks/sign.ts'
import { namesOf } from './arguments.ts'
import type { Io } from './io.ts'
import { type RemoteOptions, withClient, withRemote } from './remote.ts'

type Options = RemoteOptions & {
  readonly forwardTo: string
  readonly types: readonly string[]
  readonly from?: string
  readonly secret?: string
}
type Event = Awaited<ReturnType<ReturnType<Gleaner['events']>['next']>>['value'] & object

/** The retry interval while the program does not answer, in milliseconds. */
const RETRY_MS = 500
/** The program's time limit for an answer, in milliseconds, as for webhooks. */
const ANSWER_MS = 30_000
/** How long to wait for an unreachable service, in seconds. */
const AWAY_S = 24 * 3600

export function addListen(program: Command, io: Io): void {
  withRemote(program.command('listen'))
    .description(
      "Forwards an account's events to a local program, signed like webhook deliveries.\n\nThe key needs the scope events. Events are sent one at a time; each is repeated until the program answers.",
    )
    .requiredOption(
      '--forward-to <url>',
      'Where the program listens, like http://localhost:4000/hooks.',
      parseUrl,
    )
    .option(
      '--types <types>',
      'Event types, separated by commas.',
      namesOf('an event type', WEBHOOK_TYPES),
      DEFAULT_TYPES,
    )
    .option(
      '--from <position>',
      'Begins after this position, the sequence of an event; with new events by default.',
    )
    .option('--secret <secret>', 'Signs with this secret, whsec_…; with a new one by default.', parseSecret)
    .action((options: Options) => withClient(io, options, (gleaner) => listen(io, gleaner, options), AWAY_S))
}

async function listen(
  io: Io,
  gleaner: Gleaner,
  { forwardTo, types, from, secret = newSecret() }: Options,
): Promise<void> {
  const { signal } = io
  let after = from ?? (await lastPosition(gleaner, signal))
  io.err(`Forwarding to ${forwardTo}, signed with ${secret}\n`)
  try {
    for await (const event of gleaner.events({ after, types: types as never[], signal })) {
      await forward(io, event, forwardTo, secret)
      after = event.sequence
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  if (after !== undefined) io.err(`Stopped. Continue with --from ${after}\n`)
}

/** Sends an event until the program answers, and prints the status of the answer. */
async function forward(io: Io, event: Event, url: string, secret: string): Promise<void> {
  const body = JSON.stringify(event)
  for (let isWaiting = false; ; isWaiting = true) {
    const started = io.now()
    try {
      const signed = signatureHeaders([secret], event.id, Math.floor(started / 1000), body)
      const answer = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        body,
        headers: { 'content-type': 'application/cloudevents+json', ...signed },
        signal: AbortSignal.any([io.signal, timeoutSignal(ANSWER_MS)]),
      })
      await answer.body?.cancel()
      const took = io.now() - started
      io.out(
        `${new Date(started).toISOString()} ${event.type} ${event.subject} ${answer.status} ${took} ms\n`,
      )
      return
    } catch (error) {
      io.signal.throwIfAborted()
      if (!isWaiting) io.err(`No answer from ${url}: ${(error as Error).message}. Waiting for it.\n`)
      await delay(RETRY_MS, io.signal)
      io.signal.throwIfAborted()
    }
  }
}

/** The current end of the feed; undefined when the feed is empty. */
async function lastPosition(gleaner: Gleaner, signal: AbortSignal): Promise<string | undefined> {
  let after: string | undefined
  for (;;) {
    // An account has one event of this type, so each page covers many events and returns almost none.
    const page = await gleaner.request('GET', '/v1/events', {
      query: { types: 'AccountOpened', limit: 500, ...(after !== undefined && { after }) },
      signal,
    })
    after = page.next_after
    if (page.caught_up) return after
  }
}

function parseUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new InvalidArgumentError('It must be an http or https URL.')
}

function parseSecret(text: string): string {
  if (/^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(text)) return text
  throw new InvalidArgumentError('It must be whsec_ followed by base64.')
}
