/**
 * `gleaner proxies`: the ways out.
 *
 * @module
 */
import type { Command } from 'commander'
import { clearInterval, setInterval } from '../../async/timers.ts'
import { type Catalogue, loadCatalogue, PLUGINS } from '../../catalogue/catalogue.ts'
import { didYouMean } from '../../catalogue/names.ts'
import { checkWays, readConfig } from '../../config.ts'
import { rateLimiterOf } from '../../net/rate-limiter.ts'
import type { Source } from '../../plugin.ts'
import { columns, count } from '../columns.ts'
import { CommandFailed, UsageError } from '../failure.ts'
import { type Io, outJson } from '../io.ts'
import { type CheckResult, check, probesOf } from './check.ts'

const ALIVE_MS = 60_000
const HEAD = ['SOURCE', 'EXIT', 'ANSWER', 'TIME']

export function addProxies(program: Command, io: Io): void {
  const proxies = program.command('proxies').description('Checks what sources answer through each proxy.')
  proxies
    .command('check')
    .description(
      `Opens the front page of each source through each of its exits, and says what came back.

Sources without a way out are opened directly. Each source is asked at its pace. An exit is shown as name#number; its URL is never shown. Each answer is written to stderr as it comes, and all of them as a table at the end. Nothing is stored: no exit rests because of a check. The exit code is 1 when an exit fails or refuses a source, or a source blocks one or does not answer.`,
    )
    .argument('[sources...]', 'Which sources: forum video; all by default.')
    .option('--json', 'Writes JSON.')
    .action((names: readonly string[], { json }: { json?: true }) => run(io, names, json === true))
}

async function run(io: Io, names: readonly string[], json: boolean): Promise<void> {
  const config = readConfig(io.env)
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config })
  for (const { folder, reason } of catalogue.failures)
    io.err(`The plugin in ${folder} could not be loaded: ${reason}\n`)
  const sources = sourcesNamed(catalogue, names)
  checkWays(config, sources)
  for (const { name } of sources)
    if (config.sourceOrigins.has(name))
      io.err(`${name} is left out: requests to SOURCE_${name.toUpperCase()}_ORIGIN go out directly.\n`)
  const options = { config, rateLimiter: rateLimiterOf(config), signal: io.signal }
  const probes = probesOf(config, sources)
  // The rate limiter's timers do not keep a process alive, and Bun looks for work all the time while nothing does.
  const alive = setInterval(() => {}, ALIVE_MS)
  const results = await Promise.all(
    probes.map(async (probe) => {
      const result = await check(probe, options)
      if (!json) io.err(`${result.source.name} ${result.label}: ${result.words}\n`)
      return result
    }),
  )
    .catch((error) => {
      throw io.signal.aborted ? new CommandFailed('Stopped.') : error
    })
    .finally(() => clearInterval(alive))
  if (json) outJson(io, { checks: results.map(jsonOf) })
  else io.out(tableOf(results))
  const bad = results.filter(({ outcome }) => outcome !== 'answered')
  if (bad.length > 0)
    throw new CommandFailed(`${count(bad.length, 'check')} of ${results.length} did not succeed.`)
}

function sourcesNamed({ sources }: Catalogue, names: readonly string[]): readonly Source[] {
  const known = sources.map(({ name }) => name)
  for (const name of names)
    if (!known.includes(name)) throw new UsageError(`${name} names no source${didYouMean(name, known)}`)
  return names.length === 0 ? sources : sources.filter(({ name }) => names.includes(name))
}

const tableOf = (results: readonly CheckResult[]): string =>
  results.length === 0
    ? ''
    : columns([
        HEAD,
        ...results.map(({ source, label, words, ms }) => [
          source.name,
          label,
          words,
          `${(ms / 1000).toFixed(1)} s`,
        ]),
      ])

const jsonOf = ({ source, label, outcome, words, ms }: CheckResult): object => ({
  source: source.name,
  exit: label,
  outcome,
  answer: words,
  ms,
})
