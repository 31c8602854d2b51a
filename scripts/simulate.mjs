/**
 * `npm run simulate -- --seeds 10000`: many nodes of the service on virtual time, while things go wrong; see
 * docs/reliability.md. `--seed N` repeats one with all that happens; `--mutants`: bugs that are planted are found.
 *
 * @module
 */
import { join } from 'node:path'
import { launch } from './launch.mjs'
import { ensureDependencies, main, ROOT } from './setup.mjs'

await main((args) => {
  const bun = ensureDependencies({ dev: true })
  const rest = args.filter((arg) => arg !== '--mutants')
  const file = rest.length < args.length ? ['mutants', 'main.ts'] : ['main.ts']
  return launch(bun, [join(ROOT, 'test', 'simulation', ...file), ...rest])
})
