/**
 * Where people who have opened a link sign in, as the API has it: with the browser of this process, or of another one.
 *
 * @module
 */
import { clearInterval, setInterval, setTimeout } from '../../async/timers.ts'
import type { Frame } from '../../browser/signin/types.ts'
import { Events } from './events.ts'
import type { Session, SessionEvent, SessionOptions, Signer } from './session.ts'

/** A session that is asked for. */
export type SessionRequest = Omit<SessionOptions, 'onEvent'>

/** A session as the person sees it who signs in. */
export type Viewer = {
  /**
   * What happens, what still holds first. The last viewer that came is told; the one before hears no more.
   *
   * @param leave aborts when the person looks no longer; the session goes on
   */
  events(leave: AbortSignal): AsyncIterable<SessionEvent>
  /** See `SignInHandle.frame`; it waits for the page. @throws {SignInError} @throws {StoreUnavailable} */
  frame(options?: { readonly fresh?: boolean }): Promise<Frame>
  /**
   * Passes inputs on, in their order; what the page does not take is told by a notice. A call that has failed is not
   * passed on later.
   *
   * @throws {SignInError} why they were not passed on @throws {StoreUnavailable}
   */
  send(inputs: readonly unknown[]): Promise<void>
  /** Ends it. @throws {SignInError} when it has no page any more @throws {StoreUnavailable} */
  close(): Promise<void>
}

export interface Gateway {
  /** Opens a session; how it goes is told to its viewer. */
  open(request: SessionRequest): Promise<void>
  /** A session by its id; undefined for one that has ended a while ago, or was lost. */
  view(id: string): Promise<Viewer | undefined>
}

/** How long a viewer that comes later can still hear how a session ended, in milliseconds. */
export const KEPT_MS = 60_000
/** How often a session is told that somebody looks, in milliseconds. */
const ATTENDED_MS = 2000

/** For sessions in the browser of this process. */
export class LocalGateway implements Gateway {
  private readonly sessions = new Map<string, { readonly session: Session; readonly viewer: Viewer }>()

  constructor(private readonly signer: Signer) {}

  async open(request: SessionRequest): Promise<void> {
    let told: Events | undefined
    const session = this.signer.open({ ...request, onEvent: (event) => told?.add(event) })
    const events = (leave: AbortSignal) => {
      told?.end()
      told = new Events(session.current())
      attend(session, told, leave)
      return told
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

  /** Ends all sessions: this process stops. */
  async stop(): Promise<void> {
    const all = [...this.sessions.values()]
    for (const { session } of all) session.close('browser-ended')
    await Promise.all(all.map(({ session }) => session.ended))
  }
}

/** Says for as long as it is so that somebody looks, and tells them nothing when they have left. */
function attend(session: Session, told: Events, leave: AbortSignal): void {
  session.attended()
  const here = setInterval(() => session.attended(), ATTENDED_MS)
  const left = () => {
    clearInterval(here)
    told.end()
  }
  if (leave.aborted) left()
  leave.addEventListener('abort', left, { once: true })
  void session.ended.then(() => clearInterval(here))
}
