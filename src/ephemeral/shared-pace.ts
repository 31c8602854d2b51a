/**
 * The port of a pace that several nodes keep together: each start of a request to a source is asked for here, and the
 * store knows when the last ones were, over all nodes. A node asks for one start at a time, so that nodes take turns; for
 * free places they wait in line.
 *
 * What holds when something fails:
 *
 * - **The store is away**: calls throw, and each node keeps its share of the pace, by the number of nodes that it saw
 *   last. Nodes that start meanwhile are not counted.
 * - **It answers nothing (frozen)**: as away, after the one call for each host that waits for its timeout (1.5 seconds).
 * - **It was emptied**, or is back after an outage: the starts before that are forgotten, so up to one burst more may
 *   start at once. Requests under way count again with the next word of their node, within 5 seconds.
 * - **A node dies**: its requests under way count for 15 seconds more, and its place in line for 1.5 seconds at most. A
 *   start that was promised to it is not used.
 * - **A node hangs** for more than 15 seconds: as if it had died, so its requests no longer count.
 * - **A source asks for a pause** while starts are promised to other nodes: these still happen, one a node at most.
 * - **Its clock is set**: starts that lie too far in the future are forgotten. The clocks of nodes do not matter.
 *
 * @module
 */

/** A node's question for the start of one request. */
export type PaceQuestion = NodesRequests & {
  /** at most `most` requests may start within `lengthMs` milliseconds */
  readonly windows: readonly { readonly most: number; readonly lengthMs: number }[]
  /** how many requests of all nodes may be under way at once */
  readonly concurrent: number
  /** whether a request waits of an account that has none under way at this node: one more is allowed while others hang */
  readonly mayExceed: boolean
}

/** The requests under way of one node. @property key the requests that count together have the same one */
export type NodesRequests = {
  readonly key: string
  readonly busy: number
  /** for how long the oldest of them is under way, in milliseconds; 0 if there is none */
  readonly oldestMs: number
}

/**
 * - `start`: a request may start in `ms`; it counts as under way from now on. `isExtra`: only one of an account that has
 *   none under way
 * - `full`: too many are under way. A node that asks again in `ms`, or before, keeps its place in line
 * - `paused`: the source asked for no more requests for `ms`
 *
 * Times are whole milliseconds, rounded up.
 */
export type PaceAnswer =
  | { readonly kind: 'start'; readonly ms: number; readonly isExtra: boolean }
  | { readonly kind: 'full' | 'paused'; readonly ms: number }

export interface SharedPace {
  /** how many nodes there are, as far as known: 1 or more */
  readonly nodes: number
  /** Registers this node until the store is closed. The first question does so, too. */
  join(): void
  /** Asks for a start. @throws {StoreUnavailable} */
  ask(question: PaceQuestion): Promise<PaceAnswer>
  /**
   * Says how many requests of this node are under way. Never throws: a lost word, a pause included, is repeated with the
   * next heartbeat.
   *
   * @param pauseMs for how long the source asked for no more requests, in milliseconds; 0 if it did not
   */
  tell(requests: NodesRequests, pauseMs: number): void
}
