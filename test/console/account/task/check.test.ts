/** An input is checked before it is run: its price, every error, and the calls of programs, without a charge. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { loadCatalogue, PLUGINS } from '../../../../src/catalogue/catalogue.ts'
import { readConfig } from '../../../../src/config.ts'
import { refusalOf } from '../../../../src/console/account/task/refusal.ts'
import type { Issue } from '../../../../src/plugin.ts'
import { type House, ORIGIN, startHouse, type Visitor } from '../../house.ts'

let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

async function checked(task: string, fields: Record<string, string>) {
  const answer = await ann.send(`${house.own}/tasks/${task}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { accept: 'application/json', origin: ORIGIN },
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json;charset=utf-8'])
  // biome-ignore lint/suspicious/noExplicitAny: JSON, which the assertions check
  return (await answer.json()) as any
}

test('the price follows the input, and nothing is charged', async () => {
  const before = await house.types()
  const of = async (fields: Record<string, string>) => (await checked('sample.album', fields)).price
  expect(await of({ check: 'form', 'in.pictures': '1000' })).toBe('40 credits')
  expect(await of({ check: 'form', 'in.pictures': '2001' })).toBe('50 credits')
  expect(await of({ check: 'json', json: '{"pictures": 3000}', 'in.pictures': '1' })).toBe('50 credits')
  expect(await of({ check: 'form' })).toBe('from 40 credits')
  expect(await house.types()).toEqual(before)
})

test('errors are those of the view that was changed, and calls have its input', async () => {
  const form = await checked('sample.search', { check: 'form', 'in.limit': '0', json: '{' })
  expect(form.errors).toEqual({ query: 'Fill in this field.', limit: 'Enter a whole number from 1 to 500.' })
  const json = await checked('sample.search', { check: 'json', json: '{"query": "x", "limt": 1}' })
  expect(json.errors).toEqual({
    json: 'Line 1, column 16: `limt` is not a known field; did you mean "limit"?',
  })
  expect(json.calls.curl).toContain('"limt": 1')
  expect(json.calls.python).toContain('"limt": 1,\n')
  const broken = await checked('sample.search', { check: 'json', json: '{"query" "x"}' })
  expect(broken).toMatchObject({
    errors: { json: 'Line 1, column 10: a colon is missing here.' },
    calls: null,
  })
})

test('without scripts a button asks for the price, where it depends on the input', async () => {
  const path = `${house.own}/tasks/sample.album`
  expect(await ann.get(path)).toContain('name="check" value="form" formnovalidate')
  expect(await ann.get(`${house.own}/tasks/sample.search`)).not.toContain('name="check"')
  const page = await (await ann.post(path, { check: 'form', 'in.pictures': '2001' })).text()
  expect(page).toContain('A run of this input costs 50 credits. Nothing has been started.')
  expect(page).toContain('Run for <span data-price>50 credits</span>')
  const wrong = await ann.post(path, { check: 'form', 'in.pictures': '0' })
  expect(wrong.status).toBe(422)
  expect(await wrong.text()).toContain('id="in.pictures-error"')
})

test('all wrong fields are told at once, each at its own, and the page says that nothing was started', async () => {
  const answer = await ann.post(`${house.own}/tasks/sample.search`, { by: 'form', 'in.limit': '1.5' })
  expect(answer.status).toBe(422)
  const page = await answer.text()
  expect(page).toContain('id="in.query-error">Fill in this field.')
  expect(page).toContain('id="in.limit-error">Enter a whole number')
  expect(page).toContain('Nothing was started: the form has errors. Check the fields that are marked.')
})

test('errors of JSON are a list, each with the place of its field', async () => {
  const json = '{\n  "limt": 1,\n  "limit": 0,\n  "<b>`x`": true\n}'
  const { errors } = await checked('sample.search', { check: 'json', json })
  expect(errors.json.split('\n')).toEqual([
    '`query` is required.',
    'Line 2, column 3: `limt` is not a known field; did you mean "limit"?',
    'Line 3, column 3: `limit` must be a whole number from 1 to 500.',
    'Line 4, column 3: `<b>x` is not a known field; did you mean "query"?',
  ])
  const page = await (await ann.post(`${house.own}/tasks/sample.search`, { by: 'json', json })).text()
  expect(page).toContain('<ul class="error" id="json-error"><li><code>query</code> is required.</li>')
  expect(page).not.toContain('<b>')
})

test('wrong ids are told without a regular expression, in the form and in JSON', async () => {
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
  const { validate, inputSchema: schema } = catalogue.get('marketplace.search.filtered')!
  const errorsOf = (input: object, by: 'form' | 'json') =>
    refusalOf(validate(input as never, {}, 0) as readonly Issue[], {
      by,
      json: JSON.stringify(input),
      schema,
    }).errors
  expect(errorsOf({ query: 'x', brand_ids: 'wool', price_to: 'low' }, 'form')).toEqual({
    brand_ids: 'Enter a comma-separated list, in which each entry is an id of up to 18 digits.',
    price_to: 'Enter an amount, such as 7 or 7.50.',
  })
  expect(errorsOf({ query: 'x', brand_ids: ['53', 'wool'] }, 'json').json).toBe(
    'Line 1, column 32: `brand_ids/1` must be an id of up to 18 digits.',
  )
})

test('a viewer sees the page without a way to run, and cannot ask', async () => {
  const eve = await house.joins('viewer', 'Eve')
  const page = await eve.get(`${house.own}/tasks/sample.album`)
  expect(page).not.toContain('name="by"')
  expect(page).toContain('A viewer cannot start runs.')
  expect((await eve.post(`${house.own}/tasks/sample.album`, { check: 'form' })).status).toBe(403)
})
