/**
 * `npm run sources`: writes the tables of docs/sources.md, and `fill.json` of each plugin, from the recorded answers,
 * which must be available.
 *
 * @module
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { type Cost, costOf } from './cost.ts'
import { canRun, type Evidence, evidenceOf, readSources } from './evidence.ts'
import { fillFiles } from './fills.ts'
import { costTable, recordedTable, sourceTable, withTable } from './tables.ts'

const FILE = join(import.meta.dirname, '..', '..', 'docs', 'sources.md')

const sources = await readSources()
if (!canRun(sources)) {
  console.error('the recorded answers, or the browser, are not at hand: nothing is written')
  process.exit(1)
}
const evidence: Evidence[] = []
const costs: Cost[] = []
for (const recorded of sources) {
  for (const task of recorded.source.tasks) {
    evidence.push(await evidenceOf(recorded, task))
    const cost = await costOf(recorded, task)
    if (cost) costs.push(cost)
  }
}
const machine = `${cpus().length} cores of ${cpus()[0]?.model.trim() ?? 'an unknown kind'}`
const runtime = `Bun ${process.versions.bun}`
const declared = sources.map(({ source }) => source)
for (const [path, content] of fillFiles(declared, evidence)) writeFileSync(path, content)
const measured = `Measured on ${new Date().toISOString().slice(0, 10)}, ${runtime}, ${machine}.`
const tables = {
  sources: sourceTable(declared),
  recorded: recordedTable(evidence),
  cost: `${costTable(costs)}\n\n${measured}`,
}
const written = Object.entries(tables).reduce(
  (document, [name, content]) => withTable(document, name, content),
  readFileSync(FILE, 'utf8'),
)
writeFileSync(FILE, written)
console.log(`docs/sources.md: ${evidence.length} tasks, ${costs.length} of them measured`)
// A browser that the runs started would keep the process alive.
process.exit(0)
