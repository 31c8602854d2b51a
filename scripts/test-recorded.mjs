/**
 * `npm run test:recorded`: tests every source with recorded responses of its site. The recordings are not part of the
 * project; they are expected in `../shared/sources`, beside the clone. The last lines say how many tests ran, and on
 * how many files.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureComponents } from './components.mjs'
import { ensureDependencies, main, ROOT, say } from './setup.mjs'

const RECORDED = join(ROOT, '..', 'shared', 'sources')

await main((args) => {
  if (!existsSync(RECORDED)) {
    say(`no recorded responses found at ${RECORDED}: nothing ran. "npm test" does not need them`)
    return 1
  }
  const bun = ensureDependencies({ dev: true })
  const { env } = ensureComponents()
  const { status } = spawnSync(bun, ['test', '--timeout=60000', ...args, './rigs/recorded'], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  for (const source of readdirSync(join(ROOT, 'rigs', 'recorded'), { withFileTypes: true })) {
    const folder = join(RECORDED, source.name, 'recorded')
    if (!source.isDirectory() || !existsSync(folder)) continue
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    )
    say(`${source.name}: ${files.length} recorded files`)
  }
  return status ?? 1
})
