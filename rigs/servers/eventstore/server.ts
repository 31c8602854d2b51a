/**
 * A fake EventStoreDB: it speaks the gRPC protocol of the real server over a real socket, with the semantics that the
 * tests in this folder verify, and can be made to fail. {@link startEventStore} runs it in this process, process.ts in
 * a separate process, and cluster.ts runs several nodes that share a log.
 *
 * @module
 */
import { handlerOf } from './calls.ts'
import { Faults } from './faults.ts'
import { type Call, type Handler, serveGrpc } from './grpc.ts'
import { Log } from './log.ts'
import { type Membership, newMember } from './membership.ts'
import type { Node as EventStoreNode } from './node.ts'
import { tooSlow } from './subscriptions.ts'

export type EventStoreOptions = {
  /** Default 0: any free port. */
  readonly port?: number
  /** The folder of the log; by default it is in memory. */
  readonly folder?: string
  /** PEM texts, and the host name for clients (default: 127.0.0.1). Without this option it listens without TLS. */
  readonly tls?: { readonly key: string; readonly cert: string; readonly host?: string } | undefined
  /** Whether it reports that a subscription has caught up (default true); servers before 23.10 don't. */
  readonly caughtUp?: boolean
  /** Whether checkpoints at the log's end have the bug of some servers (default false), see SubscriptionManners. */
  readonly checkpointBeyondEnd?: boolean
  /** The version that it reports. */
  readonly version?: string
}

export type EventStore = {
  readonly host: string
  readonly port: number
  /** The connection string. With TLS, the file of the certificate (`tlsCAFile`) must be added. */
  readonly url: string
  readonly faults: Faults
  /** Ends the server as a kill would: connections break. The log stays in its folder. A second call does nothing. */
  stop(): Promise<void>
}

/** The shared state of a cluster's nodes. */
export type Shared = { readonly log: Log; readonly membership: Membership }

/** Starts a single node, which is its own leader. */
export async function startEventStore(options: EventStoreOptions = {}): Promise<EventStore> {
  const log = new Log(options.folder)
  const membership: Membership = { members: [], leader: null }
  const node = await startNode(options, { log, membership })
  membership.leader = membership.members[0]!
  let stopped: Promise<void> | undefined
  const stop = async () => {
    await node.stop()
    await log.close()
  }
  return {
    ...node,
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

/** Starts a node on a shared log and adds it to the members. */
export async function startNode(
  options: EventStoreOptions,
  { log, membership }: Shared,
): Promise<EventStore> {
  const { port = 0, tls, caughtUp = true, checkpointBeyondEnd = false, version = '23.10.8' } = options
  const subscriptions = new Set<Call>()
  const faults = new Faults(
    () => server.cut(),
    (error = tooSlow()) => {
      for (const call of subscriptions) call.end(error)
    },
    (refuse) => server.refuse(refuse),
  )
  let handle: Handler
  const server = await serveGrpc(
    { answer: (call, messages) => handle.answer(call, messages), intake: (call) => handle.intake(call) },
    { host: '127.0.0.1', port, tls },
  )
  const self = newMember({ host: tls?.host ?? '127.0.0.1', port: server.port })
  membership.members.push(self)
  const manners = { caughtUp, checkpointBeyondEnd }
  const node: EventStoreNode = { log, faults, membership, self, manners, version, subscriptions }
  handle = handlerOf(node)
  return {
    host: self.host,
    port: server.port,
    url: `esdb://${self.host}:${server.port}?tls=${tls !== undefined}`,
    faults,
    async stop() {
      self.alive = false
      await server.stop()
    },
  }
}
