/**
 * The test of a repair: it fails until the parser reads the capture.
 *
 * @module
 */
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { type Expected, FILES } from './expected.ts'

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
  { at, lost }: Pick<Expected, 'at' | 'lost'>,
  paths: TestPaths,
): string {
  const fields = lost.map(
    (field) => `  expect(valuesOf(result, ${quoted(field)}), ${quoted(field)}).not.toEqual([])\n`,
  )
  const result = fields.length > 0 ? '  const result = items.length > 0 ? items : rest\n' : ''
  return `import { expect, test } from 'bun:test'
import { readCassette, runTask } from ${quoted(paths.testing)}
import source from ${quoted(paths.source)}

const task = source.tasks.find(({ key }) => key === '${key}')!
const cassette = new URL(${quoted(paths.cassette)}, import.meta.url)
const { input, exchanges, signedIn } = readCassette(cassette)
const login = signedIn === undefined ? {} : { signedIn }
const now = () => Date.parse('${new Date(at).toISOString()}')

test('${key} reads the answers that broke it', async () => {
  const { ${result && 'items, rest, '}error } = await runTask(task, input, { source, exchanges, now, ...login })
  expect(error).toBeNull()
${result}${fields.join('')}})
${result && VALUES_OF}`
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
