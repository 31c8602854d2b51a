/** A child process serves runs of one account only, so leftovers of a run cannot reach another account. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { ProcessPool } from '../../src/worker/process/pool.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { poolSettings } from './pools.ts'
import { quiet } from './quiet.ts'

const folder = temporaryFolder()
let pool: ProcessPool
beforeEach(() => {
  pool = new ProcessPool(poolSettings(folder), quiet)
  pool.start()
})
afterEach(() => pool.stop())

const begin = (account: string) =>
  pool.execute({
    job: {
      runId: 'run_1',
      module: new URL('./plugins/hostile/source.ts', import.meta.url).href,
      taskKey: 'hostile.remembers',
      input: '{}',
      until: Date.now() + 60_000,
    },
    account,
    memoryMb: 512,
    source: { name: 'hostile', origin: 'https://hostile.example' },
    hear: () => {},
  })

/** Executes a run of the account. @returns how many runs its process has executed */
async function servedFor(account: string): Promise<number> {
  const ended = await begin(account).result
  if (ended.kind !== 'completed') throw new Error(ended.reason)
  return JSON.parse(ended.text).n
}

test('a child serves one account only and is reused for its next runs', async () => {
  expect(await servedFor('acc_1')).toBe(1)
  expect(await servedFor('acc_1')).toBe(2)
  expect(await servedFor('acc_2')).toBe(1)
  expect(await servedFor('acc_1')).toBe(3)
  expect(await servedFor('acc_2')).toBe(2)
  expect(pool.count).toBe(2)
})
