/**
 * `npm run search`: visits every interleaving of the models in test/exhaustive. `-- --large` uses larger bounds and
 * takes minutes. `-- --bugs` also runs the models with planted bugs and prints their traces.
 *
 * @module
 */
import { join } from 'node:path'
import { launch } from './launch.mjs'
import { ensureDependencies, main, ROOT } from './setup.mjs'

const HELP = `npm run search -- [options] [part of a model's name …]    see docs/reliability.md

  --large       larger bounds; takes minutes
  --bugs        the models with planted bugs too, with their traces
`

await main((args) => {
  if (args.includes('--help')) return void process.stdout.write(HELP)
  const bun = ensureDependencies({ dev: true })
  return launch(bun, [join(ROOT, 'test', 'exhaustive', 'run.ts'), ...args])
})
