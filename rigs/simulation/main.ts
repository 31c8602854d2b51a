/**
 * `npm run simulate`: runs seeds of the simulation.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { ranges } from './processes.ts'
import { EMPTY, join, neverFired, type Report, reportOf, textOf } from './report.ts'
import { planOf, simulate } from './schedule.ts'
import { shrink } from './shrink.ts'

const { values } = parseArgs({
  options: {
    /** number of seeds */
    seeds: { type: 'string', default: '300' },
    /** the first seed */
    from: { type: 'string', default: '1' },
    /** a single seed, with its trace */
    seed: { type: 'string' },
    /** number of concurrent processes */
    jobs: { type: 'string', default: String(availableParallelism()) },
    /** prints the report as JSON: for the process that started this one */
    json: { type: 'boolean', default: false },
    /** stops at the first seed that fails and prints how many were run: for planted bugs */
    first: { type: 'boolean', default: false },
  },
})

/** The commit of the code, so that a seed can be repeated on it. */
function commit(): string {
  const { stdout } = spawnSync('git', ['describe', '--always', '--dirty'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  })
  return stdout?.trim() || 'unknown'
}

async function one(seed: number): Promise<void> {
  const outcome = await simulate(seed, { withTrace: true })
  const { wrong, hash, trace = [] } = outcome
  console.log(trace.join('\n'))
  console.log(`\nSeed ${seed}, ${planOf(seed).nodes} nodes, hash ${hash}, faults:`)
  for (const fault of outcome.faults) console.log(`  ${JSON.stringify(fault)}`)
  if (wrong.length === 0) return console.log('No invariant was violated.')
  const { faults } = await shrink(outcome)
  console.log(`Wrong:\n  ${wrong.join('\n  ')}\nIt still fails with only these faults:`)
  for (const fault of faults) console.log(`  ${JSON.stringify(fault)}`)
  process.exitCode = 1
}

async function range(from: number, count: number): Promise<Report> {
  let report = EMPTY
  for (let seed = from; seed < from + count; seed++) {
    const outcome = await simulate(seed)
    report = join(report, reportOf(outcome, outcome.wrong.length > 0 ? await shrink(outcome) : undefined))
  }
  return report
}

/** Looks for the first seed that fails. */
async function first(from: number, count: number): Promise<object> {
  for (let tried = 1; tried <= count; tried++) {
    const { wrong } = await simulate(from + tried - 1)
    if (wrong.length > 0) return { after: tried, complaint: wrong[0] }
  }
  return { after: null, complaint: '' }
}

const [from, count, jobs] = [values.from, values.seeds, values.jobs].map(Number) as [number, number, number]
if (values.seed !== undefined) await one(Number(values.seed))
else if (values.first) console.log(JSON.stringify(await first(from, count)))
else if (values.json) process.stdout.write(JSON.stringify(await range(from, count)))
else {
  const began = performance.now()
  const report = await ranges(from, count, Math.min(jobs, count), (finished) =>
    console.error(`${finished.toLocaleString('en')} of ${count.toLocaleString('en')}`),
  )
  console.log(textOf(report, commit(), performance.now() - began))
  const never = neverFired(report)
  if (never.length > 0) console.log(`Never fired: ${never.join(', ')}.`)
  // A large number of schedules covers everything; a small number need not.
  if (report.wrong.length > 0 || (count >= 10_000 && never.length > 0)) process.exitCode = 1
}
// Connection pools and the like of the service would keep the process alive.
process.exit()
