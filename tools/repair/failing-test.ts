/**
 * The test of a repair: it fails until the parser reads the capture.
 *
 * @module
 */
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { type Expectations, FILES } from './folder.ts'

const TESTING = fileURLToPath(new URL('../../src/plugin/testing.ts', import.meta.url))

/** What the test imports and reads. */
export type TestPaths = { readonly source: string; readonly testing: string; readonly cassette: string }

/** The paths for a test in a folder outside of the plugin. */
export function pathsFrom(folder: string, { module }: CatalogueTask): TestPaths {
  const from = (path: string) => relative(folder, path).split(sep).join('/')
  return { source: from(fileURLToPath(module)), testing: from(TESTING), cassette: `./${FILES.capture}` }
}

/** The text of the test. */
export function failingTest(
  { key }: CatalogueTask,
  { at, lost, hasItems }: Pick<Expectations, 'at' | 'lost' | 'hasItems'>,
  paths: TestPaths,
): string {
  const fields = lost.map(
    (field) =>
      `  expect(valuesOf(${hasItems ? 'items' : 'rest'}, ${quoted(field)}), ${quoted(field)}).not.toEqual([])\n`,
  )
  const isRest = fields.length > 0 && !hasItems
  const names = [...(hasItems ? ['items'] : isRest ? ['rest'] : []), 'error'].join(', ')
  return `import { expect, test } from 'bun:test'
import { readCassette, runTask } from ${quoted(paths.testing)}
import source from ${quoted(paths.source)}

const task = source.tasks.find(({ key }) => key === '${key}')!
const cassette = new URL(${quoted(paths.cassette)}, import.meta.url)
const { input, exchanges, signedIn } = readCassette(cassette)
const login = signedIn === undefined ? {} : { signedIn }
const run = { source, exchanges, now: () => Date.parse('${new Date(at).toISOString()}'), ...login }

test('${key} reads the answers that broke it', async () => {
  // The answers end where the run broke, so a list may name a page that they do not have.
  const { ${names} } = await runTask(task, input, { ...run, incomplete: true })
  expect(error).toBeNull()
${hasItems ? '  expect(items).not.toEqual([])\n' : ''}${fields.join('')}})
${fields.length > 0 ? VALUES_OF : ''}`
}

const VALUES_OF = `
/** The values of a field, such as 'price' or 'seller.name'. */
function valuesOf(of: unknown, path: string): unknown[] {
  const values = [of].flat(9).filter((value) => value !== null && value !== undefined)
  if (path === '') return values
  const [name = '', ...rest] = path.split('.')
  return values.flatMap((value) => valuesOf((value as Record<string, unknown>)[name], rest.join('.')))
}
`

const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`
