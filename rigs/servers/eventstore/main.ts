/**
 * The fake as a separate process, so that it can be killed, stopped (SIGSTOP) and started again:
 *
 *     bun rigs/servers/eventstore/main.ts [--port 0] [--folder <path>] [--options <EventStoreOptions as JSON>]
 *
 * It prints `{"port", "url"}` when it listens. Each line on stdin is JSON of {@link Command}. The answer is `{}` when
 * the command is done, or the port and URL of another store that it started. The process ends when stdin ends, so that
 * it never outlives its parent, and by any signal.
 *
 * @module
 */
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import type { Faults } from './faults.ts'
import { type EventStoreOptions, startEventStore } from './server.ts'

/** Sets faults, then executes the other fields. */
export type Command = {
  /** Starts another store in this process. It is independent of the first one and lives as long. */
  readonly another?: EventStoreOptions
  readonly set?: Partial<
    Pick<Faults, 'latency' | 'lostAnswers' | 'loss' | 'refuseAppends' | 'refuseReads' | 'frozen'>
  >
  readonly cutConnections?: true
  readonly dropSubscriptions?: true
  readonly refuseConnections?: boolean
}

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    folder: { type: 'string' },
    options: { type: 'string', default: '{}' },
  },
})
const { port, url, faults } = await startEventStore({
  port: Number(values.port),
  ...(values.folder !== undefined && { folder: values.folder }),
  ...JSON.parse(values.options),
})
const say = (answer: object) => process.stdout.write(`${JSON.stringify(answer)}\n`)
say({ port, url })

for await (const line of createInterface({ input: process.stdin })) {
  const command: Command = JSON.parse(line)
  if (command.another) {
    const other = await startEventStore(command.another)
    say({ port: other.port, url: other.url })
    continue
  }
  Object.assign(faults, command.set)
  if (command.refuseConnections !== undefined) faults.refuseConnections(command.refuseConnections)
  if (command.cutConnections) faults.cutConnections()
  if (command.dropSubscriptions) faults.dropSubscriptions()
  say({})
}
process.exit(0)
