/**
 * `gleaner canary`: tries tasks with the inputs that their plugins declare for it.
 *
 * @module
 */
import type { Command } from 'commander'
import { loadCatalogue, PLUGINS } from '../../catalogue/catalogue.ts'
import { readConfig } from '../../config.ts'
import { CANARY_ACCOUNT_ID } from '../../domain/health/canary.ts'
import type { Tried } from '../../health/canary/all.ts'
import { titleOf } from '../../health/canary/start.ts'
import { CommandFailed } from '../failure.ts'
import { type Io, outJson } from '../io.ts'
import { tasksNamed } from '../patterns.ts'
import { endText, jsonOf, secondsText, tableOf } from './report.ts'

const HOW_TO_SIGN_IN = `To sign in as the account canary, invite yourself to it, open the link, and sign in to the source on the page of logins:
  npm run gleaner -- people invite you@example.org --account ${CANARY_ACCOUNT_ID} --role owner
`

export function addCanary(program: Command, io: Io): void {
  program
    .command('canary')
    .description(
      `Tries tasks with their examples and canary inputs, and says what broke.

Bad runs are repeated once, after all others. The runs are free of charge and count for the health of their tasks. Beside a running server, that server executes them; otherwise this process does. Tasks that need a login use those of the account "canary". Ctrl-C cancels the runs. The exit code is 1 when a task is broken, fields lost their values, or nothing was tried.`,
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
  const tasks = tasksNamed(catalogue, patterns)
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
  if (findings.some(({ obstacle }) => obstacle === 'login')) io.err(HOW_TO_SIGN_IN)
  if (findings.every(({ tried }) => tried.length === 0)) throw new CommandFailed('Nothing was tried.')
  if (findings.some(({ isBroken, drift }) => isBroken || drift.length > 0)) throw new CommandFailed()
}

function progress({ probe, end, isBad, isRepeat }: Tried): string {
  const words = `${probe.task.key}  ${titleOf(probe)}  ${endText(probe.task, end)}, ${secondsText(end)}`
  if (!isBad) return `${words}\n`
  return `${words}${isRepeat ? ', again' : '; it is repeated after the others'}\n`
}
