/**
 * `npm run screenshots`: installs missing dependencies and takes screenshots of every page of the console.
 *
 * @module
 */
import { join } from 'node:path'
import { launch } from './launch.mjs'
import { ensureDependencies, main, ROOT } from './setup.mjs'

await main(() => {
  const bun = ensureDependencies({ dev: true })
  return launch(bun, [join(ROOT, 'tools', 'screenshots', 'screenshots.ts')])
})
