/**
 * `gleaner events tail`: prints the event log, and follows it.
 *
 * @module
 */
import type { Command } from 'commander'
import { EVENT_NAMES } from '../domain/events.ts'
import { cloudEvent, formatPosition, isKnown, parsePosition } from '../feed/cloud-events.ts'
import type { EventLog, Position, Recorded } from '../log/event-log.ts'
import { namesOf } from './arguments.ts'
import { UsageError } from './failure.ts'
import type { Io } from './io.ts'
import { withStores } from './stores.ts'

type Options = { after?: string; types?: string[]; follow?: true; json?: true }

export function addEvents(program: Command, io: Io): void {
  program
    .command('events')
    .description('Shows the event log.')
    .command('tail')
    .description(`Shows the events of all accounts in their order.\n\nTypes: ${EVENT_NAMES.join(', ')}.`)
    .option('--after <position>', 'Begins after this position, or "now"; with the first event by default.')
    .option(
      '--types <types>',
      'Only these types, separated by commas.',
      namesOf('an event type', EVENT_NAMES),
    )
    .option('--follow', 'Continues with new events, until Ctrl-C.')
    .option('--json', 'Writes one CloudEvent a line, as GET /v1/events does.')
    .action(({ after, types, follow, json }: Options) =>
      withStores(io, async ({ stores: { log } }) => {
        const line = json ? jsonLine : textLine
        // Without --follow, Ctrl-C ends the process, as for any command that does not use the signal.
        const { signal } = follow ? io : new AbortController()
        for await (const delivery of log.subscribe(await positionOf(after, log), { signal })) {
          if (delivery.kind === 'events') {
            const shown = delivery.events.filter(({ type }) => !types || types.includes(type))
            for (const event of shown) io.out(line(event, log))
          } else if (!follow) return
        }
      }),
    )
}

async function positionOf(text: string | undefined, log: EventLog): Promise<Position | null> {
  if (text === undefined) return null
  if (text === 'now') return log.head()
  const position = parsePosition(text, log.id)
  if (position === undefined) throw new UsageError(`"${text}" is not a position of this log`)
  return position
}

/** Events of a newer version cannot be converted to CloudEvents here and are omitted. */
const jsonLine = (recorded: Recorded, log: EventLog): string =>
  isKnown(recorded) ? `${JSON.stringify(cloudEvent(recorded, log.id))}\n` : ''

function textLine(recorded: Recorded, log: EventLog): string {
  const { meta, position, type, stream } = recorded
  const data = isKnown(recorded) ? JSON.stringify(recorded.event.data) : '(unknown to this version)'
  return `${meta.at}  ${formatPosition(position, log.id)}  ${type}  ${stream}  ${data}\n`
}
