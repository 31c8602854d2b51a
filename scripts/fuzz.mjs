/**
 * `npm run fuzz -- --cases 1000000 [--seed N] [--only SURFACE] [--case N]`: feeds mutated input to all code that takes
 * external input, see test/fuzz/run.ts.
 *
 * @module
 */
import { join } from 'node:path'
import { launch } from './launch.mjs'
import { ensureDependencies, main, ROOT } from './setup.mjs'

await main((args) => {
  const bun = ensureDependencies({ dev: true })
  return launch(bun, [join(ROOT, 'test', 'fuzz', 'run.ts'), ...args])
})
