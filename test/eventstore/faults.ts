/**
 * What can go wrong at an event store, switched on and off by tests while the fake runs.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { CallError, STATUS } from './grpc.ts'

/** Where a node listens. */
export type Endpoint = { readonly host: string; readonly port: number }

/**
 * Why a node does not do what it is asked, as the real server says it: it is no leader and names the leader, knows none
 * (also what a read-only node says), is starting, is busy, gave up waiting for the other nodes, or forbids it.
 */
export type Refusal =
  | 'no-leader'
  | 'not-ready'
  | 'too-busy'
  | 'timeout'
  | 'access-denied'
  | { readonly leader: Endpoint }

/** How the answer of an append that was written gets lost: it never comes, the call breaks off, or it says "timed out". */
export type Loss = 'silence' | 'reset' | 'timeout'

export class Faults {
  /** Milliseconds by which every answer and every live event is late. What they answer has happened by then. */
  latency = 0
  /** So many appends from now on are written, and their answer is lost. */
  lostAnswers = 0
  loss: Loss = 'silence'
  /** Appends and deletes are refused, and not done. */
  refuseAppends: Refusal | null = null
  /** Reads and subscriptions are refused; those that run go on. */
  refuseReads: Refusal | null = null
  #frozen = false
  #thawing: (() => void)[] = []

  /**
   * @param cutConnections ends all connections without a word
   * @param dropSubscriptions ends all subscriptions, by default as too slow
   * @param refuseConnections whether new connections end as soon as they are there; those that are there stay
   */
  constructor(
    readonly cutConnections: () => void,
    readonly dropSubscriptions: (error?: CallError) => void,
    readonly refuseConnections: (refuse: boolean) => void,
  ) {}

  /**
   * Whether calls are taken and nothing is done about them until it is false again; then all of it is done, also what
   * its client has given up. Connections stay alive: to stop those too, stop the fake's process.
   */
  get frozen(): boolean {
    return this.#frozen
  }

  set frozen(frozen: boolean) {
    this.#frozen = frozen
    if (!frozen) for (const then of this.#thawing.splice(0)) then()
  }

  /** Resolves when the server is not frozen. */
  async thawed(): Promise<void> {
    while (this.#frozen) await new Promise<void>((resolve) => this.#thawing.push(resolve))
  }

  /** Resolves when an answer may go out. */
  async late(): Promise<void> {
    if (this.latency > 0) await sleep(this.latency)
    await this.thawed()
  }

  /** Whether the answer of the append that was just written is to be lost, and how. */
  loses(): Loss | undefined {
    if (this.lostAnswers === 0) return undefined
    this.lostAnswers--
    return this.loss
  }
}

/** What the server says when it gives up, which is not what a client's deadline says. */
export const timedOut = (why: string) => new CallError(STATUS.aborted, `Operation timed out: ${why}`)

/** The answer of the real server to what it refuses. */
export function refused(refusal: Refusal): CallError {
  if (typeof refusal === 'object') {
    const { host, port } = refusal.leader
    return new CallError(STATUS.notFound, 'Leader info available', {
      exception: 'not-leader',
      'leader-endpoint-host': host,
      'leader-endpoint-port': String(port),
    })
  }
  switch (refusal) {
    case 'no-leader':
      return new CallError(STATUS.unknown, 'No leader info available in response')
    case 'not-ready':
      return new CallError(STATUS.unavailable, 'Server Is Not Ready')
    case 'too-busy':
      return new CallError(STATUS.unavailable, 'Server Is Too Busy')
    case 'timeout':
      return timedOut('Commit phase timeout')
    case 'access-denied':
      return new CallError(STATUS.permissionDenied, 'Access Denied', { exception: 'access-denied' })
  }
}
