/**
 * The port for sign-ins between processes. A gateway shows a session to the person, and a host runs the browser. Any
 * gateway can serve any call. Hosts only make outgoing connections, to the store that both sides share.
 *
 * The store holds, all of it sealed (`seal.ts`) and with a TTL:
 *
 * | item | from | to | order and bound |
 * | --- | --- | --- | --- |
 * | the session, a hash: pending, at a host, or ended | gateway, then host | all | expires {@link RENEWED_MS} after the host's last renewal, a minute after its end |
 * | stream of calls: inputs, request for a picture, end | gateways | the host | numbered in the order of each gateway; 32 at most, deleted when read |
 * | stream of events | the host | the gateway that has the viewer | numbered, in order; the newest 100 |
 * | the picture | the host | the gateway that has the viewer | only the newest |
 *
 * A call or an event may be written twice when a connection breaks; its number identifies the duplicate. A gateway does
 * not retry a call, so nothing is typed twice. A host retries an event until it succeeds before it writes the next one,
 * so no event is lost while the store is unavailable.
 *
 * After a crash:
 *
 * - of the gateway before the session is pending: the session does not exist, and the person needs another link;
 * - of the gateway after that: the session remains, and the person continues at any other gateway;
 * - of the host after a claim: the session's record expires, viewers notice that and tell the person;
 * - of the host between the last event and the session's end: the same, although the login may be saved;
 * - of the store, with its data kept: all sessions continue when it is back, and hosts write the events of the outage;
 * - of the store, with its data lost: links are lost too, so hosts end their sessions as withdrawn.
 *
 * @module
 */
/** The status of a session. */
export type SessionStatus = {
  /** its position in the queue of pending sessions, 1 for the next; 0 if it is not pending */
  readonly position: number
  /** the sealed request, while it is pending */
  readonly pending: Buffer | undefined
  /** its sealed end, once it has ended */
  readonly end: Buffer | undefined
  /** the viewer that receives the events */
  readonly viewer: string
}

/** Why a call was not passed on. */
export type Undelivered = 'busy' | 'closed' | 'browser-ended' | 'flooded'

/** How long a host keeps a session without renewing it, in milliseconds. */
export const RENEWED_MS = 5000

export interface SignInTransport {
  /**
   * Adds a pending session to the end of the queue.
   *
   * @param sealed the request, for the host
   * @param forMs how long it may be pending, in milliseconds
   * @returns false if {@link MOST_WAITING} are already pending
   */
  addPending(id: string, sealed: Buffer, forMs: number): Promise<boolean>
  /** Claims the session that has been pending longest. The claim lasts while {@link renew} renews it. */
  claim(): Promise<{ readonly id: string; readonly sealed: Buffer } | undefined>
  /** Renews a host's claim of a session. */
  renew(id: string): Promise<void>
  /**
   * Ends a session.
   *
   * @param sealed its end, which is kept for {@link KEPT_MS}
   * @param only ends it only if it is pending; by default whatever its status
   * @returns the sealed request of a session that was pending
   */
  end(id: string, sealed: Buffer, only?: 'pending'): Promise<Buffer | undefined>
  /** Whether a session is known. */
  has(id: string): Promise<boolean>
  /**
   * The status of a session. Undefined if it is unknown or lost.
   *
   * @param viewer the viewer that asks
   * @param isNew replaces the current viewer; otherwise the viewer is set only if there is none
   */
  look(id: string, viewer: string, isNew: boolean): Promise<SessionStatus | undefined>
  /** Passes a call on to the session's host. @returns why it was not passed on; undefined on success */
  call(id: string, message: Buffer): Promise<Undelivered | undefined>
  /** Appends to the session's events. @param picture replaces the session's picture */
  tell(id: string, message: Buffer, picture?: Buffer): Promise<void>
  picture(id: string): Promise<Buffer | undefined>
  /** For the session's host: reads its calls from the beginning. @returns a function that stops the reading */
  calls(id: string, hear: (message: Buffer) => void): () => void
  /** For one viewer at a time: reads the session's events like {@link calls} */
  events(id: string, hear: (message: Buffer) => void): () => void
}
