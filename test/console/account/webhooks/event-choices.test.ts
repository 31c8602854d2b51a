/** The choice of an endpoint's events. */
import { describe, expect, test } from 'bun:test'
import {
  chosenTypes,
  eventChoices,
  GROUPS,
  typesText,
} from '../../../../src/console/account/webhooks/event-choices.ts'
import { EVENT_TYPES, TERMINAL_EVENTS } from '../../../../src/domain/events.ts'
import { WEBHOOK_TYPES } from '../../../../src/webhooks/endpoints/record.ts'

const checkedIn = (text: string) => [...text.matchAll(/value="(\w+)" checked/g)].map(([, value]) => value)

describe('the choice of events', () => {
  test('offers every type that an endpoint can have once, with its meaning', () => {
    const { text } = eventChoices([], undefined)
    const offered = [...text.matchAll(/name="types" value="(\w+)"/g)].map(([, value]) => value!)
    expect(offered.toSorted()).toEqual(['ends', ...WEBHOOK_TYPES].toSorted())
    expect([...GROUPS.values()].flat().toSorted()).toEqual([...WEBHOOK_TYPES].toSorted())
    for (const type of WEBHOOK_TYPES) expect(text).toContain(EVENT_TYPES[type].about.replaceAll("'", '&#39;'))
  })

  test('shows the ends of runs as one choice, and some of them one by one', () => {
    expect(checkedIn(eventChoices([...TERMINAL_EVENTS, 'CreditsLow'], undefined).text)).toEqual([
      'ends',
      'CreditsLow',
    ])
    expect(checkedIn(eventChoices(['RunFailed'], undefined).text)).toEqual(['RunFailed'])
  })

  test('a choice that is sent unchanged leaves the types as they are', () => {
    for (const types of [TERMINAL_EVENTS, ['RunFailed', 'KeyCreated'], WEBHOOK_TYPES])
      expect(chosenTypes(checkedIn(eventChoices(types, undefined).text) as string[]).toSorted()).toEqual(
        [...types].toSorted() as never,
      )
  })

  test('names no type that does not exist', () => {
    expect(chosenTypes(['RunExploded', 'PersonJoined', 'toString'])).toEqual([])
  })
})

test('the types of an endpoint are said in a few words', () => {
  expect(typesText(TERMINAL_EVENTS)).toBe('ends of runs')
  expect(typesText([...TERMINAL_EVENTS, 'KeyCreated'])).toBe('ends of runs, KeyCreated')
  expect(typesText(['RunFailed', 'RunErrored'])).toBe('RunFailed, RunErrored')
})
