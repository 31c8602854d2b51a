/**
 * A process with a pool in which a run has a page open; the test kills it. It prints the command line of its browser.
 *
 * @module
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProcessPool } from '../../src/worker/process/pool.ts'
import { poolSettings } from '../worker/pools.ts'
import { quiet } from '../worker/quiet.ts'
import source from './plugins/pages/source.ts'
import { belowOf } from './processes.ts'

const [origin = ''] = process.argv.slice(2)
const pool = new ProcessPool(
  {
    ...poolSettings(mkdtempSync(join(tmpdir(), 'gleaner-orphans-'))),
    sourceOrigins: new Map([['pages', origin]]),
    chromiumPath: process.env.CHROMIUM_PATH || null,
  },
  quiet,
)
pool.start()
await new Promise<void>((begun) => {
  pool.execute({
    job: {
      runId: 'run',
      module: new URL('./plugins/pages/source.ts', import.meta.url).href,
      taskKey: 'pages.wait',
      input: '{}',
      until: Date.now() + 60_000,
      exit: null,
    },
    account: 'acc_1',
    memoryMb: 512,
    source,
    hear: ({ type }) => type === 'items' && begun(),
  })
})
console.log(belowOf(process.pid).find(({ command }) => /--user-data-dir/.test(command))?.command)
