/** Home: the first steps until they are done, the latest runs and those under way, and failures with the action that helps. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { firstTask } from '../../../src/console/account/first-steps.ts'
import { type House, idIn, startHouse, startRun, to, type Visitor } from '../house.ts'

let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

const text = (page: string): string => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

test('"Try this one now" starts the example of a cheap task by one click, once', async () => {
  const page = await ann.get(house.own)
  const [form = ''] = /<form method="post" action="[^"]+\/tasks\/[^"]+"[\s\S]*?<\/form>/.exec(page) ?? []
  expect(text(form)).toContain('Try this one now for 1 credit')
  const fields = Object.fromEntries(
    [...form.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name!,
      value!.replaceAll('&#34;', '"'),
    ]),
  )
  const action = /action="([^"]+)"/.exec(form)![1]!
  const [one, two] = [to(await ann.post(action, fields)), to(await ann.post(action, fields))]
  expect(one).toBe(two)
  expect(await ann.get(one)).toContain('<h1>otter</h1>')
  await house.service.finish(idIn(one))
})

test('the steps stay until there are a run and a key', async () => {
  const before = text(await ann.get(house.own))
  expect(before).toContain('Run a task here done')
  expect(before).toContain('Create a key')
  await ann.submit(`${house.own}/keys`, { name: 'nightly', scopes: ['runs'] })
  expect(text(await ann.get(house.own))).not.toContain('First steps')
})

/** The ids of the runs in a part of Home, in their order. */
const runsIn = (page: string, part: 'open' | 'latest') => {
  const [, content = ''] =
    new RegExp(`<div id="${part}"[^>]*>([\\s\\S]*?)</div>\\s*(?:<p>|</div>)`).exec(page) ?? []
  return [...content.matchAll(/\/runs\/(run_\w+)"/g)].map(([, id]) => id!)
}

test('the five latest runs are listed; those under way stand apart, and only while there are some', async () => {
  const ids: string[] = []
  for (const query of ['a', 'b', 'c', 'd', 'e', 'f']) {
    ids.unshift(await startRun(ann, house, query))
    await house.service.finish(ids[0]!)
  }
  const quiet = await ann.get(house.own)
  expect(runsIn(quiet, 'latest')).toEqual(ids.slice(0, 5))
  expect(text(quiet)).not.toMatch(/Under way|All runs under way/)
  expect(text(quiet)).toContain('Runs under way 0')
  const open = await startRun(ann, house, 'g')
  const busy = await ann.get(house.own)
  expect(runsIn(busy, 'open')).toEqual([open])
  expect(runsIn(busy, 'latest')).toEqual(ids.slice(0, 5))
  expect(text(busy)).toContain('Runs under way 1')
  await house.service.finish(open)
})

test('the last 30 days are a chart with a table behind it; a healthy task is called so once', async () => {
  const page = text(await ann.get(house.own))
  expect(page).toMatch(
    /Credits spent by day, less refunds, in the last 30 days \(UTC\): [1-9]\d* credits in all/,
  )
  expect(page).toContain('As a table')
  expect(page).not.toMatch(/healthy works/)
})

test('a failure has its reason and its action', async () => {
  const run = await startRun(ann, house, 'unlucky')
  await house.service.finish(run, { status: 'failed', code: 'source-unavailable' })
  const page = await ann.get(house.own)
  expect(text(page)).toMatch(
    /Last failures .*Search · unlucky .*could not be reached.* Run again with this input \(1 credit\)/,
  )
})

test('the first task is the cheapest with a fixed price and without a login, a search before others', () => {
  const task = (key: string, creditCost: number, more: object = {}) =>
    ({ key, creditCost, declaration: { price: creditCost, ...more } }) as never
  const all = [
    task('a.cheap', 0, { needs: { login: 'optional' } }),
    task('b.blocks', 0, { price: { words: 'by blocks' } }),
    task('c.page', 1),
    task('d.search', 1),
    task('e.search', 2),
  ]
  expect(firstTask(all)?.key).toBe('d.search')
  expect(firstTask([])).toBeUndefined()
})
