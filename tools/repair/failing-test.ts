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

/**
 * The text of the test.
 *
 * @param folder in which it lies, outside of the plugin: it imports by paths
 */
export function failingTest({ key, module }: CatalogueTask, { at, lost }: Expected, folder: string): string {
  const from = (path: string) => quoted(relative(folder, path).split(sep).join('/'))
  return `import { expect, test } from 'bun:test'
import source from ${from(fileURLToPath(module))}
import { readCassette, runTask } from ${from(TESTING)}

const task = source.tasks.find(({ key }) => key === '${key}')!
const { input, signedIn = false, exchanges } = readCassette(new URL('./${FILES.capture}', import.meta.url))
const now = () => Date.parse('${new Date(at).toISOString()}')

test('${key} reads the answers that broke it', async () => {
  const { items, rest, error } = await runTask(task, input, { source, exchanges, signedIn, now })
  expect(error).toBeNull()
${lost.map((field) => `  expect(valuesOf(items.length > 0 ? items : rest, ${quoted(field)}), ${quoted(field)}).not.toEqual([])\n`).join('')}})
${lost.length > 0 ? VALUES_OF : ''}`
}

const VALUES_OF = `
/** The values of a field, such as 'price' or 'seller.name'. */
function valuesOf(of: unknown, path: string): unknown[] {
  const values = [of].flat(9).filter((value) => value !== null && value !== undefined)
  const [name = '', ...rest] = path.split('.')
  return path === '' ? values : values.flatMap((value) => valuesOf((value as Record<string, unknown>)[name], rest.join('.')))
}
`

const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`
