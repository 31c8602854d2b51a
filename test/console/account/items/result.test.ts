/** The result of a run on its page: what the run brought comes first, and nothing is called empty that is not. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { RunId } from '../../../../src/domain/ids.ts'
import { Collected } from '../../../../src/worker/collected.ts'
import { idIn } from '../../house.ts'
import { columnsOf, type ItemsHouse, rowsOf, startItemsHouse, textOf } from './house.ts'

let items: ItemsHouse
beforeAll(async () => {
  items = await startItemsHouse()
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

test('a result of one object is shown by its fields', async () => {
  const page = await pageOf({ items: [], rest: { about: { title: 'Gardens', members: 41_222 } } })
  expect(textOf(page)).toContain('Members 41,222')
  for (const absent of ['no items', 'Download CSV']) expect(page).not.toContain(absent)
})

test('files come first', async () => {
  const page = await pageOf({ items: [{ id: '1' }], files: [file] })
  expect(page.indexOf('<h2>Files</h2>')).toBeGreaterThan(0)
  expect(page.indexOf('<h2>Files</h2>')).toBeLessThan(page.indexOf('id="items"'))
  expect(page).toContain('photos.zip')
})

test('a run that brought nothing says so; one that failed leaves it at its failure', async () => {
  expect(await pageOf({ items: [] })).toContain('This run returned no items.')
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
