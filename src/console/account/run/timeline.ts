/**
 * The events of a run in words, with the time between them: as text, and as bars on one scale. Consecutive progress
 * events are one line, except those of a run that starts over at another exit.
 *
 * @module
 */
import type { Actor } from '../../../domain/events.ts'
import { type Html, html } from '../../../html.ts'
import type { Recorded } from '../../../log/event-log.ts'
import { copyId } from '../../components/copy-id.ts'
import { duration } from '../../components/durations.ts'
import { count, counted, time } from '../../components/parts.ts'
import { size } from '../../components/size.ts'
import { noticeOf, progressText } from '../runs/words.ts'

/** The events of a run, and who caused them. */
export type Story = {
  readonly first: readonly Recorded[]
  readonly last: readonly Recorded[]
  /** the number of events between the first and the last ones */
  readonly left: number
  /** the names of those who caused them */
  readonly names: ReadonlyMap<Actor, string>
}

export function timeline({ first, last, left, names }: Story): Html {
  const start = atOf(first[0])
  const scale = { start, length: Math.max(1, atOf(last.at(-1) ?? first.at(-1)) - start) }
  return html`<ol class="timeline">${lines(first, undefined, scale, names)}${left > 0 && html`<li class="fold">… ${count(left)} more events …</li>`}${lines(last, left > 0 ? undefined : first.at(-1), scale, names)}</ol>`
}

const atOf = (recorded: Recorded | undefined): number => (recorded ? Date.parse(recorded.meta.at) : 0)

/** From the first event to the last one, in milliseconds. */
type Scale = { readonly start: number; readonly length: number }

function lines(
  events: readonly Recorded[],
  before: Recorded | undefined,
  scale: Scale,
  names: Story['names'],
): Html[] {
  const texts: Html[] = []
  let previous = before
  for (let i = 0; i < events.length; i++) {
    let progress = 0
    while (isReport(events[i]) && events[i + 1]?.type === 'RunProgressed') {
      progress++
      i++
    }
    texts.push(line(events[i]!, previous, { progress, scale, names }))
    previous = events[i]
  }
  return texts
}

const isReport = (recorded: Recorded | undefined): boolean =>
  recorded?.event?.type === 'RunProgressed' && recorded.event.data.exit_changes === undefined

function line(
  recorded: Recorded,
  previous: Recorded | undefined,
  {
    progress,
    scale,
    names,
  }: { readonly progress: number; readonly scale: Scale; readonly names: Story['names'] },
): Html {
  const id = `event-${recorded.id}`
  const at = atOf(recorded)
  const from = previous ? atOf(previous) : at
  return html`<li id="${id}"><div class="moment"><a href="#${id}">${time(recorded.meta.at)}</a>
<span class="since">${previous !== undefined && `+${duration(at - from)}`}</span>${bar(from - scale.start, at - scale.start, scale.length)}
<span class="event"><strong>${wordsOf(recorded, names)}</strong>${progress > 0 && html` <span class="hint">after ${counted(progress, 'earlier report')}</span>`}</span></div>
<details><summary>${recorded.type}</summary><p class="hint">${copyId(recorded.id, 'the id of the event')}</p><pre tabindex="0"><code>${JSON.stringify({ id: recorded.id, actor: recorded.meta.actor, data: recorded.event?.data }, null, 2)}</code></pre></details></li>`
}

/** The part of the whole time that an event took. The text beside it says the same. */
function bar(from: number, to: number, length: number): Html {
  const percent = (ms: number) => `${Math.round((1000 * Math.max(0, ms)) / length) / 10}%`
  return html`<svg class="span" aria-hidden="true"><rect class="whole" width="100%" height="100%"/><rect x="${percent(from)}" width="${percent(to - from)}" height="100%"/><rect x="${percent(to)}" width="2" height="100%" transform="translate(-1)"/></svg>`
}

function wordsOf({ event, meta }: Recorded, names: Story['names']): Html | string {
  const by = names.get(meta.actor) ?? 'the service'
  switch (event?.type) {
    case 'RunRequested':
      return `Requested by ${by}`
    case 'RunStarted':
      return event.data.attempt === 1
        ? 'Started by a worker'
        : `Started by a worker, attempt ${event.data.attempt}`
    case 'RunProgressed':
      return noticeOf(event.data) ?? html`So far: ${progressText(event.data)}`
    case 'ResultStored': {
      const items = event.data.item_count
      return items === 0 ? 'Result stored' : `${counted(items, 'item')} stored`
    }
    case 'ArtifactStored':
      return `A file of ${size(event.data.bytes)} stored`
    case 'RunRequeued':
      return event.data.reason === 'shutdown'
        ? 'Back in the queue: its worker shut down'
        : 'Back in the queue: its worker was lost'
    case 'RunCancelRequested':
      return `Cancellation requested by ${by}`
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
