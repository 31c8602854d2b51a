import { expect, test } from 'bun:test'
import { readCassette, runTask } from 'gleaner/plugin/testing'
import source from './source.ts'

const task = source.tasks.find(({ key }) => key === 'newsource.search')!
const { input, exchanges } = readCassette(new URL('./fixtures/search.json', import.meta.url))

test('each entry becomes an item with every field, over all pages', async () => {
  const { items, rest, error } = await runTask(task, input, { source, exchanges })
  expect(error).toBeNull()
  expect(items).toEqual([
    {
      id: '1',
      title: 'Desk lamp',
      url: 'https://www.example.com/items/1',
      description: 'Bright & bendable',
    },
    { id: '2', title: 'Writing desk', url: 'https://www.example.com/items/2', description: null },
    {
      id: '3',
      title: 'Desk drawer',
      url: 'https://www.example.com/items/3',
      description: 'Holds three pencils',
    },
  ])
  expect(rest.next_cursor).toBeNull()
})

test('a limit that ends inside a page loses and repeats nothing', async () => {
  const first = await runTask(task, { ...input, limit: 1 }, { source, exchanges })
  const cursor = first.rest.next_cursor
  const second = await runTask(task, { ...input, cursor }, { source, exchanges })
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(['1', '2', '3'])
})

test('nothing found is a success without items', async () => {
  const nothing = [{ request: '/api/search', json: { results: [], next_page: null } }]
  const { items, error } = await runTask(task, input, { source, exchanges: nothing })
  expect([items, error]).toEqual([[], null])
})

test('a response without its list is a changed source, never zero items', async () => {
  const exchanges = [{ request: '/api/search', json: { message: 'moved' } }]
  const { error } = await runTask(task, input, { source, exchanges })
  expect(error?.code).toBe('source-changed')
})

test('an input that the task does not take is refused before any request', async () => {
  const { issues, requests } = await runTask(task, { query: '' }, { source, exchanges: [] })
  expect(issues.map(({ pointer }) => pointer)).toEqual(['/query'])
  expect(requests).toEqual([])
})
