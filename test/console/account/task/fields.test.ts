/** A form shows an input field as its schema says, and sends back what it shows. */
import { describe, expect, test } from 'bun:test'
import { Choice, CommaList, Cursor, Limit, named, Query, Type } from 'gleaner/plugin'
import { loadCatalogue, PLUGINS } from '../../../../src/catalogue/catalogue.ts'
import { inputSchemaOf } from '../../../../src/catalogue/schema.ts'
import { readConfig } from '../../../../src/config.ts'
import { inputFields } from '../../../../src/console/account/task/fields.ts'
import { inputIn, repeated } from '../../../../src/console/account/task/sent.ts'
import { fieldLabel } from '../../../../src/console/account/task/shape.ts'
import type { Form } from '../../../../src/console/form.ts'
import type { Task } from '../../../../src/plugin.ts'

const input = Type.Object({
  query: Query(),
  depart_date: Type.Optional(Type.String({ format: 'date' })),
  order: Choice(['newest_first', 'relevance'], 'relevance'),
  limit: Limit(1000, 20),
  brand_ids: CommaList('\\d+'),
  status_ids: CommaList('\\d+', {
    title: 'Conditions',
    names: [
      ['6', 'New'],
      ['1', 'Old'],
    ],
  }),
  country: Type.Optional(Type.String({ 'x-names': named([['uk', 'United Kingdom']]) })),
  include: Type.Optional(Type.Array(Choice(['about', 'rules']))),
  notes: Type.Optional(Type.Array(Type.String())),
  safe: Type.Optional(Type.Boolean({ default: false })),
  cursor: Cursor({ max: 10 }),
})
const schema = inputSchemaOf({ key: 'trips.search', path: '/v1/trips/search', input } as Task)
const all = { query: 'x', ...Object.fromEntries(Object.keys(input.properties).map((name) => [name, 1])) }
const shown = (values: object, example: object = all, errors = {}) =>
  inputFields(schema, example as typeof all, values as typeof all, errors).text

/** What a browser sends of a form. */
function sentOf(page: string): Form {
  const fields: [string, string][] = []
  const plain = (text = '') => text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
  for (const [, attributes = ''] of page.matchAll(/<input ([^>]*)>/g)) {
    const [, name = ''] = / ?name="([^"]*)"/.exec(attributes) ?? []
    const isBox = attributes.includes('checkbox')
    const [, value] = /value="([^"]*)"/.exec(attributes) ?? []
    if (!isBox || attributes.includes(' checked')) fields.push([name, plain(value)])
  }
  for (const [, name = '', options = ''] of page.matchAll(
    /<select [^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/g,
  )) {
    const [, value] = /value="([^"]*)" selected/.exec(options) ?? []
    fields.push([name, plain(value ?? '')])
  }
  for (const [, name = '', text] of page.matchAll(/<textarea [^>]*name="([^"]*)"[^>]*>([^<]*)</g))
    fields.push([name, plain(text)])
  return {
    text: (name) => fields.find(([each]) => each === name)?.[1] ?? '',
    all: (name) => fields.filter(([each]) => each === name).map(([, value]) => value),
  }
}

describe('a form', () => {
  test.each([
    ['depart_date', {}, 'Depart date'],
    ['maxPosts', {}, 'Max posts'],
    ['image_url', {}, 'Image URL'],
    ['status_ids', { title: 'Conditions' }, 'Conditions'],
  ])('labels %s %j as people say it', (name, shape, label) => expect(fieldLabel(name, shape)).toBe(label))

  test('has date fields, numbers with bounds, choices, and checkboxes for known values', () => {
    const page = shown({})
    expect(page).toMatch(/<input type="date"[^>]*name="in.depart_date"/)
    expect(page).toMatch(/<input type="number" value="" min="1" max="1000"[^>]*name="in.limit"/)
    expect(page).toContain('1 to 1,000, default 20.')
    expect(page).toContain(
      '<option value="" selected>Default: Relevance</option><option value="newest_first">Newest first',
    )
    expect(page).toContain('<input type="checkbox" name="in.status_ids" value="6" data-shape="checks"> New')
    expect(page).toContain('<option value="uk">United Kingdom (uk)</option>')
    expect(page).toMatch(/name="in.query"[^>]* required/)
    expect(page.match(/>required</g)).toHaveLength(1)
  })

  test('says a thing once: not that a list is an array or a text, nor what the label says', () => {
    expect(shown({})).not.toContain('comma-separated string')
    expect(shown({})).not.toContain('>. Separate')
    expect(shown({})).toContain('Separate several with commas.')
    const same = Type.Object({ order: Type.String({ title: 'Sort order', description: 'Sort order.' }) })
    expect(inputFields(same, {}, {}, {}).text).not.toContain('class="hint"')
  })

  test('folds fields beyond the required ones and the example, unless one has a value or an error', () => {
    const example = { limit: 5 }
    expect(shown({ query: 'x' }, example)).toMatch(
      /name="in.limit".*<details class="more"><summary>.*name="in.order"/s,
    )
    expect(shown({ order: 'relevance' }, example)).toContain('<details class="more" open>')
    expect(shown({}, example, { cursor: 'Is wrong.' })).toContain('<details class="more" open>')
  })

  test.each([
    { query: 'a "b" <c> & d', limit: 3, order: 'newest_first', depart_date: '2030-02-01' },
    { query: 'x', brand_ids: ['1', '2'], status_ids: ['6'], include: ['about', 'rules'], safe: false },
    { query: 'x', notes: ['one, with a comma', 'two'], country: 'uk' },
    // Values that it does not know are shown too.
    { query: 'x', status_ids: ['6', '99'], country: 'atlantis', depart_date: 'tomorrow' },
    { query: 'two\nlines' },
    {},
  ])('sends back %j', (input) => expect(inputIn(schema, sentOf(shown(input)))).toEqual(input))

  test('knows the fields that may be sent several times', () => {
    expect(repeated(schema)).toEqual(['in.status_ids', 'in.include'])
  })
})

test('the example of every task survives its form', async () => {
  const { tasks } = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
  for (const { key, inputSchema, declaration } of tasks) {
    const example = declaration.example as Record<string, unknown>
    const page = inputFields(inputSchema, example, example, {}).text
    const listed = key === 'marketplace.search.filtered' ? { status_ids: ['6', '1'] } : {}
    expect([key, inputIn(inputSchema, sentOf(page))]).toEqual([key, { ...example, ...listed }])
  }
})
