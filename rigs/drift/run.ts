/**
 * `npm run drift -- --months 10`: simulated months of every task, without and with a lost field, and what the health of
 * the tasks said of them. `--healthy` and `--losses` do one of the two; `--from N` is the first seed.
 *
 * @module
 */
import { parseArgs } from 'node:util'
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { type Alarm, type Detection, healthyMonth, monthWithLoss, WHYS } from './months.ts'

const { values } = parseArgs({
  options: {
    months: { type: 'string', default: '10' },
    from: { type: 'string', default: '1' },
    healthy: { type: 'boolean', default: false },
    losses: { type: 'boolean', default: false },
  },
})
const { tasks } = await loadCatalogue({ folders: [PLUGINS], config: { pluginsDir: null, runLimitS: 300 } })
const seeds = Array.from({ length: Number(values.months) }, (_, i) => Number(values.from) + i)
/** Each task with each seed. */
const months = tasks.flatMap((task, i) => seeds.map((seed) => ({ task, seed: seed * 100 + i })))

if (!values.losses) {
  const all = months.map(({ task, seed }) => healthyMonth(task, seed))
  const alarms = all.flatMap(({ alarm }) => alarm ?? [])
  const runs = all.reduce((sum, month) => sum + month.runs, 0)
  console.log(`${all.length} healthy months, ${runs} runs: ${alarms.length} false alarms`)
  for (const alarm of alarms) console.log(`  ${textOf(alarm)}`)
}
if (!values.healthy) for (const part of [1, 0.5]) report(part)
process.exit(0)

function report(part: number): void {
  const all = months.flatMap(({ task, seed }) => monthWithLoss(task, seed, part) ?? [])
  const seen = all.filter(({ after }) => after !== null)
  const early = seen.filter(({ after }) => after !== null && after <= 20)
  console.log(
    `${all.length} months with a field lost for ${part === 1 ? 'all' : 'half of the'} items: ${early.length} noticed within 20 runs, ${seen.length} within 100`,
  )
  const late = all.filter(({ after }) => after === null || after > 20)
  for (const why of WHYS) console.log(`  not within 20 runs: ${ofWhy(late, why)}`)
}

function ofWhy(late: readonly Detection[], why: (typeof WHYS)[number]): string {
  const own = late.filter((each) => each.why === why)
  return `${own.length} ${why} (${own.filter(({ after }) => after !== null).length} of them within 100)`
}

function textOf({ task, seed, at, drift }: Alarm): string {
  const fields = drift.map(({ field, was, now }) => `${field} ${was} to ${now}`)
  return `${task} seed ${seed} at ${new Date(at).toISOString()}: ${fields.join(', ')}`
}
