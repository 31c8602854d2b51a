/**
 * An extractor that breaks its process ends only its own run, with the same end and ledger on both runtimes.
 *
 * @module
 */
import { expect } from 'bun:test'
import { childrenOf } from '../../../servers/processes.ts'
import { comparable } from '../seen.ts'
import { alike } from '../servers.ts'

/** The end of the run by task. test/worker/pool.test.ts covers other faults on both runtimes. */
const FAULTS: Readonly<Record<string, readonly [string, string]>> = {
  exit: ['errored', 'defect'],
  memory: ['errored', 'out-of-memory'],
  throws: ['errored', 'defect'],
  'short-limit': ['expired', 'run-limit'],
}
const TASKS = Object.keys(FAULTS)

alike(
  `${TASKS.join(', ')}: each run has its own end and a refund, and runs beside them succeed`,
  async (server) => {
    const [runs, others] = await Promise.all([
      Promise.all(TASKS.map((task) => server.run(`/v1/faults/${task}`, {}))),
      Promise.all([1, 2, 3].map(() => server.run('/v1/faults/count', {}))),
    ])
    expect(
      runs.map(({ task_key, run_status, error, credits }) => [task_key, run_status, error.code, credits]),
    ).toEqual(
      Object.entries(FAULTS).map(([task, end]) => [`faults.${task}`, ...end, { charged: 1, refunded: 1 }]),
    )
    expect(new Set(others.map(({ run_status }) => run_status))).toEqual(new Set(['succeeded']))
    for (const { run_id } of runs) expect(await server.booked(run_id, 2)).toEqual([1, -1])
    // The items sent before a process exits, or within a second, depend on chance.
    const isChance = (task: string) => task === 'faults.exit' || task === 'faults.short-limit'
    return runs.map(({ task_key, result, error }) => [isChance(task_key) ? '' : comparable(result), error])
  },
  60_000,
)

alike('an extractor sees no environment of the service, and its output is discarded', async (server) => {
  const runs = [await server.run('/v1/faults/environment', {}), await server.run('/v1/faults/prints', {})]
  expect(runs.map(({ result }) => result.items)).toEqual([[], [{ n: 1 }]])
  expect(server.process.printed.out + server.process.printed.err).not.toContain('printed by a plugin')
  return runs.map(({ result }) => result)
})

alike('a run whose process was killed is executed again and succeeds', async (server) => {
  const kickoff = await server.json(server.post('/v1/faults/slow', { count: 40 }))
  await server.progressed(kickoff.run_id)
  for (const pid of childrenOf(server.process.pid)) process.kill(pid, 'SIGKILL')
  const run = await server.json(server.send(`/v1/runs/${kickoff.run_id}?wait=30`))
  expect(run.run_status).toBe('succeeded')
  // It is another attempt only if its process had executed no other run.
  expect([1, 2]).toContain(run.attempt)
  return comparable(run.result)
})
