/** Days of a person's time zone. */
import { describe, expect, test } from 'bun:test'
import { Days, dayAfter, dayIn, zoneOf } from '../../src/console/time-zone.ts'

const at = (text: string): number => Date.parse(text)
const zoneIn = (cookie: string): string => zoneOf(new Request('http://own/', { headers: { cookie } }))

test.each([
  ['UTC', '2026-11-29', '2026-11-29T00:00:00Z', '2026-11-29T23:59:59.999Z'],
  ['Pacific/Auckland', '2026-11-29', '2026-11-28T11:00:00Z', '2026-11-29T10:59:59.999Z'],
  ['America/Los_Angeles', '2026-11-29', '2026-11-29T08:00:00Z', '2026-11-30T07:59:59.999Z'],
  ['Asia/Kathmandu', '2026-11-29', '2026-11-28T18:15:00Z', '2026-11-29T18:14:59.999Z'],
  // The clocks change: the day has 23 or 25 hours.
  ['America/New_York', '2026-03-08', '2026-03-08T05:00:00Z', '2026-03-09T03:59:59.999Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z', '2026-10-25T22:59:59.999Z'],
  ['Pacific/Auckland', '2026-09-27', '2026-09-26T12:00:00Z', '2026-09-27T10:59:59.999Z'],
])('in %s the day %s begins at %s and ends at %s', (zone, day, start, end) => {
  const days = new Days(zone)
  expect([days.start(day), days.end(day)]).toEqual([at(start), at(end)])
  expect([at(start) - 1, at(start), at(end), at(end) + 1].map((each) => days.of(each))).toEqual([
    dayAfter(day, -1),
    day,
    day,
    dayAfter(day, 1),
  ])
})

describe('the zone of a browser', () => {
  test.each([
    ['gleaner_zone=Pacific%2FAuckland', 'Pacific/Auckland'],
    ['a=b; gleaner_zone=Europe%2FBerlin', 'Europe/Berlin'],
    ['', 'UTC'],
    ['gleaner_zone=', 'UTC'],
    ['gleaner_zone=%E0%A4%A', 'UTC'],
    ['gleaner_zone=Nowhere%2F%3Cscript%3E', 'UTC'],
  ])('with the cookie "%s" is %s', (cookie, zone) => {
    expect(zoneIn(cookie)).toBe(zone)
  })
})

test.each([
  ['2026-02-28', true],
  ['2026-02-29', false],
  ['2026-13-01', false],
  ['2026-1-1', false],
  ['0000-00-00', false],
  ['yesterday', false],
  ['', false],
])('the text "%s" of a date field is a day: %p', (text, isDay) => {
  expect(dayIn(text)).toBe(isDay ? text : undefined)
})
