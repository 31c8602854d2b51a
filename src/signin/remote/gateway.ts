/**
 * The API's port to the sign-in sessions of people who opened a link, in the browser of this process or of another one.
 *
 * @module
 */
import { clearInterval, setInterval, setTimeout } from '../../async/timers.ts'
import type { Frame } from '../browser/types.ts'
import { Events } from './events.ts'
import type { LocalSessions, SessionOptions, SignInSession } from './session.ts'
import type { SessionEvent } from './session-events.ts'

/** A request for a session. */
export type SessionRequest = Omit<SessionOptions, 'onEvent'>

/** A session from the point of view of the person who signs in. */
export type Viewer = {
  /**
   * The session's events, starting with its current state. Only the newest viewer receives them.
   *
   * @param leave aborts when the person stops watching; the session continues
   */
  events(leave: AbortSignal): AsyncIterable<SessionEvent>
  /** See `SignInHandle.frame`; waits for the page. @throws {SignInError} @throws {StoreUnavailable} */
  frame(options?: { readonly fresh?: boolean }): Promise<Frame>
  /**
   * Passes inputs on in order. A notice reports inputs that the page does not accept. A failed call is not passed on
   * later.
   *
   * @throws {SignInError} the reason why they were not passed on @throws {StoreUnavailable}
   */
  send(inputs: readonly unknown[]): Promise<void>
  /** Ends the session. @throws {SignInError} if it no longer has a page @throws {StoreUnavailable} */
  close(): Promise<void>
}

export interface Gateway {
  /** Opens a session. Its viewer learns of its progress. */
  open(request: SessionRequest): Promise<void>
  /** A session by its id. Undefined if it ended a while ago or was lost. */
  view(id: string): Promise<Viewer | undefined>
}

/** How long a later viewer can still learn how a session ended, in milliseconds. */
export const KEPT_MS = 60_000
/** How often a session is told that somebody is watching, in milliseconds. */
const ATTENDED_MS = 2000

/** The gateway to sessions in the browser of this process. */
export class LocalGateway implements Gateway {
  private readonly sessions = new Map<string, { readonly session: SignInSession; readonly viewer: Viewer }>()

  constructor(private readonly localSessions: LocalSessions) {}

  async open(request: SessionRequest): Promise<void> {
    let outgoing: Events | undefined
    const session = this.localSessions.open({ ...request, onEvent: (event) => outgoing?.add(event) })
    const events = (leave: AbortSignal) => {
      outgoing?.end()
      outgoing = new Events(session.current())
      attend(session, outgoing, leave)
      return outgoing
    }
    const viewer: Viewer = {
      events,
      frame: (options) => session.frame(options),
      send: (inputs) => session.send(inputs),
      close: async () => session.close(),
    }
    this.sessions.set(request.id, { session, viewer })
    void session.ended.then(() => {
      setTimeout(() => this.sessions.delete(request.id), KEPT_MS).unref()
    })
  }

  async view(id: string): Promise<Viewer | undefined> {
    return this.sessions.get(id)?.viewer
  }

  /** Ends all sessions, as this process stops. */
  async stop(): Promise<void> {
    const all = [...this.sessions.values()]
    for (const { session } of all) session.close('browser-ended')
    await Promise.all(all.map(({ session }) => session.ended))
  }
}

/** Keeps the session informed that somebody is watching, and ends the viewer's events when the person leaves. */
function attend(session: SignInSession, outgoing: Events, leave: AbortSignal): void {
  session.attended()
  const here = setInterval(() => session.attended(), ATTENDED_MS)
  const left = () => {
    clearInterval(here)
    outgoing.end()
  }
  if (leave.aborted) left()
  leave.addEventListener('abort', left, { once: true })
  void session.ended.then(() => clearInterval(here))
}
