/**
 * `gleaner rebuild`: rebuilds read models from the log.
 *
 * @module
 */
import { Argument, type Command } from 'commander'
import { projectionsOf } from '../../projections/all.ts'
import { rebuild } from '../read/rebuild.ts'
import { CommandFailed } from './failure.ts'
import type { Io } from './io.ts'
import { progressBar } from './progress.ts'
import { withStores } from './stores.ts'

/** The read models of all kinds of logs. Some exist only for logs without an index by account. */
const NAMES = projectionsOf({}).map(({ name }) => name)

export function addRebuild(program: Command, io: Io): void {
  program
    .command('rebuild')
    .description(
      'Rebuilds read models from the event log.\n\nIt can run beside a server: the new rows replace those in use in one step, once they are complete.',
    )
    .addArgument(new Argument('[model...]', 'The read models to rebuild; all by default.').choices(NAMES))
    .action((names: readonly string[]) =>
      withStores(io, async ({ stores }) => {
        const all = projectionsOf(stores.log)
        const unused = names.filter((name) => !all.some((model) => model.name === name))
        if (unused.length > 0)
          throw new CommandFailed(
            `${unused.join(', ')}: only used with EVENTSTORE_URL; the embedded log has an index instead. Nothing was rebuilt.`,
          )
        const chosen = names.length === 0 ? all : all.filter(({ name }) => names.includes(name))
        const bar = progressBar(io, 'rebuild')
        const events = await rebuild(stores.log, stores.readModels, chosen, (progress) => {
          // The final call is made below, since an empty log reports no progress.
          if (progress.position < progress.head) bar(progress.position / progress.head, progress.events)
        })
        bar(1, events)
        io.out(`rebuilt ${chosen.map(({ name }) => name).join(', ')}\n`)
      }),
    )
}
