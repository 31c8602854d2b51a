/**
 * A process with a pool whose children are busy in two ways. It prints their pids, and the test kills it.
 *
 * @module
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProcessPool } from '../../src/worker/process/pool.ts'
import { belowOf } from '../browser/processes.ts'
import { poolSettings } from './pools.ts'
import { quiet } from './quiet.ts'

const pool = new ProcessPool(poolSettings(mkdtempSync(join(tmpdir(), 'gleaner-orphans-'))), quiet)
pool.start()
const begun = ['loop', 'deaf'].map((task) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  pool.execute({
    job: {
      runId: task,
      module: new URL('./plugins/faults/source.ts', import.meta.url).href,
      taskKey: `faults.${task}`,
      input: '{}',
      until: Date.now() + 60_000,
      exit: null,
    },
    account: 'acc_1',
    memoryMb: 512,
    source: { name: 'faults', origin: 'https://faults.example' },
    hear: ({ type }) => type === 'items' && resolve(),
  })
  return promise
})
await Promise.all(begun)
console.log(
  belowOf(process.pid)
    .map(({ pid }) => pid)
    .join(' '),
)
