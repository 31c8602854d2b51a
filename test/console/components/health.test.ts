import { expect, test } from 'bun:test'
import { healthBadge, healthSentence, worries, worstOf } from '../../../src/console/components/health.ts'
import { HEALTHS, type Health } from '../../../src/domain/health/standing.ts'

const said = (health: Health, since: string | null, fields: readonly string[] = []) =>
  healthSentence(health, since, fields).text.replaceAll(/<[^>]+>/g, '')

test('a state is a sentence with the day since when, and the fields that are empty', () => {
  const since = '2026-11-12T08:00:00.000Z'
  expect(said('healthy', since)).toBe('It has worked since 12 Nov 2026.')
  expect(said('degraded', since)).toBe('At least one in five runs has failed since 12 Nov 2026.')
  expect(said('degraded', since, ['price'])).toEndWith(' Some fields are empty, too: price.')
  expect(said('broken', since)).toBe('The last three runs failed. It has been broken since 12 Nov 2026.')
  expect(said('unknown', since)).toBe('No run in the last 24 hours to judge by.')
  expect(said('drifting', since, ['price', '<b>'])).toBe(
    'Some fields have been empty since 12 Nov 2026: price, &#60;b&#62;.',
  )
  expect(said('healthy', null)).toBe('It has worked.')
})

test('every state has its place among the worst, and a known state counts more than an unknown one', () => {
  const all = Object.keys(HEALTHS) as Health[]
  expect(worstOf(all)).toBe('broken')
  expect(worstOf(['healthy', 'drifting', 'unknown'])).toBe('drifting')
  expect(worstOf(['unknown', 'healthy'])).toBe('healthy')
  expect(worstOf([])).toBe('unknown')
  for (const health of all) expect(worstOf([health])).toBe(health)
  expect(all.filter((health) => worries(health) > 0).toSorted()).toEqual(['broken', 'degraded', 'drifting'])
})

test('a badge says what its state means in other words than those of the ends, and which fields are empty', () => {
  const badgeOf = (health: Health, fields: readonly string[] = []) =>
    healthBadge(health, fields).text.replaceAll(/<[^>]+>/g, '')
  expect(badgeOf('healthy')).toBe('healthy')
  expect(badgeOf('broken')).toBe('broken the last three runs failed')
  expect(badgeOf('degraded', ['price'])).toBe(
    'degraded at least one in five runs fails; some fields are empty: price',
  )
  expect(badgeOf('drifting', ['price', 'size'])).toBe('drifting some fields are empty: price, size')
})
