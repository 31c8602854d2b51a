import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import encyclopedia from '../../plugins/encyclopedia/source.ts'
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { isValid } from '../../src/catalogue/check.ts'
import { exampleResultOf } from '../../src/catalogue/example.ts'
import { resultSchema } from '../../src/catalogue/result.ts'
import { readConfig } from '../../src/config.ts'
import { defineTask, Link, Nullable, Query, Time } from '../../src/plugin.ts'

test('an example result is generated from the schema of a task and is valid against it', () => {
  for (const task of encyclopedia.tasks) {
    const example = exampleResultOf(task)
    expect(isValid(resultSchema(task), example)).toBe(true)
    expect(Object.keys((example as { items: object[] }).items[0]!)).toEqual(Object.keys(task.item.properties))
  }
})

const taskOf = (item: Parameters<typeof Type.Object>[0]) =>
  defineTask({
    key: 'sample.search',
    path: '/v1/sample/search',
    title: 'Search',
    description: 'Things.',
    price: 1,
    input: Type.Object({ query: Query() }),
    item: Type.Object(item),
    example: { query: 'x' },
    async *run() {
      yield* []
      return { next_cursor: null }
    },
  })

test('an example result has a value for each type of field and leaves optional fields out', () => {
  const task = taskOf({
    url: Link(),
    at: Nullable(Time()),
    kind: Type.Union([Type.Literal('post'), Type.Literal('page')]),
    count: Type.Integer({ minimum: 5 }),
    tags: Type.Array(Type.Object({ name: Type.String(), own: Type.Boolean() })),
    more: Type.Optional(Type.String()),
  })
  expect(exampleResultOf(task)).toEqual({
    items: [
      {
        url: 'https://example.org/',
        at: '2026-11-20T09:30:00.000Z',
        kind: 'post',
        count: 5,
        tags: [{ name: '…', own: true }],
      },
    ],
    next_cursor: null,
  })
})

test('an item that would be invalid is left out of the example result', () => {
  const example = exampleResultOf(taskOf({ code: Type.String({ pattern: '^[A-Z]{3}$' }) }))
  expect(example).toEqual({ items: [], next_cursor: null })
})

test('a text with a format of its own is the sample that its description names', () => {
  const code = Type.String({ pattern: '^[A-Z]{3}$', 'x-must-be': 'an airport code, such as LHR' })
  expect(exampleResultOf(taskOf({ code }))).toEqual({ items: [{ code: 'LHR' }], next_cursor: null })
})

test('every task of the plugins has an example result with its fields', async () => {
  const { tasks } = await loadCatalogue({ folders: [PLUGINS], config: readConfig({}) })
  for (const task of tasks) {
    const example = exampleResultOf(task.declaration) as { items: readonly unknown[] } | undefined
    expect({ key: task.key, items: example?.items.length }).toEqual({ key: task.key, items: 1 })
  }
})
