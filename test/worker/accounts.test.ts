/**
 * Which runs share a process: those of a source, of all accounts. Runs with a login's state share one only with runs of
 * their account, and so do all runs with RUNS_PER_PROCESS=1. A run that must be alone shares with none.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import type { Request } from '../../src/worker/process/execution.ts'
import { ProcessPool } from '../../src/worker/process/pool.ts'
import { poolSettings } from './pools.ts'
import { quiet } from './quiet.ts'

const folder = temporaryFolder()
const STATE = '{"cookies":[],"origins":[]}'
let pool: ProcessPool

/** Executes a run of the account. @returns how many runs of its source its process has executed */
async function servedFor(
  account: string,
  options: Partial<Request> = {},
  source = 'hostile',
): Promise<number> {
  const { end: result } = pool.execute({
    job: {
      runId: 'run_1',
      module: new URL('./plugins/hostile/source.ts', import.meta.url).href,
      taskKey: 'hostile.remembers',
      input: '{}',
      until: Date.now() + 60_000,
      exit: null,
    },
    account,
    memoryMb: 512,
    source: { name: source, origin: 'https://hostile.example' },
    hear: () => {},
    ...options,
  })
  const ended = await result
  if (ended.kind !== 'completed') throw new Error(ended.reason)
  return JSON.parse(ended.text).n
}

afterEach(() => pool.stop())

describe('runs of a source', () => {
  beforeEach(() => {
    pool = new ProcessPool(poolSettings(folder), quiet)
    pool.start()
  })

  test('share a process, whatever their accounts', async () => {
    expect(await servedFor('acc_1')).toBe(1)
    expect(await servedFor('acc_2')).toBe(2)
    expect(await servedFor('acc_1')).toBe(3)
    expect(pool.figures()).toEqual([{ source: 'hostile', state: 'accepting', processes: 1, runs: 0 }])
  })

  test('share no process with runs of another source', async () => {
    expect(await servedFor('acc_1')).toBe(1)
    expect(await servedFor('acc_1', {}, 'another')).toBe(1)
    expect(await servedFor('acc_1')).toBe(2)
  })

  test('with a signed-in state share a process with those of their account only', async () => {
    expect(await servedFor('acc_1')).toBe(1)
    expect(await servedFor('acc_1', { state: STATE })).toBe(1)
    expect(await servedFor('acc_2', { state: STATE })).toBe(1)
    expect(await servedFor('acc_1', { state: STATE })).toBe(2)
    expect(await servedFor('acc_2', { state: STATE })).toBe(2)
    expect(await servedFor('acc_2')).toBe(2)
  })

  test('that must be alone get a new process each, which executes no other run', async () => {
    expect(await servedFor('acc_1')).toBe(1)
    expect(await servedFor('acc_1', { alone: 'task' })).toBe(1)
    expect(await servedFor('acc_1', { alone: 'task' })).toBe(1)
    expect(await servedFor('acc_1', { alone: 'again' })).toBe(1)
    expect(await servedFor('acc_1', { alone: 'again' })).toBe(1)
    expect(await servedFor('acc_1')).toBe(2)
  })
})

test('with RUNS_PER_PROCESS=1 a process stays with one account and is reused for its next runs', async () => {
  pool = new ProcessPool({ ...poolSettings(folder), runsPerProcess: 1 }, quiet)
  pool.start()
  expect(await servedFor('acc_1')).toBe(1)
  expect(await servedFor('acc_1')).toBe(2)
  expect(await servedFor('acc_2')).toBe(1)
  expect(await servedFor('acc_1')).toBe(3)
  expect(await servedFor('acc_2')).toBe(2)
  expect(pool.figures()).toEqual([{ source: 'hostile', state: 'accepting', processes: 2, runs: 0 }])
})
