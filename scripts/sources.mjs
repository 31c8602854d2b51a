/**
 * `npm run sources`: writes the tables of docs/sources.md; see test/sources/write-tables.ts.
 *
 * @module
 */
import { join } from 'node:path'
import { launch } from './launch.mjs'
import { ensureDependencies, main, ROOT } from './setup.mjs'

await main(() => {
  const bun = ensureDependencies({ dev: true })
  return launch(bun, [join(ROOT, 'test', 'sources', 'write-tables.ts')])
})
