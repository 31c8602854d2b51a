/**
 * `npm run simulate -- --seeds 10000`: simulates many nodes of the service with faults, on virtual time; see
 * docs/reliability.md. `--seed N` repeats one simulation and prints its events. `--mutants` checks that planted bugs
 * are found.
 *
 * @module
 */
import { join } from 'node:path'
import { launch } from './launch.mjs'
import { ensureDependencies, main, ROOT } from './setup.mjs'

const HELP = `npm run simulate -- [options]    see docs/reliability.md

  --seeds N     how many simulations, 300 by default
  --from N      the first seed
  --seed N      one simulation, with its events
  --jobs N      how many processes at once
  --mutants     checks that planted bugs are found; --only TEXT selects bugs by name
`

await main((args) => {
  if (args.includes('--help')) return void process.stdout.write(HELP)
  const bun = ensureDependencies({ dev: true })
  const rest = args.filter((arg) => arg !== '--mutants')
  const file = rest.length < args.length ? ['mutants', 'main.ts'] : ['main.ts']
  return launch(bun, [join(ROOT, 'rigs', 'simulation', ...file), ...rest])
})
