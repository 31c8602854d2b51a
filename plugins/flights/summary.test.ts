/** What runs are called: a summary of each task's input. */
import { expect, test } from 'bun:test'
import { search } from './search.ts'

test.each([
  [{ origin: 'LHR', destination: 'JFK' }, 'LHR → JFK'],
  [{ origin: 'LHR', destination: 'JFK', depart_date: '2026-12-03' }, 'LHR → JFK, 3 Dec 2026'],
  [
    {
      origin: 'London',
      destination: '/m/04jpl',
      depart_date: '2028-02-29',
      return_date: '2028-09-01',
      adults: 2,
    },
    'London → /m/04jpl, 29 Feb 2028 · back 1 Sep 2028 · 2 adults',
  ],
] as const)('search of %j is %s', (input, title) => {
  expect(search.summary?.(input)).toBe(title)
})
