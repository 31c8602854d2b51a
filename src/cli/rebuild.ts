/**
 * `gleaner rebuild`: read models made anew from the log.
 *
 * @module
 */
import { projectionsOf } from '../../projections/all.ts'
import { rebuild as rebuildModels } from '../read/rebuild.ts'
import { type Command, OK, UsageError } from './command.ts'
import { progressBar } from './progress.ts'
import { withStores } from './stores.ts'

/** Of any log: some are of logs without an index by account alone. */
const NAMES = projectionsOf({}).map(({ name }) => name)

export const rebuild: Command = {
  name: 'rebuild',
  about: 'Makes read models anew from the event log; all of them when none is named.',
  operands: '[model…]',
  count: [0, NAMES.length],
  options: {},
  details: `Models: ${NAMES.join(', ')}.\nNothing notices it beside a running server: the rows that are read are replaced in one step when the new ones are done.`,
  run(call) {
    const unknown = call.operands.find((name) => !NAMES.includes(name))
    if (unknown !== undefined)
      throw new UsageError(`there is no read model "${unknown}": there are ${NAMES.join(', ')}`)
    return withStores(call, async ({ stores }) => {
      const chosen = projectionsOf(stores.log).filter(
        ({ name }) => call.operands.length === 0 || call.operands.includes(name),
      )
      const bar = progressBar(call.io, 'rebuild', 'events')
      const events = await rebuildModels(stores.log, stores.readModels, chosen, (progress) => {
        // The last call is ours: nothing comes at all from an empty log.
        if (progress.position < progress.head) bar(progress.position / progress.head, progress.events)
      })
      bar(1, events)
      call.io.out(`rebuilt ${chosen.map(({ name }) => name).join(', ')}\n`)
      return OK
    })
  },
}
