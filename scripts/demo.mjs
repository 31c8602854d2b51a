/**
 * `npm run demo`: brings what is missing and runs the server on made-up sites.
 *
 * @module
 */
import { join } from 'node:path'
import { launch } from './launch.mjs'
import { ensureDependencies, main, ROOT } from './setup.mjs'

await main((args) => {
  const bun = ensureDependencies({ dev: false })
  return launch(bun, [join(ROOT, 'src', 'main.ts'), 'demo', ...args])
})
