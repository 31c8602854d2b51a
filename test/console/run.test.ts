import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type House, startHouse, startRun, to, type Visitor } from './house.ts'

let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

describe('a run', () => {
  test('shows its items, offers them as a download, and can be repeated with its input', async () => {
    const run = await startRun(ann, house, 'badger')
    await house.service.finish(run, { items: [{ id: '1' }, { id: '2' }] })
    const path = `${house.own}/runs/${run}`
    const page = await ann.get(path)
    expect(page).toContain('2 items')
    expect(page).not.toContain('data-live="')
    const csv = await ann.send(`${path}/download/csv`)
    expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="${run}.csv"`)
    expect((await csv.text()).split('\r\n').length).toBe(4)
    expect(await ann.get(`${house.own}/tasks/sample.search?from=${run}`)).toContain('badger')
  })

  test('is cancelled by a person, and a second cancellation is harmless', async () => {
    const run = await startRun(ann, house, 'stoat')
    to(await ann.post(`${house.own}/runs/${run}/cancel`))
    expect(await ann.get(`${house.own}/runs/${run}`)).toContain('cancelled')
    to(await ann.post(`${house.own}/runs/${run}/cancel`))
    const ends = (await house.service.events()).filter(({ stream }) => stream === `run-${run}`)
    expect(ends.at(-1)).toMatchObject({
      type: 'RunCancelled',
      meta: { actor: expect.stringMatching(/^person:/) },
    })
  })

  test('says why it failed and what to do', async () => {
    const run = await startRun(ann, house, 'weasel')
    await house.service.finish(run, { status: 'failed', code: 'not-found', detail: 'no such <b>page</b>' })
    const page = await ann.get(`${house.own}/runs/${run}`)
    expect(page).toContain('No such &#60;b&#62;page')
    expect(page).toContain('Check the spelling of the input, and that it still exists there.')
    expect(await ann.get(house.own)).toContain('Last failures')
  })

  test('shows the beginning and the end of a long event stream', async () => {
    const run = await startRun(ann, house, 'marathon')
    await house.service.start(run)
    const { commands } = house.service.deps
    for (let done = 0; done < 150; done++) {
      const command = {
        ...({ type: 'progress', attempt: 1, now: Date.now(), leaseS: 30 } as const),
        progress: { done, total: null, message: null },
      } as const
      await commands.handle(run as never, command, { causationId: 'test', now: Date.now() })
    }
    const page = await ann.get(`${house.own}/runs/${run}`)
    expect(page).toContain('72 more events')
    expect(page).toContain('149 items')
  })

  test('lists are filtered by the query of the address', async () => {
    const all = await ann.get(`${house.own}/runs`)
    const cancelled = await ann.get(`${house.own}/runs?status=cancelled`)
    const rows = (text: string) => [...text.matchAll(/id="row-run_/g)].length
    expect(rows(cancelled)).toBeGreaterThan(0)
    expect(rows(cancelled)).toBeLessThan(rows(all))
    expect(rows(await ann.get(`${house.own}/runs?status=canceled`))).toBe(rows(cancelled))
    expect(await ann.get(`${house.own}/runs?status=nonsense`)).toContain('id="row-run_')
    expect(await ann.get(`${house.own}/runs?to=2001-01-01`)).toContain('No run matches')
    expect(await ann.get(`${house.own}/runs?task_key=sample.search&from=2001-01-01`)).toContain(
      'id="row-run_',
    )
  })
})
