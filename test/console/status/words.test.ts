import { expect, test } from 'bun:test'
import type { Status } from '../../../src/console/status/board.ts'
import { headline } from '../../../src/console/status/words.ts'
import type { Health } from '../../../src/domain/health/standing.ts'

const said = (...healths: Health[]) =>
  headline({
    isKnown: true,
    sources: [{ tasks: healths.map((health) => ({ health })) }],
  } as unknown as Status)

test('the sentence on top does not speak for tasks that had no run', () => {
  expect(said('healthy', 'healthy')).toBe('All tasks work.')
  expect(said('healthy', 'unknown')).toBe(
    'All tasks that ran in the last day work. 1 task had no run in the last day.',
  )
  expect(said('broken', 'drifting', 'healthy', 'unknown', 'unknown')).toBe(
    '2 tasks of 5 have problems. 2 tasks had no run in the last day.',
  )
  expect(said('unknown', 'unknown')).toBe('No task had a run in the last day to judge by.')
})
