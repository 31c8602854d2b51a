/** What a worker repeats until its lease ends, and what it does not. */
import { expect, test } from 'bun:test'
import type { RunId } from '../../src/domain/ids.ts'
import type { HeldRun, RunState } from '../../src/domain/run.ts'
import { StoreUnavailable, WrongExpectedRevision } from '../../src/log/event-log.ts'
import type { Loaded } from '../../src/log/execute.ts'
import { Held, type HeldDeps } from '../../src/worker/held.ts'
import { quiet } from './quiet.ts'

/** A run whose lease ends a minute from now. */
function heldRun(): Held {
  const state = { runId: 'run_1' as RunId, leaseUntil: new Date(60_000).toISOString() } as HeldRun
  const deps = { logger: quiet, now: () => 0 } as HeldDeps
  return new Held(deps, { state, revision: 0 } as Loaded<HeldRun & RunState>, 'cause', () => {})
}

test.each([
  ['a store that is away', new StoreUnavailable('away')],
  ['a stream that others write to', new WrongExpectedRevision('run-run_1' as never, 0, 1)],
])('an act is repeated after %s, which may pass', async (_, error) => {
  let tries = 0
  const act = async () => {
    if (++tries < 3) throw error
  }
  expect(await heldRun().persist(act)).toBe(true)
  expect(tries).toBe(3)
})

test('a defect is thrown at once: no later try would go better', async () => {
  let tries = 0
  const act = async () => {
    tries++
    throw new TypeError('a defect')
  }
  await expect(heldRun().persist(act)).rejects.toThrow('a defect')
  expect(tries).toBe(1)
})
