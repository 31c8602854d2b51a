/**
 * The port of what processes say to each other of visits: people who sign in are shown by one process and let in by
 * another. Nothing of it is more than a moment's: visits that wait, who has the others, and how they ended just now.
 *
 * What is passed on and kept here is sealed by those who use it.
 *
 * @module
 */

/** How a visit stands. */
export type Standing = {
  /** its place among those who wait, 1 for the next; null: it does not wait */
  readonly before: number | null
  /** which post has it, by its name; null: none */
  readonly post: string | null
  /** what was kept of its end; null: it has not ended */
  readonly end: string | null
  /** who attends to it, by the name of the attendance */
  readonly attending: string | null
}

/** An attendance at a visit. `isNew`: it takes the place of any other; else it stays where no other has come. */
export type Attends = { readonly name: string; readonly isNew: boolean }

/** What is heard of the others. */
export type Hearing = {
  /** a message that was sent to this process; some may be lost, or come twice, and they may come in another order */
  message(bytes: Buffer): void
  /** the line has moved, or somebody attends anew */
  moved(): void
}

export interface SignInWire {
  /**
   * Lets a visit wait for a post; the first come is the first taken.
   *
   * @param sealed what a post needs to know of it
   * @param forMs how long it may wait, in milliseconds
   * @param most how many may wait
   * @returns false when so many wait already
   */
  offer(id: string, sealed: string, forMs: number, most: number): Promise<boolean>
  /**
   * Takes the visit that waits longest, for as long as {@link keep} keeps it. One whose answer gets lost is lost with it,
   * and soon unknown.
   */
  take(post: string): Promise<{ readonly id: string; readonly sealed: string } | undefined>
  /** Says that a post still has its visits, for another {@link HELD_MS}. */
  keep(post: string, ids: readonly string[]): Promise<void>
  /**
   * Ends a visit, however it stands.
   *
   * @param sealed what is kept of its end
   * @param forMs for so long
   */
  end(id: string, sealed: string, forMs: number): Promise<void>
  /** As {@link end}, where it waits. @returns what it was offered with; undefined: a post has it, or it is over */
  withdraw(id: string, sealed: string, forMs: number): Promise<string | undefined>
  /** How a visit stands; undefined for one that is unknown, or lost. @param attends who looks */
  standing(id: string, attends?: Attends): Promise<Standing | undefined>
  /** Sends a message to a process that listens under a name. @returns false where it is known that none does */
  send(to: string, message: Uint8Array): Promise<boolean>
  /**
   * Listens under a name. It heals by itself; what is said while the connection is lost is not heard.
   *
   * @returns ends it
   */
  listen(name: string, hearing: Hearing): Promise<() => Promise<void>>
}

/** How long a visit counts as a post's that says nothing, in milliseconds. */
export const HELD_MS = 10_000
