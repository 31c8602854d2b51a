/**
 * Parts for tests of sign-in sessions: a source, sessions that save nothing, a person at a gateway.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { newAccountId } from '../../../src/domain/ids.ts'
import { defineSource } from '../../../src/plugin.ts'
import type { SignInEvent } from '../../../src/signin/browser/types.ts'
import type { SignInLinks } from '../../../src/signin/links.ts'
import type { Gateway, SessionRequest, Viewer } from '../../../src/signin/remote/gateway.ts'
import { LocalSessions, type SessionDeps } from '../../../src/signin/remote/session.ts'
import type { SessionEvent } from '../../../src/signin/remote/session-events.ts'
import { quiet } from '../../worker/quiet.ts'

export const source = defineSource({
  name: 'sitename',
  title: 'Site',
  origin: 'https://site.example',
  login: { url: '/sign-in', signedIn: { cookies: ['session'] } },
  tasks: [],
})
/** A text in the signed-in state that must appear nowhere else. */
export const CANARY = 'canary-state-7f1c'
export const SIGNED_IN = { state: JSON.stringify({ cookies: [{ value: CANARY }] }), validUntil: 5 }

/** Local sessions whose vault accepts every state and stores none. */
export const localSessionsOf = (
  browser: SessionDeps['browser'],
  signInLinks: SessionDeps['signInLinks'],
  room: number,
  more: Partial<SessionDeps> = {},
): LocalSessions =>
  new LocalSessions({
    browser,
    signInLinks,
    exits: { forLogin: () => null, ended: async () => {} },
    logins: { complete: async () => true },
    vault: { save: async () => 'lgn_1' },
    logger: quiet,
    now: Date.now,
    room,
    lookMs: 20,
    ...more,
  })

/** Waits until a condition holds. */
export async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await is())) await new Promise((go) => setTimeout(go, 5))
}

/** Makes and opens a link. @returns the request for its session */
export async function aSession(signInLinks: SignInLinks, forMs = 60_000): Promise<SessionRequest> {
  const id = randomBytes(32).toString('hex')
  const hash = randomBytes(32).toString('hex')
  // A new account each time, since the number of links for a login is limited.
  const account = newAccountId(Date.now(), randomBytes(10))
  const startedAt = Date.now()
  const expiresAt = startedAt + forMs
  await signInLinks.add(hash, { account, source: source.name, expiresAt }, startedAt)
  await signInLinks.open(hash, id, startedAt)
  const viewport = { width: 800, height: 600, touch: false, scale: 1 }
  return { id, hash, account, source, viewport, startedAt, expiresAt }
}

/** A person who views a session, and the events that they received. */
export type Person = {
  readonly viewer: Viewer
  readonly events: SessionEvent[]
  /** resolves when the stream of events ends */
  readonly ended: Promise<void>
  leave(): void
  /** Resolves when an event of this type has arrived. */
  hears(type: SessionEvent['type']): Promise<void>
}

/** Views a session. @throws if it does not exist */
export async function personAt(gateway: Gateway, id: string): Promise<Person> {
  const viewer = await gateway.view(id)
  if (!viewer) throw new Error('there is no such session')
  const leaving = new AbortController()
  const events: SessionEvent[] = []
  const listen = async () => {
    for await (const event of viewer.events(leaving.signal)) events.push(event)
  }
  return {
    viewer,
    events,
    ended: listen(),
    leave: () => leaving.abort(),
    hears: (type) => until(() => events.some((event) => event.type === type)),
  }
}

/** The positions in the queue that they were told, in order. */
export const positionsOf = ({ events }: Person): number[] =>
  events.flatMap((event) => (event.type === 'waiting' ? [event.before] : []))

/** The code of the failure that they were told, or else the type of the last event. */
export const failureOf = ({ events }: Person): string | undefined => {
  const last = events.at(-1)
  return last?.type === 'failed' ? last.code : last?.type
}

/** The event of a page that shows another address of the site. */
export const atAddress = (path: string, title = '') =>
  ({ type: 'address', url: `${source.origin}${path}`, origin: source.origin, title }) as SignInEvent &
    SessionEvent
