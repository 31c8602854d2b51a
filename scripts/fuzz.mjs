/**
 * `npm run fuzz -- --cases 1000000 [--seed N] [--only SURFACE] [--case N]`: feeds mutated input to all code that takes
 * external input, see test/fuzz/run.ts.
 *
 * @module
 */
import { join } from 'node:path'
import { launch } from './launch.mjs'
import { ensureDependencies, main, ROOT } from './setup.mjs'

const HELP = `npm run fuzz -- [options]    see docs/reliability.md

  --cases N     how many cases, a million by default
  --seed N      the seed of all cases
  --only NAME   one surface
  --case N      one case of that surface
`

await main((args) => {
  if (args.includes('--help')) return void process.stdout.write(HELP)
  const bun = ensureDependencies({ dev: true })
  return launch(bun, [join(ROOT, 'test', 'fuzz', 'run.ts'), ...args])
})
