/**
 * `npm start` and `npm run demo`: installs missing dependencies and runs the command that package.json names, on Bun.
 * Chromium is installed in the background; `npm start -- --no-browser` skips it.
 *
 * @module
 */
import { join } from 'node:path'
import { chromiumBeside } from './components.mjs'
import { launch } from './launch.mjs'
import { ensureDependencies, main, ROOT } from './setup.mjs'

await main((args) => {
  const bun = ensureDependencies({ dev: false })
  const beside = chromiumBeside(args)
  const env = { ...process.env, ...beside.env }
  return launch(bun, [join(ROOT, 'src', 'main.ts'), ...beside.args], { env })
})
