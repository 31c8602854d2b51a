/**
 * `npm run search`: visits all states of every model and prints their number.
 *
 * @module
 */
import { summaryOf } from './room.ts'
import { ROOMS } from './rooms.ts'

const HELP = `npm run search -- [options] [part of a model's name …]    see docs/reliability.md

  --large       larger bounds; takes minutes
  --bugs        the models with planted bugs too, with their traces
`

const args = process.argv.slice(2)
if (args.includes('--help')) {
  process.stdout.write(HELP)
  process.exit()
}
const isLarge = args.includes('--large')
const showsBugs = args.includes('--bugs')
const wanted = args.filter((arg) => !arg.startsWith('--'))
let failed = 0

for (const { name: room, small, large, planted } of ROOMS) {
  if (wanted.length > 0 && !wanted.some((part) => room.includes(part))) continue
  for (const { name, search } of [...(isLarge ? large : small), ...(showsBugs ? planted : [])]) {
    const begun = performance.now()
    const searched = search()
    const { violation } = searched
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    console.log(`${summaryOf(`${room}: ${name}`, searched)} (${seconds} s)`)
    for (const step of violation?.trace ?? []) console.log(`  ${step}`)
    const isPlanted = planted.some((bug) => bug.name === name)
    if (isPlanted !== (violation !== undefined)) failed++
  }
}
if (failed > 0) console.error(`${failed} searches did not end as they should: see above`)
process.exitCode = failed > 0 ? 1 : 0
