import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { loadCatalogue, PLUGINS } from '../../../../src/catalogue/catalogue.ts'
import { readConfig } from '../../../../src/config.ts'
import { type House, startHouse, startRun, to, type Visitor } from '../../house.ts'

let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

describe('the page of a task', () => {
  test('starts one run however often the form is sent, with the person as its actor', async () => {
    const key = crypto.randomUUID()
    const runs = await Promise.all([1, 2, 3].map(() => startRun(ann, house, 'otter', key)))
    expect(new Set(runs).size).toBe(1)
    const events = (await house.service.events()).filter(({ stream }) => stream === `run-${runs[0]}`)
    expect(events).toHaveLength(1)
    expect(events[0]!.meta.actor).toMatch(/^person:per_/)
    expect(events[0]!.event!.data).toMatchObject({ key_id: null, account_id: house.accountId })
    const page = await ann.get(`${house.own}/runs/${runs[0]}`)
    expect(page).toContain('Requested by Ann')
    expect(page).toContain('data-live="')
  })

  test('starts another run from a form that a browser restored, once its input was changed', async () => {
    const key = crypto.randomUUID()
    expect(await startRun(ann, house, 'badger', key)).not.toBe(await startRun(ann, house, 'otter', key))
  })

  test('reads the form or the JSON, whichever button was pressed, and reports errors before anything is charged', async () => {
    const path = `${house.own}/tasks/sample.search`
    const before = await house.types()
    const bad = await ann.post(path, { 'in.query': '', json: '{"query":"ignored"}', by: 'form' })
    expect(bad.status).toBe(422)
    expect(await bad.text()).toContain('aria-invalid="true"')
    const broken = await ann.post(path, { json: '{"query"', by: 'json' })
    expect(broken.status).toBe(422)
    expect(await broken.text()).toContain('Line 1, column 9: a colon is missing here.')
    const unknown = await ann.post(path, { json: '{"query":"x","nonsense":1}', by: 'json' })
    expect(unknown.status).toBe(422)
    expect(await unknown.text()).toMatch(
      /id="json-error">Line 1, column 14: <code>nonsense<\/code> is not a known field/,
    )
    expect(await house.types()).toEqual(before)
    const both = { 'in.query': 'from the form', json: '{"query":"from json"}' }
    const inputOf = async (by: string) => ann.get(to(await ann.post(path, { ...both, by })))
    expect(await inputOf('json')).toContain('from json')
    expect(await inputOf('form')).toContain('from the form')
    const page = await ann.get(path)
    expect(page).toMatch(/value="json" formnovalidate>Run this JSON for/)
    expect(page).toMatch(/value="form">Run for/)
  })

  test('takes ids separated by commas, and says what is wrong with an input as a whole', async () => {
    const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
    const real = await startHouse({ deps: () => ({ catalogue }) })
    const who = await real.setUp()
    const nothing = await who.post(`${real.own}/tasks/video.channel.shorts`, {})
    expect(nothing.status).toBe(422)
    expect(await nothing.text()).toMatch(/role="alert">[^<]*channel_id[^<]*handle/)
    const ids = { 'in.query': 'jumper', 'in.brand_ids': '6,1' }
    to(await who.post(`${real.own}/tasks/marketplace.search.filtered`, ids))
    await real.close()
  })

  test('shows a refused input without growing it, and refuses one that is nested too deeply', async () => {
    const path = `${house.own}/tasks/sample.search`
    const nested = (levels: number, inner: string) =>
      `{"query":${'['.repeat(levels)}${inner}${']'.repeat(levels)}}`
    const large = nested(99, Array.from({ length: 20_000 }, () => 1).join())
    const answer = await ann.post(path, { json: large, by: 'json' })
    expect(answer.status).toBe(422)
    expect((await answer.text()).length).toBeLessThan(10 * large.length)
    for (const levels of [100, 50_000]) {
      const deep = await ann.post(path, { json: nested(levels, '1'), by: 'json' })
      expect(deep.status).toBe(422)
      expect(await deep.text()).toContain('at most 100 levels')
    }
  })

  test('shows a call in which a quote of the path does not end the text around it', async () => {
    const json = JSON.stringify({ shelf: "o'b", limit: 0 })
    const page = await (await ann.post(`${house.own}/tasks/sample.shelf`, { json, by: 'json' })).text()
    expect(page).toContain('/v1/sample/c/o&#39;\\&#39;&#39;b/top&#39; \\')
  })

  test('shows the price, and refuses a run with a message when the credits are short', async () => {
    const poor = await house.service.openAccount(0)
    const ben = await house.joins('owner', 'Poor', poor.accountId)
    const path = `/console/${poor.accountId}/tasks/sample.search`
    expect(await ben.get(path)).toMatch(/>Run for <span data-price>(from )?\d+ credits?<\/span><\/button>/)
    const answer = await ben.post(path, { 'in.query': 'x' })
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain('fewer credits')
  })
})
