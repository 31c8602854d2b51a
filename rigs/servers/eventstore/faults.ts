/**
 * Faults of an event store, switched on and off by tests while the fake runs.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { CallError, STATUS } from './grpc.ts'

/** Where a node listens. */
export type Endpoint = { readonly host: string; readonly port: number }

/**
 * Why a node refuses a call, as the real server does: it is not the leader and names the leader, knows no leader (also
 * the answer of a read-only node), is starting, is busy, timed out waiting for the other nodes, or denies access.
 */
export type Refusal =
  | 'no-leader'
  | 'not-ready'
  | 'too-busy'
  | 'timeout'
  | 'access-denied'
  | { readonly leader: Endpoint }

/** How the answer of a written append gets lost: it never comes, the call is reset, or it is "timed out". */
export type Loss = 'silence' | 'reset' | 'timeout'

export class Faults {
  /** Delay of every answer and live event in milliseconds. The answered operation is done without delay. */
  latency = 0
  /** The number of coming appends that are written but whose answers are lost. */
  lostAnswers = 0
  loss: Loss = 'silence'
  /** Refuses appends and deletes; they are not executed. */
  refuseAppends: Refusal | null = null
  /** Refuses reads and subscriptions; running ones continue. */
  refuseReads: Refusal | null = null
  #frozen = false
  #thawing: (() => void)[] = []

  /**
   * @param cutConnections closes all connections without an error
   * @param dropSubscriptions ends all subscriptions, by default as too slow
   * @param refuseConnections whether new connections are closed at once; existing ones stay
   */
  constructor(
    readonly cutConnections: () => void,
    readonly dropSubscriptions: (error?: CallError) => void,
    readonly refuseConnections: (refuse: boolean) => void,
  ) {}

  /**
   * While true, calls are accepted but not executed. When it becomes false, all of them are executed, also those whose
   * client gave up. Connections stay alive; to stop those too, stop the fake's process.
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

  /** Resolves when an answer may be sent. */
  async late(): Promise<void> {
    if (this.latency > 0) await sleep(this.latency)
    await this.thawed()
  }

  /** Whether and how the answer of the append that was just written is lost. */
  loses(): Loss | undefined {
    if (this.lostAnswers === 0) return undefined
    this.lostAnswers--
    return this.loss
  }
}

/** The server's own timeout error, which differs from the error of a client's deadline. */
export const timedOut = (why: string) => new CallError(STATUS.aborted, `Operation timed out: ${why}`)

/** The answer of the real server to a refused call. */
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
