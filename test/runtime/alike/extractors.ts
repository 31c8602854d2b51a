/**
 * What an extractor does to its process ends that run alone, on both runtimes: the same ends, the same books.
 *
 * @module
 */
import { expect } from 'bun:test'
import { childrenOf } from '../../start/processes.ts'
import { comparable } from '../seen.ts'
import { alike } from '../servers.ts'

/** By task: how its run ends. What else ruins a process is in test/worker/pool.test.ts, which both runtimes run. */
const FAULTS: Readonly<Record<string, readonly [string, string]>> = {
  exit: ['errored', 'defect'],
  memory: ['errored', 'out-of-memory'],
  throws: ['errored', 'defect'],
  'short-limit': ['expired', 'run-limit'],
}
const TASKS = Object.keys(FAULTS)

alike(
  `${TASKS.join(', ')}: each with its own end, refunded, and others go on beside them`,
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
    // What a process has said before it ends itself, or before a second has passed, is chance.
    const isChance = (task: string) => task === 'faults.exit' || task === 'faults.short-limit'
    return runs.map(({ task_key, result, error }) => [isChance(task_key) ? '' : comparable(result), error])
  },
  60_000,
)

alike('nothing of the service is in its environment, and what it prints goes nowhere', async (server) => {
  const runs = [await server.run('/v1/faults/environment', {}), await server.run('/v1/faults/prints', {})]
  expect(runs.map(({ result }) => result.items)).toEqual([[], [{ n: 1 }]])
  expect(server.process.printed.out + server.process.printed.err).not.toContain('printed by a plugin')
  return runs.map(({ result }) => result)
})

alike('a child that is killed costs its run nothing: it is tried again', async (server) => {
  const kickoff = await server.json(server.post('/v1/faults/slow', { count: 40 }))
  await server.progressed(kickoff.run_id)
  for (const pid of childrenOf(server.process.pid)) process.kill(pid, 'SIGKILL')
  const run = await server.json(server.send(`/v1/runs/${kickoff.run_id}?wait=30`))
  expect(run).toMatchObject({ run_status: 'succeeded', attempt: 2 })
  return comparable(run.result)
})
