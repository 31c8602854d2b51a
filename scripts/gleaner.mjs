#!/usr/bin/env node
/**
 * The command `gleaner`: installs missing dependencies and runs the command line on Bun.
 *
 * @module
 */
import { join } from 'node:path'
import { launch } from './launch.mjs'
import { ensureDependencies, main, ROOT } from './setup.mjs'

await main((args) => {
  const bun = ensureDependencies({ dev: false })
  return launch(bun, [join(ROOT, 'src', 'main.ts'), ...args])
})
