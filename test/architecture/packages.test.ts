import { expect, test } from 'bun:test'
import manifest from '../../package.json'
import { importsOf, sourcesIn } from './sources.ts'

/** The packages that the service stands on at run time: HTTP, keys, schemas, stores, pages, HTML, archives. */
const AT_RUN_TIME = [
  'elysia',
  '@elysiajs/bearer',
  '@sinclair/typebox',
  '@eventstore/db-client',
  'ioredis',
  'rebrowser-playwright',
  'linkedom',
  'fflate',
]

test.each(AT_RUN_TIME)('%s is a dependency, and src calls it', (name) => {
  const imports = sourcesIn('src').flatMap(importsOf)
  expect(Object.keys(manifest.dependencies)).toContain(name)
  const calls = imports.filter(({ specifier, typeOnly }) => specifier === name && !typeOnly)
  expect(calls.length).toBeGreaterThan(0)
})

test('bun-types checks the types of the code that names Bun', () => {
  expect(Object.keys(manifest.devDependencies)).toContain('bun-types')
})
