import { expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { loadCatalogue } from '../../../src/catalogue/catalogue.ts'
import type { Cassette, Exchange } from '../../../src/plugin/testing.ts'
import { complete } from '../../../tools/repair/complete.ts'

const plugins = temporaryFolder()
const template = join(import.meta.dirname, '../../../tools/new-source/template')
cpSync(template, join(plugins, 'newsource'), { recursive: true })
const { tasks } = await loadCatalogue({ folders: [], config: { pluginsDir: plugins, runLimitS: 300 } })
const task = tasks[0]!
const AT = Date.parse('2026-11-29T12:00:00Z')

const page = (query: string, number: number, id: number, next: number | null): Exchange => ({
  request: `GET /api/search?q=${query}&page=${number}`,
  json: { results: [{ id, title: 'x', description: '' }], next_page: next },
})
const run = (query: string, ...exchanges: Exchange[]): Cassette => ({
  task: task.key,
  input: { query, limit: 9 },
  note: 'The last answers.',
  exchanges,
})
const idsOf = async (capture: Cassette, old?: Cassette) => {
  const { cassette, run: ran } = await complete(task, capture, old, AT)
  return { cassette, code: ran.code, ids: ran.items.map(({ id }) => id) }
}

test('a whole run stays as it is', async () => {
  const whole = run('desk', page('desk', 1, 1, null))
  expect(await idsOf(whole, whole)).toEqual({ cassette: whole, code: null, ids: ['1'] })
})

test('the missing first answers are those of an old run with the same requests', async () => {
  const old = run('desk', page('desk', 1, 1, 2), page('desk', 2, 2, 3), page('desk', 3, 3, null))
  const { cassette, ids } = await idsOf(run('desk', page('desk', 3, 33, null)), old)
  expect(ids).toEqual(['1', '2', '33'])
  expect(cassette.note).toBe(
    'The last answers. From an old recording: GET /api/search?q=desk&page=1, GET /api/search?q=desk&page=2.',
  )
})

test('when the old run had another input, the answers of the capture serve any query, in order', async () => {
  const old = run('desk', page('desk', 1, 1, 2))
  const { cassette, ids } = await idsOf(
    run('floor', page('floor', 2, 22, 3), page('floor', 3, 33, null)),
    old,
  )
  expect(ids).toEqual(['22', '33'])
  expect(cassette.exchanges.map(({ request }) => request)).toEqual(['GET /api/search', 'GET /api/search'])
  expect(cassette.note).toBe('The last answers. The answers serve any query and body of their addresses.')
})

test('a capture that cannot be completed stays as it is', async () => {
  const other: Exchange = { request: 'GET /api/details', json: {} }
  const alone = run('floor', other)
  expect(await idsOf(alone)).toEqual({ cassette: alone, code: 'no-answer', ids: [] })
})

test('a list ends after the captured answers, whatever page they name as the next', async () => {
  const first = run('floor', page('floor', 1, 1, 2))
  expect(await idsOf(first)).toEqual({ cassette: first, code: null, ids: ['1'] })
  const { ids } = await idsOf(run('floor', page('floor', 7, 7, 8)))
  expect(ids).toEqual(['7'])
})

test('a capture with a credential in its request is the answer to the request, and no old recording is', async () => {
  const capture = run('REDACTED+token', page('REDACTED+token', 1, 33, null))
  const old = run('desk', page('desk', 1, 1, null))
  const { ids } = await idsOf({ ...capture, input: { query: 'me@lamps.example token' } }, old)
  expect(ids).toEqual(['33'])
})

test('the answers of an old recording alone are no completion', async () => {
  const capture = run('desk', { request: 'GET /api/other', json: {} })
  const old = run('desk', page('desk', 1, 1, null))
  expect(await idsOf(capture, old)).toEqual({ cassette: capture, code: 'no-answer', ids: [] })
})

test('it is said when the run does not make the last request of the capture', async () => {
  const capture = run('desk', page('desk', 1, 1, null), page('desk', 2, 2, null))
  const { unasked } = await complete(task, capture, undefined, AT)
  expect(unasked).toBe('GET /api/search?q=desk&page=2')
})
