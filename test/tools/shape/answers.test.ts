import { expect, test } from 'bun:test'
import { compareAnswers } from '../../../tools/shape/answers.ts'

test('answers of one address are compared together, whatever its ids and query', async () => {
  const old = [
    { request: 'GET /lamps/1001?token=REDACTED', json: { id: 1, glow: 'warm' } },
    { request: 'GET /lamps/1002', json: { id: 2 } },
  ]
  const fresh = [{ request: 'GET /lamps/2007?token=REDACTED', json: { id: 3 } }]
  const [change, ...others] = await compareAnswers(old, fresh)
  expect(others).toEqual([])
  expect(change).toMatchObject({ address: 'GET /lamps/*', was: [200], now: [200] })
  expect(change?.changes.map(({ path, change }) => [path, change])).toEqual([['glow', 'vanished']])
})

test('an address that answers with another status, or that only one run requested, is a change', async () => {
  const old = [
    { request: '/api/lamps', json: [] },
    { request: 'GET /home', body: '<p>x</p>' },
  ]
  const fresh = [
    { request: 'GET /api/lamps', status: 404, json: [] },
    { request: 'GET https://api.lamps.example/v2', json: [] },
  ]
  expect(await compareAnswers(old, fresh)).toEqual([
    { address: 'GET /api/lamps', was: [200], now: [404], changes: [] },
    { address: 'GET /home', was: [200], now: [], changes: [] },
    { address: 'GET https://api.lamps.example/v2', was: [], now: [200], changes: [] },
  ])
})

test('an address with * stands for the addresses that a run requests, and refusals have no shape', async () => {
  const old = [
    { request: '/r/*/search.json', json: { hits: [] } },
    { request: '/about', status: 403, body: '<p>No' },
  ]
  const fresh = [
    { request: '/r/lamps/search.json', json: { hits: 0 } },
    { request: '/about', status: 403 },
  ]
  const changes = await compareAnswers(old, fresh)
  expect(changes.map(({ address, changes }) => [address, changes.map(({ path }) => path)])).toEqual([
    ['GET /r/*/search.json', ['hits']],
  ])
})

test('answers that are neither JSON nor a page have no shape to differ in', async () => {
  const old = [{ request: '/a', base64: 'AAAA', headers: { 'content-type': 'image/png' } }]
  expect(await compareAnswers(old, [{ request: '/a', body: 'plain text' }])).toEqual([])
})

test.each([`)]}'\n`, `)]}',`, '{}&&', 'for (;;);', 'while(1);'])(
  'JSON after %s is read as JSON',
  async (prefix) => {
    const body = (name: string) => [{ request: '/a', body: `${prefix}{"${name}": 1}` }]
    const [change] = await compareAnswers(body('price'), body('cost'))
    expect(change?.changes.map(({ path, change }) => [path, change])).toEqual([
      ['price', 'vanished'],
      ['cost', 'appeared'],
    ])
  },
)

test('the size of an id does not change its kind', async () => {
  const body = (id: string) => [{ request: '/a', body: `{"id": ${id}}` }]
  expect(await compareAnswers(body('7'), body('7603296357641735445'))).toEqual([])
})
