/**
 * `npm run check`, or `bun run check`: types, formatting and lint, and who may import whom.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureDependencies, main, ROOT, say } from './setup.mjs'

await main(() => {
  const bun = ensureDependencies({ dev: true })
  const tool = (...path) => join(ROOT, 'node_modules', ...path)
  const checks = [
    ['types', process.execPath, [tool('typescript', 'bin', 'tsc'), '--noEmit']],
    [
      'format and lint',
      process.execPath,
      [tool('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.'],
    ],
    ['architecture', bun, ['test', './test/architecture']],
  ]
  const failed = checks.filter(([name, program, args]) => {
    say(`check: ${name}`)
    return spawnSync(program, args, { cwd: ROOT, stdio: 'inherit' }).status !== 0
  })
  if (failed.length === 0) say('check: all is well')
  else say(`check: failed: ${failed.map(([name]) => name).join(', ')}`)
  return failed.length === 0 ? 0 : 1
})
