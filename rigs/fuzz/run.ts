/**
 * `npm run fuzz`: tries mutated input on every surface, with the same shares of cases as `npm test`.
 *
 * @module
 */
import { parseArgs } from 'node:util'
import { fuzz } from './surface.ts'
import { SURFACES } from './surfaces.ts'

const HELP = `npm run fuzz -- [options]    see docs/reliability.md

  --cases N     how many cases, a million by default
  --seed N      the seed of all cases
  --only NAME   one surface
  --case N      one case of that surface
`

const { values } = parseArgs({
  options: {
    help: { type: 'boolean' },
    cases: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    case: { type: 'string' },
  },
})

function wholeNumber(name: string, text: string): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw new TypeError(`--${name} must be a whole number, such as --${name} 7`)
  return number
}

async function main(): Promise<boolean> {
  if (values.help) {
    process.stdout.write(HELP)
    return true
  }
  const { only } = values
  const seed = wholeNumber('seed', values.seed)
  const cases = wholeNumber('cases', values.cases)
  const single = values.case === undefined ? undefined : wholeNumber('case', values.case)
  const names = SURFACES.map(({ name }) => name).join(', ')
  const chosen = SURFACES.filter(({ name }) => only === undefined || name === only)
  if (chosen.length === 0) throw new TypeError(`--only must be one of ${names}`)
  if (single !== undefined && only === undefined) throw new TypeError(`--case needs --only, one of ${names}`)
  let good = true
  for (const surface of chosen) {
    const count = single !== undefined ? 1 : only ? cases : Math.ceil(cases * surface.share)
    const begun = performance.now()
    const { tried, failures, outcomes } = await fuzz(surface, seed, single ?? 0, count)
    for (const failure of failures) console.error(`${surface.name}: ${failure}\n`)
    if (failures.length > 0) good = false
    const seconds = ((performance.now() - begun) / 1000).toFixed(1)
    const came = [...outcomes].sort(([, a], [, b]) => b - a).map(([name, times]) => `${name} ${times}`)
    console.log(
      `${surface.name}: ${tried} cases, ${failures.length} kinds of failures, ${seconds} s, seed ${seed}: ${came.join(', ')}`,
    )
  }
  return good
}

main().then(
  (good) => process.exit(good ? 0 : 1),
  (error) => {
    console.error(error instanceof TypeError ? error.message : error)
    process.exit(2)
  },
)
