/**
 * A process with a pool that executes one hostile task, prints what the task obtained, and waits to be killed.
 *
 * @module
 */
import { ProcessPool } from '../../src/worker/process/pool.ts'
import { poolSettings } from './pools.ts'
import { quiet } from './quiet.ts'

const [data = '', task = '', text = ''] = process.argv.slice(2)
const pool = new ProcessPool(poolSettings(data), quiet)
const items: string[] = []
const hasItem = Promise.withResolvers<void>()
const execution = pool.execute({
  job: {
    runId: 'run_1',
    module: new URL('./plugins/hostile/source.ts', import.meta.url).href,
    taskKey: `hostile.${task}`,
    input: JSON.stringify({ text: text.replace('PARENT', String(process.pid)) }),
    until: Date.now() + 60_000,
    exit: null,
  },
  account: 'acc_1',
  memoryMb: 512,
  source: { name: 'hostile', origin: 'https://hostile.example' },
  hear: (said) => {
    if (said.type !== 'items') return
    items.push(said.text)
    hasItem.resolve()
  },
})
void execution.end.then((ended) => {
  if (ended.kind === 'completed') items.push(ended.text)
  else items.push(`died: ${ended.reason}; ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`)
  hasItem.resolve()
})
await hasItem.promise
console.log(items.join(','))
setInterval(() => {}, 1000)
