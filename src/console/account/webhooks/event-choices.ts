/**
 * The choice of an endpoint's events: the ends of runs as one choice, then all types in groups, each with its meaning.
 *
 * @module
 */
import { EVENT_TYPES, type EventType, streamOf, TERMINAL_EVENTS } from '../../../domain/events.ts'
import { TEAM_EVENTS } from '../../../domain/people-events.ts'
import { type Html, html } from '../../../html.ts'
import { WEBHOOK_TYPES } from '../../../webhooks/endpoints/record.ts'

/** The value of the choice that stands for all ends of runs. */
const ENDS = 'ends'

type Group = Exclude<ReturnType<typeof streamOf>, 'person' | 'address' | 'source'> | 'ends' | 'people'
const LABELS: Readonly<Record<Group, string>> = {
  ends: 'Only some ends of runs',
  run: 'Runs in detail',
  account: 'The account and its credits',
  key: 'API keys',
  people: 'People of the account',
  login: 'Logins',
  webhook: 'Webhooks',
}

function groupOf(type: EventType): Group {
  if (isEnd(type)) return 'ends'
  if (type in TEAM_EVENTS && type !== 'AccountRenamed') return 'people'
  return streamOf(type) as Group
}

const isEnd = (type: string): boolean => (TERMINAL_EVENTS as readonly string[]).includes(type)

/** All types that an endpoint can have, in groups. */
export const GROUPS: ReadonlyMap<Group, readonly EventType[]> = Map.groupBy(WEBHOOK_TYPES, groupOf)

/** The checkboxes. @param chosen names of types */
export function eventChoices(chosen: readonly string[], error: string | undefined): Html {
  const hasEnds = TERMINAL_EVENTS.every((type) => chosen.includes(type))
  // The five ends are one choice then.
  const single = hasEnds ? chosen.filter((type) => !isEnd(type)) : chosen
  const groups = (Object.keys(LABELS) as Group[]).map((group) => {
    const types = GROUPS.get(group) ?? []
    const isOpen = types.some((type) => single.includes(type))
    return (
      types.length > 0 &&
      html`<details${isOpen && html` open`}><summary>${LABELS[group]}</summary>${types.map((type) => choice(type, html`<code>${type}</code>`, EVENT_TYPES[type].about, single.includes(type)))}</details>`
    )
  })
  return html`<fieldset class="field events"${error && html` aria-describedby="types-error"`}><legend>Events</legend>
${choice(ENDS, 'When a run ends', 'It succeeded, failed, errored, expired or was cancelled. Most programs need no other event.', hasEnds)}
${groups}${error && html`<p class="error" id="types-error">${error}</p>`}</fieldset>`
}

const choice = (value: string, label: Html | string, about: string, isChecked: boolean): Html =>
  html`<label><input type="checkbox" name="types" value="${value}"${isChecked && html` checked`}><span>${label}<span class="hint">${about}</span></span></label>`

/** The types of the submitted choices. */
export function chosenTypes(sent: readonly string[]): readonly EventType[] {
  const hasEnds = sent.includes(ENDS)
  return WEBHOOK_TYPES.filter((type) => sent.includes(type) || (hasEnds && isEnd(type)))
}

/** An endpoint's types in a few words: `ends of runs and 2 more`. */
export function typesText(types: readonly string[]): string {
  if (!TERMINAL_EVENTS.every((type) => types.includes(type))) return types.join(', ')
  const others = types.filter((type) => !isEnd(type))
  return ['ends of runs', ...others].join(', ')
}
