/** A row says in a few words what a run has, why it failed, and how long it took. */
import { describe, expect, test } from 'bun:test'
import { creditsOf, outcome, took } from '../../../../src/console/account/runs/words.ts'
import type { AdmittedRun, EndedRun } from '../../../../src/domain/run.ts'

/** Only `forum.wiki` has no items. */
const get = (key: string) => ({
  source: { title: 'Photos (Instagram)' },
  columns: key === 'forum.wiki' ? [] : ['id'],
})
const deps = { catalogue: { get } } as never
const at = (seconds: number) => new Date(seconds * 1000).toISOString()
const run = (fields: object) =>
  ({
    status: 'succeeded',
    code: null,
    taskKey: 'photo.search',
    createdAt: at(0),
    startedAt: at(5),
    finishedAt: at(65),
    progress: { done: 3, total: null, message: null },
    result: null,
    files: [],
    charged: 5,
    refunded: 2,
    ...fields,
  }) as unknown as AdmittedRun
const working = (fields: object = {}) => {
  const {
    finishedAt: _,
    code: __,
    refunded: ___,
    ...rest
  } = run({ status: 'running', ...fields }) as EndedRun
  return rest as AdmittedRun
}
const text = (shown: { readonly text: string } | string): string =>
  (typeof shown === 'string' ? shown : shown.text).replaceAll(/<[^>]+>/g, '')

describe('the result', () => {
  test.each([
    ['items', run({ result: { item_count: 1200 } }), '1,200 items'],
    ['one item', run({ result: { item_count: 1 } }), '1 item'],
    ['a file', run({ result: { item_count: 0 }, files: [{}] }), '1 file'],
    ['nothing', run({ result: { item_count: 0 } }), '0 items'],
    ['one object', run({ taskKey: 'forum.wiki', result: { item_count: 0 } }), '1 object'],
    ['no object yet', run({ taskKey: 'forum.wiki', status: 'cancelled' }), '0 items'],
    ['a failure', run({ status: 'failed', code: 'source-login-required' }), 'needs a login'],
    [
      'a failure after items',
      run({ status: 'failed', code: 'source-blocked', result: { item_count: 30 } }),
      'blocked, 30 items',
    ],
    ['a code of tomorrow', run({ status: 'failed', code: 'new-code' }), 'no success'],
    ['progress', working(), '3 items'],
    [
      'progress of a known total',
      working({ progress: { done: 3, total: 12, message: 'pages' } }),
      '3 of 12 pages',
    ],
    [
      'a sentence of the service in place of progress',
      working({
        progress: { done: 0, total: null, message: 'Refused, trying another way out.' },
      }),
      'Refused, trying another way out.',
    ],
    [
      "a sentence of a plugin, which is no notice of the service's",
      working({ progress: { done: 0, total: null, message: 'pages of the list.' } }),
      '0 pages of the list.',
    ],
    [
      'progress of which nothing is counted yet',
      working({ progress: { done: 0, total: null, message: 'pages read' } }),
      '0 pages read',
    ],
    ['a queued run', working({ status: 'queued', progress: { done: 0, total: null, message: null } }), ''],
  ])('%s', (_, of, expected) => expect(text(outcome(deps, of))).toBe(expected))
  test('of a failure has the whole sentence as its tooltip', () => {
    const shown = outcome(deps, run({ status: 'failed', code: 'source-blocked' })) as { text: string }
    expect(shown.text).toContain('title="Instagram showed a block, a captcha or a consent page."')
  })
})

describe('the time', () => {
  test.each([
    ['of an ended run', run({}), '1 min'],
    ['of a run that never started', run({ status: 'cancelled', startedAt: null }), '–'],
    ['of a run that works', working(), '1 min 35 s'],
    ['of a run that waits', working({ status: 'queued', startedAt: null }), 'waits 1 min 40 s'],
    ['of a run that is back in the queue', working({ status: 'queued' }), 'waits 1 min 40 s'],
  ])('%s', (_, of, expected) => expect(text(took(of, 100_000))).toBe(expected))
})

test('credits are the charge without the refund', () => {
  expect([creditsOf(run({})), creditsOf(working())]).toEqual([3, 5])
})
