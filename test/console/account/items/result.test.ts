/** The result of a run on its page: what the run brought comes first, and nothing is called empty that is not. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { loadCatalogue, PLUGINS } from '../../../../src/catalogue/catalogue.ts'
import { readConfig } from '../../../../src/config.ts'
import type { RunId } from '../../../../src/domain/ids.ts'
import { Collected } from '../../../../src/worker/collected.ts'
import { idIn, to } from '../../house.ts'
import { columnsOf, type ItemsHouse, rowsOf, startItemsHouse, textOf } from './house.ts'

let items: ItemsHouse
beforeAll(async () => {
  const folders = [PLUGINS, join(import.meta.dirname, '../../../http/plugins')]
  const catalogue = await loadCatalogue({ folders, config: readConfig({}) })
  items = await startItemsHouse({ deps: () => ({ catalogue }) })
})
afterAll(() => items.close())

type Ending = Parameters<ItemsHouse['house']['service']['finish']>[1]
/** The page of a run with this end. */
async function pageOf(ending: Ending): Promise<string> {
  const path = await items.start()
  await items.house.service.finish(idIn(path), ending)
  return items.ann.get(path)
}

const file = { name: 'photos.zip', contentType: 'application/zip', body: 'zip' }

test('a result of one object is shown by its fields, and counted as one', async () => {
  const sent = { json: '{"community":"gardens"}', by: 'json' }
  const path = to(await items.ann.post(`${items.house.own}/tasks/forum.community.details`, sent))
  const rest = { about: { title: 'Gardens', members: 41_222 } }
  await items.house.service.finish(idIn(path), { items: [], rest })
  const page = await items.ann.get(path)
  expect(textOf(page)).toContain('Members 41,222')
  expect(textOf(page)).toContain('Result 1 object')
  for (const absent of [/no items/i, 'Download CSV', '0 items']) expect(page).not.toMatch(absent)
})

test('files come first', async () => {
  const page = await pageOf({ items: [{ id: '1' }], files: [file] })
  expect(page.indexOf('<h2>Files</h2>')).toBeGreaterThan(0)
  expect(page.indexOf('<h2>Files</h2>')).toBeLessThan(page.indexOf('id="items"'))
  expect(page).toContain('photos.zip')
  expect(textOf(page)).toContain('application/zip 3 bytes')
})

test.each([
  [{ status: 'failed', code: 'source-blocked' }, 'The run failed. These are the items until then.'],
  [{ status: 'expired', code: 'run-limit' }, 'The run ran out of time. These are the items until then.'],
  [{}, undefined],
] as const)('%o: what its items are', async (ending, note) => {
  const page = textOf(await pageOf({ items: [{ id: '1' }], ...ending }))
  if (note === undefined) expect(page).not.toContain('until then')
  else expect(page).toContain(note)
})

test('a search that found nothing says so and leads to its input; a failure is told by its card alone', async () => {
  const page = await pageOf({ items: [], rest: { total_entries: 0 } })
  expect(textOf(page)).toContain('No items were found. Edit the input')
  expect(textOf(page)).toContain('Other fields of the result Total entries 0')
  expect(page).not.toContain('<h2>Result</h2>')
  const vic = await items.house.joins('viewer', 'Vic')
  const path = await items.run([])
  expect(textOf(await vic.get(path))).toContain('No items were found.')
  expect(await vic.get(path)).not.toContain('Edit the input')
  const failed = await pageOf({ status: 'failed', code: 'not-found' })
  expect(failed).not.toContain('no items')
  expect(failed).not.toContain('id="items"')
})

test('other fields of the result are folded below the items', async () => {
  const page = await pageOf({ items: [{ id: '1' }], rest: { total_hits: 1234, next_cursor: 'abc' } })
  expect(page).toContain('<summary>Other fields of the result</summary>')
  expect(textOf(page)).toContain('Total hits 1,234')
  expect(textOf(page)).toContain('Next cursor abc')
})

test('CSV of the chosen columns has those, in their order, and no others', async () => {
  const path = await items.run([{ id: '1', title: 'Lamp', 'a,b': 2 }])
  const csv = async (query: string) => (await items.ann.send(`${path}/download/csv${query}`)).text()
  expect(await csv('?columns=title,id')).toBe('\ufefftitle,id\r\nLamp,1\r\n')
  const whole = await csv('')
  for (const nothing of ['?columns=', '?columns=constructor']) expect(await csv(nothing)).toBe(whole)
})

describe('a run that works', () => {
  test('shows its items so far, and says that they are not final', async () => {
    const path = await items.start()
    expect(textOf(await items.ann.get(path))).toContain('No items yet.')
    const { runId, accountId, attempt } = await items.house.service.start(idIn(path))
    const collected = new Collected()
    collected.add({ text: '{"id":"1","title":"Lamp"},{"id":"2","title":"Chair"}', count: 2 })
    items.house.stores.liveItems.share({ runId: runId as RunId, accountId, attempt }, collected)
    const page = await items.ann.get(path)
    expect(rowsOf(page)).toEqual([1, 2])
    expect(columnsOf(page)[0]).toBe('title')
    expect(textOf(page)).toContain('2 items so far The run is still working.')
    expect(textOf(await items.ann.get(`${path}/items/2`))).toContain('Item 2 of 2 so far')
    collected.clear()
    expect((await items.ann.send(`${path}/items/2`)).status).toBe(404)
  })
})
