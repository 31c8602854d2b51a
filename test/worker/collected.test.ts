/** The progress of a run says what is counted, also while its source asked for a pause. */
import { expect, test } from 'bun:test'
import { Collected } from '../../src/worker/collected.ts'

test.each([
  [undefined, { done: 2, total: null, message: 'items, paused by the site' }],
  [
    { done: 10, total: 50, message: 'articles read' },
    { done: 10, total: 50, message: 'articles read, paused by the site' },
  ],
])('the progress %o in a pause', (reported, expected) => {
  const collected = new Collected()
  collected.add({ text: '{},{}', count: 2 })
  collected.reported = reported
  const before = collected.progress
  collected.isPaused = true
  expect(collected.progress).toEqual(expected)
  collected.isPaused = false
  expect(collected.progress).toEqual(before)
})

test('what the service says stands in for a progress that there is not, and not for the pause', () => {
  const collected = new Collected()
  collected.notice = 'Refused, trying another way out.'
  expect(collected.progress).toEqual({
    done: 0,
    total: null,
    message: 'Refused, trying another way out.',
  })
  collected.isPaused = true
  expect(collected.progress).toEqual({ done: 0, total: null, message: 'items, paused by the site' })
  collected.isPaused = false
  collected.add({ text: '{}', count: 1 })
  expect(collected.progress).toEqual({ done: 1, total: null, message: null })
})
