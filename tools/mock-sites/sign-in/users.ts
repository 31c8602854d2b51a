/**
 * The users of a mock site and their sessions.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import type { Cookies } from 'cookie'

/** A user who can sign in. */
export type User = {
  /** compared case-insensitively */
  readonly name: string
  readonly password: string
  /** six digits: the second factor */
  readonly code: string
}

/** A cookie that the site sets. */
export type SessionCookie = { readonly name: string; readonly value: string; readonly httpOnly: boolean }

type Session = { readonly user: string; readonly cookies: readonly SessionCookie[] }

/** The sessions of a site. They are kept in memory, so that they can be revoked. */
export class Sessions {
  private readonly sessions = new Set<Session>()

  /** @param names of the cookies that make up a session; the first is HttpOnly */
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

  /** The user name of the session with these cookies; undefined unless all of its cookies were sent. */
  userOf(sent: Cookies): string | undefined {
    for (const { user, cookies } of this.sessions)
      if (cookies.every(({ name, value }) => sent[name] === value)) return user
    return undefined
  }

  /** Ends the sessions of a user, or all. @returns how many */
  revoke(user?: string): number {
    const ended = [...this.sessions].filter((session) => user === undefined || session.user === user)
    for (const session of ended) this.sessions.delete(session)
    return ended.length
  }
}
