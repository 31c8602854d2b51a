/**
 * `npm run search`: visits every interleaving of the models in test/exhaustive; `-- --large` within larger bounds, which
 * takes minutes, `-- --bugs` the planted bugs as well, with their traces.
 *
 * @module
 */
import { join } from 'node:path'
import { launch } from './launch.mjs'
import { ensureDependencies, main, ROOT } from './setup.mjs'

await main((args) => {
  const bun = ensureDependencies({ dev: true })
  return launch(bun, [join(ROOT, 'test', 'exhaustive', 'run.ts'), ...args])
})
