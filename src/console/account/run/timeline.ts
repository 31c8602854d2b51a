/**
 * The events of a run in words. Consecutive progress events are one line, and so is a long time without events.
 *
 * @module
 */

import type { Actor } from '../../../domain/events.ts'
import { type Html, html } from '../../../html.ts'
import type { Recorded } from '../../../log/event-log.ts'
import { count, counted, time } from '../../components/parts.ts'
import { progressText } from '../run-rows.ts'

/** Minimum time without events that is shown, in milliseconds. */
const IDLE_MS = 60_000

/** @param left the number of events between the first and the last ones */
export function timeline(first: readonly Recorded[], last: readonly Recorded[], left: number): Html {
  return html`<ol class="timeline">${lines(first)}${left > 0 && html`<li class="fold">… ${count(left)} more events …</li>`}${lines(last)}</ol>`
}

function lines(events: readonly Recorded[]): Html[] {
  const texts: Html[] = []
  for (let i = 0; i < events.length; i++) {
    const recorded = events[i]!
    const before = events[i - 1]
    const idleMs = before ? Date.parse(recorded.meta.at) - Date.parse(before.meta.at) : 0
    if (idleMs > IDLE_MS) texts.push(html`<li class="fold">${durationOf(idleMs)} without events</li>`)
    let progress = 0
    while (recorded.type === 'RunProgressed' && events[i + 1]?.type === 'RunProgressed') {
      progress++
      i++
    }
    texts.push(line(events[i]!, progress))
  }
  return texts
}

const line = (recorded: Recorded, folded: number): Html =>
  html`<li id="event-${recorded.id}">${time(recorded.meta.at)} <strong>${wordsOf(recorded)}</strong>${folded > 0 && html` <span class="hint">after ${counted(folded, 'earlier report')}</span>`}
<details><summary>${recorded.type}</summary><pre tabindex="0"><code>${JSON.stringify({ id: recorded.id, actor: recorded.meta.actor, data: recorded.event?.data }, null, 2)}</code></pre></details></li>`

function wordsOf({ event, meta }: Recorded): Html | string {
  switch (event?.type) {
    case 'RunRequested':
      return `Requested by ${actorOf(meta.actor)}`
    case 'RunStarted':
      return event.data.attempt === 1
        ? 'Started by a worker'
        : `Started by a worker, attempt ${event.data.attempt}`
    case 'RunProgressed':
      return progressText(event.data)
    case 'ResultStored': {
      const items = event.data.item_count
      return items === 0 ? 'Result stored' : `${counted(items, 'item')} stored`
    }
    case 'ArtifactStored':
      return `A file of ${counted(event.data.bytes, 'byte')} stored`
    case 'RunRequeued':
      return event.data.reason === 'shutdown'
        ? 'Back in the queue: its worker shut down'
        : 'Back in the queue: its worker was lost'
    case 'RunCancelRequested':
      return `Cancellation requested by ${actorOf(meta.actor)}`
    case 'RunSucceeded':
      return 'Succeeded'
    case 'RunFailed':
      return 'Failed'
    case 'RunErrored':
      return 'Ended by an error of the service'
    case 'RunCancelled':
      return 'Cancelled'
    case 'RunExpired':
      return 'Out of time'
    default:
      return 'Other event'
  }
}

const actorOf = (actor: Actor): string => {
  if (actor.startsWith('key:')) return 'an API key'
  return actor.startsWith('person:') ? 'a person' : `the ${actor}`
}

function durationOf(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 90) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
  const hours = Math.round(minutes / 60)
  return `${hours} hours`
}
