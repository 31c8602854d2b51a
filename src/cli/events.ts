/**
 * `gleaner events tail`: what stands in the event log.
 *
 * @module
 */

import { nearest } from '../catalogue/names.ts'
import { EVENT_NAMES, isEventType } from '../domain/events.ts'
import { cloudEvent, formatPosition, isKnown, parsePosition } from '../http/cloud-events.ts'
import type { EventLog, Position, Recorded } from '../log/event-log.ts'
import { type Call, type Command, OK, UsageError } from './command.ts'
import { withStores } from './stores.ts'

const PAGE = 500

export const eventsTail: Command = {
  name: 'events tail',
  about: 'Shows events of all accounts in their order.',
  operands: '',
  count: [0, 0],
  options: {
    after: {
      type: 'string',
      value: '<position>',
      about: 'Begins after a position, or with "now"; from the first event if left out.',
    },
    types: { type: 'string', value: '<types>', about: 'Only these types, with commas between them.' },
    follow: { type: 'boolean', about: 'Goes on with what comes, until Ctrl-C.' },
    json: { type: 'boolean', about: 'Writes one CloudEvent a line, as GET /v1/events does.' },
  },
  details: `Types: ${EVENT_NAMES.join(', ')}.`,
  run(call) {
    const types = typesOf(call.text('types'))
    return withStores(call, async ({ stores: { log } }) => {
      const after = await afterOf(call.text('after'), log)
      const show = (events: readonly Recorded[]) => {
        for (const event of events) if (!types || types.has(event.type)) print(call, event, log)
      }
      const last = await showAll(log, after, show)
      if (call.flag('follow')) await follow(log, last, call.io.signal, show)
      return OK
    })
  },
}

type Show = (events: readonly Recorded[]) => void

/** Shows what is there. @returns the position of the last event */
async function showAll(log: EventLog, after: Position | null, show: Show): Promise<Position | null> {
  for (let last = after; ; ) {
    const events = await log.readAll(last, PAGE)
    const newest = events.at(-1)
    if (!newest) return last
    show(events)
    last = newest.position
  }
}

async function follow(log: EventLog, after: Position | null, signal: AbortSignal, show: Show): Promise<void> {
  for await (const delivery of log.subscribe(after, { signal })) {
    if (delivery.kind === 'events') show(delivery.events)
  }
}

function typesOf(text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined) return undefined
  const types = text.split(',').map((type) => type.trim())
  const unknown = types.find((type) => !isEventType(type))
  if (unknown !== undefined) {
    throw new UsageError(
      `there is no event type "${unknown}"; did you mean ${nearest(unknown, EVENT_NAMES)}?`,
    )
  }
  return new Set(types)
}

async function afterOf(text: string | undefined, log: EventLog): Promise<Position | null> {
  if (text === undefined) return null
  if (text === 'now') return log.head()
  const position = parsePosition(text, log.id)
  if (position === undefined) throw new UsageError(`"${text}" is no position of this log`)
  return position
}

function print(call: Call, recorded: Recorded, log: EventLog): void {
  const { meta, position, type, stream } = recorded
  if (call.flag('json')) {
    // What this version does not know has no form to be written in.
    if (isKnown(recorded)) call.io.out(`${JSON.stringify(cloudEvent(recorded, log.id))}\n`)
    return
  }
  const data = isKnown(recorded) ? JSON.stringify(recorded.event.data) : '(unknown to this version)'
  call.io.out(`${meta.at}  ${formatPosition(position, log.id)}  ${type}  ${stream}  ${data}\n`)
}
