/**
 * `npm run bench`: measures the service; see bench/run.ts for what and how.
 *
 * @module
 */
import { join } from 'node:path'
import { launch } from './launch.mjs'
import { ensureDependencies, main, ROOT } from './setup.mjs'

await main((args) => {
  const bun = ensureDependencies({ dev: true })
  return launch(bun, [join(ROOT, 'bench', 'run.ts'), ...args])
})
