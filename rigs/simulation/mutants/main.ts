/**
 * `npm run simulate -- --mutants`: looks for every planted bug and prints how soon it was found.
 *
 * @module
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import pLimit from 'p-limit'
import { hunt } from './hunt.ts'
import { MUTANTS } from './list.ts'

const { values } = parseArgs({
  options: {
    /** the maximum number of schedules per bug */
    budget: { type: 'string', default: '3000' },
    /** how often each bug is searched, from another seed each time */
    times: { type: 'string', default: '3' },
    /** only the bugs whose name contains this text */
    only: { type: 'string', default: '' },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
})
const [budget, times, jobs] = [values.budget, values.times, values.jobs].map(Number) as [
  number,
  number,
  number,
]
const atOnce = pLimit(jobs)
/** Distance between first seeds, so that no schedule is tried twice. */
const STARTS = Array.from({ length: times }, (_, i) => 1 + i * 1_000_000)

const control = await hunt(undefined, 1, Math.min(budget, 200))
console.log(
  control.after === null
    ? 'Without a planted bug no violation was found.'
    : `Without a planted bug a violation was found: ${control.complaint}`,
)
console.log('\n| planted bug | schedules until it shows (median) | how |\n| --- | --- | --- |')
const wanted = MUTANTS.filter(({ name }) => name.includes(values.only))
let missed = control.after === null ? 0 : 1
await Promise.all(
  wanted.map((mutant) =>
    atOnce(async () => {
      const detections = []
      for (const start of STARTS) detections.push(await hunt(mutant, start, budget))
      const after = detections.map((one) => one.after ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b)
      const median = after[Math.floor(after.length / 2)] as number
      if (median > budget) missed++
      const { complaint = '' } = detections.find((one) => one.after !== null) ?? {}
      const shown = complaint
        .replaceAll(/\|/g, '/')
        .replaceAll(/_[0-9a-z]{20,}/g, '_…')
        .slice(0, 120)
      console.log(`| ${mutant.name} | ${median > budget ? `not in ${budget}` : median} | ${shown} |`)
    }),
  ),
)
console.log(`\n${wanted.length - missed} of ${wanted.length} were found.`)
process.exit(missed > 0 ? 1 : 0)
