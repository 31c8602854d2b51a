/**
 * `npm run drift`, `fuzz`, `search`, `screenshots` and `sources`: installs missing dependencies and runs the program that
 * package.json names, on Bun.
 *
 * @module
 */
import { join } from 'node:path'
import { launch } from './launch.mjs'
import { ensureDependencies, main, ROOT } from './setup.mjs'

await main(([program, ...args]) => launch(ensureDependencies({ dev: true }), [join(ROOT, program), ...args]))
