/** Counts of the filled fields of items, and which fields of a task are counted. */
import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { fieldsOf, hasKinds } from '../../src/catalogue/fields.ts'
import { Filling, sharesOf } from '../../src/catalogue/filling.ts'
import { Nullable } from '../../src/schema.ts'

const Text = Type.String()
const Author = Type.Object({ id: Text, name: Nullable(Text) })
const Post = Type.Object({ id: Text, author: Nullable(Author), tags: Type.Array(Text) })

test('a field counts as filled unless it is null, missing or an empty list; false, 0 and an empty text are values', () => {
  const filling = new Filling(['id', 'price', 'sold', 'images', 'kind', 'note'])
  expect(filling.sums).toBeNull()
  filling.add({ id: 'a', price: 0, sold: false, images: [], kind: null, note: '' })
  filling.add({ id: 'b', price: null, sold: true, images: ['x'], kind: 'lamp' })
  expect(filling.sums).toEqual({ items: 2, possible: [2, 2, 2, 2, 2, 2], filled: [2, 1, 2, 1, 1, 1] })
  filling.clear()
  expect(filling.sums).toBeNull()
  filling.add({ id: 'c' })
  expect(filling.sums?.filled).toEqual([1, 0, 0, 0, 0, 0])
})

test('a nested field counts for the items that have its object, and for each object of a list', () => {
  const filling = new Filling(['author', 'author.name', 'rules.text'])
  filling.add({ author: { name: 'a' }, rules: [{ text: 'x' }, { text: null }] })
  filling.add({ author: { name: null }, rules: null })
  filling.add({ author: null, rules: [] })
  expect(filling.sums).toEqual({ items: 3, possible: [3, 2, 2], filled: [2, 1, 1] })
  expect(sharesOf(filling.sums!)).toEqual([667, 500, 500])
})

test('a field of another kind of item does not count, and has no share if no item could have it', () => {
  const filling = new Filling(['id', 'title', 'body'], true)
  filling.add({ id: 'a', title: null })
  filling.add({ id: 'b', title: 'x' })
  expect(filling.sums).toEqual({ items: 2, possible: [2, 2, 0], filled: [2, 1, 0] })
  expect(sharesOf(filling.sums!)).toEqual([1000, 500, null])
})

test('the counted fields are the columns and one level into their objects; an object that repeats the item is one', () => {
  const Quoting = Type.Object({ ...Post.properties, quoted: Nullable(Post) })
  expect(fieldsOf({ item: Quoting })).toEqual(['id', 'author', 'author.id', 'author.name', 'tags', 'quoted'])
  const Comment = Type.Object({ id: Text, author: Type.Object({ mail: Text }) })
  const item = Type.Union([Post, Comment])
  expect(fieldsOf({ item })).toEqual(['id', 'author', 'author.id', 'author.name', 'author.mail', 'tags'])
  expect([hasKinds({ item }), hasKinds({ item: Post })]).toEqual([true, false])
})

test('a task without items has the fields of its result, one level into its objects and lists', () => {
  const extra = {
    about: Nullable(Author),
    rules: Nullable(Type.Array(Type.Object({ text: Text }))),
    total: Type.Integer(),
  }
  expect(fieldsOf({ item: Type.Object({}), extra })).toEqual([
    'about',
    'about.id',
    'about.name',
    'rules',
    'rules.text',
    'total',
  ])
})
