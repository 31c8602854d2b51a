/**
 * `npm run check`, or `bun run check`: checks types, formatting and lint, the rules for imports between folders, and
 * that the generated client is up to date with the service's OpenAPI document.
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
    ['types', process.execPath, [tool('typescript-compiler', 'bin', 'tsc'), '--noEmit']],
    [
      'format and lint',
      process.execPath,
      [tool('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.'],
    ],
    ['architecture', bun, ['test', './test/architecture']],
    ['clients', process.execPath, [join(ROOT, 'scripts', 'clients.mjs'), '--check']],
  ]
  const failed = checks.filter(([name, program, args]) => {
    say(`check: ${name}`)
    return spawnSync(program, args, { cwd: ROOT, stdio: 'inherit' }).status !== 0
  })
  if (failed.length === 0) say('check: all checks passed')
  else say(`check: failed: ${failed.map(([name]) => name).join(', ')}`)
  return failed.length === 0 ? 0 : 1
})
