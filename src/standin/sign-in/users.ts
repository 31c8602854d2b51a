/**
 * Who may sign in at a made-up site, and who is signed in.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'

/** Somebody who may sign in. */
export type User = {
  /** in any case */
  readonly name: string
  readonly password: string
  /** six digits: the second factor */
  readonly code: string
}

/** A cookie that a browser is given. */
export type SessionCookie = { readonly name: string; readonly value: string; readonly httpOnly: boolean }

type Session = { readonly user: string; readonly cookies: readonly SessionCookie[] }

/** The sessions of a site: kept here, so that they can be ended. */
export class Sessions {
  private readonly sessions = new Set<Session>()

  /** @param names of the cookies that make a session; the first one's is hidden from scripts */
  constructor(private readonly names: readonly string[]) {}

  get count(): number {
    return this.sessions.size
  }

  begin({ name }: User): readonly SessionCookie[] {
    const cookies = this.names.map((cookie, i) => ({
      name: cookie,
      value: randomBytes(20).toString('hex'),
      httpOnly: i === 0,
    }))
    this.sessions.add({ user: name, cookies })
    return cookies
  }

  /** The name of who sent these cookies; undefined unless all of one session are there. */
  userOf(sent: ReadonlyMap<string, string>): string | undefined {
    for (const { user, cookies } of this.sessions)
      if (cookies.every(({ name, value }) => sent.get(name) === value)) return user
    return undefined
  }

  /** Ends the sessions of a user, or all. @returns how many */
  revoke(user?: string): number {
    const ended = [...this.sessions].filter((session) => user === undefined || session.user === user)
    for (const session of ended) this.sessions.delete(session)
    return ended.length
  }
}
