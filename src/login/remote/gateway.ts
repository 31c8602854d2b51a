/**
 * Where people who have opened a link are let in, as the API has it: in this process, or by a worker of another one.
 *
 * @module
 */
import type { Frame } from '../../browser/host/sign-in.ts'
import { Events } from './events.ts'
import type { Session, Signer, Visit, VisitEvent } from './session.ts'

export type { Frame }

/** A visit that is asked for. */
export type VisitWanted = Omit<Visit, 'onEvent'>

/** A visit that is under way, for the person who has it. */
export type Attendance = {
  /**
   * What is told of it, what still holds first. Who attends last is told; the one before hears no more.
   *
   * @param leave aborts when the person looks no longer; the visit goes on
   */
  events(leave: AbortSignal): AsyncIterable<VisitEvent>
  /** See `SignInHandle.frame`. @throws {SignInError} */
  frame(options?: { readonly fresh?: boolean }): Promise<Frame>
  /** See `SignInHandle.send`. @throws {SignInError} */
  send(input: unknown): Promise<void>
  /** Ends it. */
  close(): void
}

export interface Desk {
  /** Lets a person in; how it goes is told to who attends. */
  open(visit: VisitWanted): Promise<void>
  /** A visit by its id; undefined when it is over, or lost. */
  attend(id: string): Promise<Attendance | undefined>
}

/** How long the end of a visit can still be heard by who attends later, in milliseconds. */
export const KEPT_MS = 60_000
/** How often a session is told that somebody is there, in milliseconds. */
const ATTENDED_MS = 2000

/** A desk of this process. */
export class LocalDesk implements Desk {
  private readonly visits = new Map<string, LocalVisit>()

  constructor(private readonly signer: Signer) {}

  async open(visit: VisitWanted): Promise<void> {
    const local = new LocalVisit((onEvent) => this.signer.open({ ...visit, onEvent }))
    this.visits.set(visit.id, local)
    void local.session.ended.then(() => {
      setTimeout(() => this.visits.delete(visit.id), KEPT_MS).unref()
    })
  }

  async attend(id: string): Promise<Attendance | undefined> {
    return this.visits.get(id)
  }

  /** Ends all visits: this process stops. */
  async stop(): Promise<void> {
    const all = [...this.visits.values()]
    for (const { session } of all) session.close('browser-ended')
    await Promise.all(all.map(({ session }) => session.ended))
  }
}

class LocalVisit implements Attendance {
  readonly session: Session
  private attending: Events | undefined

  constructor(open: (onEvent: (event: VisitEvent) => void) => Session) {
    this.session = open((event) => this.attending?.add(event))
  }

  events(leave: AbortSignal): AsyncIterable<VisitEvent> {
    this.attending?.end()
    const events = new Events(this.session.current())
    this.attending = events
    this.session.attended()
    const here = setInterval(() => this.session.attended(), ATTENDED_MS)
    const left = () => {
      clearInterval(here)
      events.end()
    }
    if (leave.aborted) left()
    leave.addEventListener('abort', left, { once: true })
    void this.session.ended.then(() => clearInterval(here))
    return events
  }

  frame(options?: { readonly fresh?: boolean }): Promise<Frame> {
    return this.session.frame(options)
  }

  send(input: unknown): Promise<void> {
    return this.session.send(input)
  }

  close(): void {
    this.session.close()
  }
}
