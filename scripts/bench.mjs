/**
 * `npm run bench`: measures the service, see bench/run.ts. Other benchmarks:
 * `npm run bench -- work`: runs that wait for a slow site, see bench/work.ts.
 * `npm run bench -- crawl`: tasks compared with a crawler, see bench/crawl.ts.
 * `npm run bench -- sign-in`: pictures for people who sign in, see bench/sign-in.ts.
 * `npm run bench -- exits`: requests through proxies, see bench/exits.ts.
 * `npm run bench -- accounts`: the cost of busy accounts, see bench/accounts.ts.
 *
 * @module
 */
import { join } from 'node:path'
import { launch } from './launch.mjs'
import { ensureDependencies, main, ROOT } from './setup.mjs'

await main((args) => {
  const bun = ensureDependencies({ dev: true })
  const [first, ...rest] = args
  if (first === 'work') return launch(bun, [join(ROOT, 'bench', 'work.ts'), ...rest])
  if (first === 'crawl') return launch(bun, [join(ROOT, 'bench', 'crawl.ts'), ...rest])
  if (first === 'accounts') return launch(bun, ['--expose-gc', join(ROOT, 'bench', 'accounts.ts'), ...rest])
  if (first === 'exits') return launch(bun, [join(ROOT, 'bench', 'exits.ts'), ...rest])
  if (first === 'sign-in') return launch(bun, [join(ROOT, 'bench', 'sign-in.ts'), ...rest])
  return launch(bun, [join(ROOT, 'bench', 'run.ts'), ...args])
})
