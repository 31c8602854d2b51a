/** A task has a sample result that its schema allows, whatever stands beside its plugin. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineTask, Type } from 'gleaner/plugin'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { sampleOf } from '../../src/catalogue/sample.ts'

const declaration = defineTask({
  key: 'lamps.search',
  path: '/v1/lamps/search',
  title: 'Lamps',
  description: 'Lamps.',
  price: 1,
  input: Type.Object({}),
  item: Type.Object({ watts: Type.Integer() }),
  example: {},
  async *run() {
    yield* []
    return {}
  },
})
const sample = { items: [{ watts: 60 }], next_cursor: null }
const generated = { items: [{ watts: 1 }], next_cursor: null }

test.each([
  ['its own', JSON.stringify({ 'lamps.search': sample }), sample],
  ['none', undefined, generated],
  ['that of another task', JSON.stringify({ 'lamps.list': sample }), generated],
  [
    'one that its schema refuses',
    JSON.stringify({ 'lamps.search': { items: [{ watts: 'many' }] } }),
    generated,
  ],
  ['a file that is no JSON', '{', generated],
  ['a file without an object', 'null', generated],
])('with %s', (_, text, expected) => {
  const folder = temporaryFolder()
  if (text !== undefined) writeFileSync(join(folder, 'samples.json'), text)
  const module = pathToFileURL(join(folder, 'source.ts')).href
  expect(sampleOf({ key: 'lamps.search', module, declaration })).toEqual(expected)
})
