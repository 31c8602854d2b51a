/**
 * The port of sign-ins between processes: a gateway shows a session to its person, a host has the browser, and any gateway
 * serves any call. Hosts only dial out, to the store that both sides know.
 *
 * What is kept there, all of it sealed (`seal.ts`) and with an end to its life:
 *
 * | what | from | to | order and bound |
 * | --- | --- | --- | --- |
 * | the session, a hash: pending, at a host, or ended | gateway, then host | all | a host's expires after {@link RENEWED_MS}, an end after a minute |
 * | stream of calls: inputs, asking for a picture, the end | gateways | the host | as made by each gateway, numbered; 32 at most, deleted as they are read |
 * | stream of events | the host | the gateway that has the viewer | numbered, one after the other; the newest 100 |
 * | the picture | the host | the same | the newest alone |
 *
 * A call or an event may be written twice when a connection breaks off: its number tells. A gateway appends a call once,
 * so nothing is typed twice; a host appends an event until that succeeds, and the next one after it, so none is lost
 * while the store is away.
 *
 * What holds after a crash:
 *
 * - of the gateway before a session is pending: nobody knows it; the person asks for another link;
 * - of the gateway after that: the session stays, and its person goes on at any other gateway;
 * - of the host after a claim, or later: its record expires, viewers find nobody and tell the person;
 * - of the host between the last event and the session's end: the same, though the login may be saved;
 * - of the store, with what it had: all goes on when it is back, hosts say what has happened meanwhile;
 * - of the store, without: links are forgotten too, so hosts end their sessions as withdrawn.
 *
 * @module
 */
/** How a session is. */
export type Look = {
  /** its position in the queue of pending ones, 1 for the next; 0: it is not pending */
  readonly position: number
  /** what a host needs to know of it, while it is pending */
  readonly pending: Buffer | undefined
  /** what was kept of its end, once it has ended */
  readonly end: Buffer | undefined
  /** the viewer that is told */
  readonly viewer: string
}

/** Why a call was not passed on. */
export type Undelivered = 'busy' | 'closed' | 'browser-ended' | 'flooded'

/** How long a session counts as a host's that says nothing, in milliseconds. */
export const RENEWED_MS = 5000

export interface SignInTransport {
  /**
   * Adds a pending session; the first come is the first served.
   *
   * @param sealed what a host needs to know of it
   * @param forMs how long it may be pending, in milliseconds
   * @param most how many may be pending
   * @returns false when so many are pending already
   */
  addPending(id: string, sealed: Buffer, forMs: number, most: number): Promise<boolean>
  /** Claims the session that has been pending for longest, for as long as {@link renew} renews it. */
  claim(): Promise<{ readonly id: string; readonly sealed: Buffer } | undefined>
  /** Says that a host still has a session. */
  renew(id: string): Promise<void>
  /**
   * Ends a session, however it is.
   *
   * @param sealed what is kept of its end
   * @param forMs for so long
   */
  end(id: string, sealed: Buffer, forMs: number): Promise<void>
  /** As {@link end}, where it is pending. @returns what a host would have needed to know of it; undefined where it is not */
  withdraw(id: string, sealed: Buffer, forMs: number): Promise<Buffer | undefined>
  /** Whether a session is known. */
  has(id: string): Promise<boolean>
  /**
   * How a session is; undefined for one that is unknown, or lost.
   *
   * @param viewer that looks
   * @param isNew it replaces any other; else it stays where no other has come
   */
  look(id: string, viewer: string, isNew: boolean): Promise<Look | undefined>
  /** Passes a call on to the session's host. @returns why it was not; undefined: it was */
  call(id: string, message: Buffer): Promise<Undelivered | undefined>
  /** Appends to the session's events. @param picture replaces the session's */
  tell(id: string, message: Buffer, picture?: Buffer): Promise<void>
  picture(id: string): Promise<Buffer | undefined>
  reader(): TransportReader
}

/** Reads what the others write, from the beginning; each method returns what ends it. */
export interface TransportReader {
  /** by the session's host */
  calls(id: string, hear: (message: Buffer) => void): () => void
  /** by one viewer of a session at a time */
  events(id: string, hear: (message: Buffer) => void): () => void
  close(): void
}
