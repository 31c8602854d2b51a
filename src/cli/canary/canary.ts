/**
 * `gleaner canary`: tries tasks with the inputs that their plugins declare for it.
 *
 * @module
 */
import type { Command } from 'commander'
import { type Catalogue, type CatalogueTask, loadCatalogue, PLUGINS } from '../../catalogue/catalogue.ts'
import { nearest } from '../../catalogue/names.ts'
import { readConfig } from '../../config.ts'
import { allowsTask } from '../../domain/account.ts'
import type { Tried } from '../../health/canary/all.ts'
import { titleOf } from '../../health/canary/start.ts'
import { CommandFailed, UsageError } from '../failure.ts'
import { type Io, outJson } from '../io.ts'
import { endText, jsonOf, secondsText, tableOf } from './report.ts'

export function addCanary(program: Command, io: Io): void {
  program
    .command('canary')
    .description(
      `Tries tasks with their examples and canary inputs, and says what broke.

Bad runs are repeated once, after all others. The runs are free of charge and count for the health of their tasks. Beside a running server, that server executes them; otherwise this process does. Tasks that need a login use those of the account "canary". Ctrl-C cancels the runs. The exit code is 1 when a task is broken or fields lost their values.`,
    )
    .argument('[patterns...]', 'Which tasks: forum.* or encyclopedia.search; all by default.')
    .option('--json', 'Writes JSON.')
    .action((patterns: readonly string[], { json }: { json?: true }) => run(io, patterns, json === true))
}

async function run(io: Io, patterns: readonly string[], json: boolean): Promise<void> {
  const config = readConfig(io.env)
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config })
  for (const { folder, reason } of catalogue.failures)
    io.err(`The plugin in ${folder} could not be loaded: ${reason}\n`)
  const tasks = chosen(catalogue, patterns)
  // The parts of a server are imported only here.
  const { withCanary } = await import('./stage.ts')
  const findings = await withCanary(io, config, catalogue, async (stage) => {
    const { tryAll } = await import('../../health/canary/all.ts')
    io.err(`${stage.isOwn ? 'This process' : 'The running server'} executes the runs.\n`)
    return tryAll(stage.service, tasks, { signal: io.signal, onTried: (tried) => io.err(progress(tried)) })
  })
  if (json) outJson(io, jsonOf(findings))
  else io.out(tableOf(findings))
  if (io.signal.aborted) throw new CommandFailed('Stopped. Runs under way were cancelled.')
  if (findings.some(({ isBroken, drift }) => isBroken || drift.length > 0)) throw new CommandFailed()
}

/** @throws {UsageError} for a pattern that names no task */
function chosen({ tasks }: Catalogue, patterns: readonly string[]): readonly CatalogueTask[] {
  for (const pattern of patterns) {
    if (tasks.some(({ key }) => allowsTask([pattern], key))) continue
    const known = [...tasks.map(({ key }) => key), ...tasks.map(({ source }) => `${source.name}.*`)]
    throw new UsageError(`${pattern} names no task; did you mean ${nearest(pattern, known)}?`)
  }
  return patterns.length === 0 ? tasks : tasks.filter(({ key }) => allowsTask(patterns, key))
}

function progress({ probe, end, isBad, isRepeat }: Tried): string {
  const words = `${probe.task.key}  ${titleOf(probe)}  ${endText(end)}, ${secondsText(end)}`
  if (!isBad) return `${words}\n`
  return `${words}${isRepeat ? ', again' : '; it is repeated after the others'}\n`
}
