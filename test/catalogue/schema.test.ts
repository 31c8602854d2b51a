import { expect, test } from 'bun:test'
import { columnsOf, inputSchemaOf, outputSchemaOf } from '../../src/catalogue/schema.ts'
import {
  Choice,
  CommaList,
  defineTask,
  Limit,
  Nullable,
  Query,
  type Task,
  Time,
  Type,
} from '../../src/plugin.ts'

const Post = Type.Object({ type: Type.Literal('post'), id: Type.String(), items: Nullable(Type.Integer()) })
const Comment = Type.Object({
  type: Type.Literal('comment'),
  id: Type.String(),
  body: Type.String(),
  at: Time(),
})
const task = defineTask({
  key: 'forum.user',
  path: '/v1/forum/user/:type',
  title: 'User',
  description: 'What a user wrote.',
  price: 2,
  input: Type.Object({
    type: Choice(['posts', 'comments']),
    anyOf: Query(),
    limit: Limit(100, 25),
    ids: CommaList(),
  }),
  item: Type.Union([Post, Comment]),
  extra: { total: Nullable(Type.Integer()), pair: Nullable(Type.Tuple([Type.String(), Type.Integer()])) },
  example: { type: 'posts', anyOf: 'x' },
  // biome-ignore lint/correctness/useYield: never run here
  async *run() {
    return undefined
  },
}) as Task

test('the input schema has all fields with their defaults, marks path parameters and refuses unknown fields', () => {
  const schema = inputSchemaOf(task)
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['type', 'anyOf'],
    additionalProperties: false,
    properties: {
      type: { type: 'string', enum: ['posts', 'comments'], 'x-in': 'path' },
      anyOf: { type: 'string', minLength: 1, maxLength: 1000 },
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 25 },
      ids: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }] },
    },
  })
})

test('the output schema describes complete and partial results, with the item schema at properties.items.items', () => {
  const schema = outputSchemaOf(task)
  expect(schema).toMatchObject({
    required: ['items', 'next_cursor', 'total', 'pair'],
    properties: {
      next_cursor: { type: ['string', 'null'] },
      partial: { const: true },
      total: { type: ['integer', 'null'] },
      pair: { type: ['array', 'null'], prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
      items: { type: 'array', items: { anyOf: [{ required: ['type', 'id', 'items'] }, { type: 'object' }] } },
    },
  })
  const item = (schema.properties as { items: { items: { anyOf: { properties: object }[] } } }).items.items
    .anyOf[0]
  expect(item?.properties).toMatchObject({ items: { type: ['integer', 'null'] } })
})

test('columns are the fields of all kinds of items, in the order of the schema', () => {
  expect(columnsOf(task.item)).toEqual(['type', 'id', 'items', 'body', 'at'])
})

test('schemas are plain JSON', () => {
  for (const schema of [inputSchemaOf(task), outputSchemaOf(task)])
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema)
})
