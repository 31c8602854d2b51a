/**
 * A cluster of fakes: nodes that share one log, with one leader. The followers answer "not leader" to calls that only a
 * leader serves. The leader can be changed.
 *
 * @module
 */
import { Log } from './log.ts'
import type { Membership } from './membership.ts'
import { type EventStore, type EventStoreOptions, startNode } from './server.ts'

export type EventStoreCluster = {
  readonly nodes: readonly EventStore[]
  /** The connection string that names all nodes. */
  readonly url: string
  /** @param index of the new leader; null for no leader */
  lead(index: number | null): void
  stop(): Promise<void>
}

/** Starts nodes; the first one leads. */
export async function startCluster(
  size: number,
  options: Omit<EventStoreOptions, 'port'> = {},
): Promise<EventStoreCluster> {
  const log = new Log(options.folder)
  const membership: Membership = { members: [], leader: null }
  const nodes: EventStore[] = []
  for (let i = 0; i < size; i++) nodes.push(await startNode(options, { log, membership }))
  const lead = (index: number | null) => {
    membership.leader = index === null ? null : membership.members[index]!
  }
  lead(0)
  return {
    nodes,
    url: `esdb://${nodes.map(({ host, port }) => `${host}:${port}`).join(',')}?tls=${options.tls !== undefined}`,
    lead,
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()))
      await log.close()
    },
  }
}
