/**
 * A made-up site with a sign-in, that stands in for one source.
 *
 * @module
 */
import type { Exchange } from '../../plugin/testing/exchanges.ts'
import type { Source } from '../../plugin.ts'
import { startStandIn } from '../server.ts'
import type { SignInOptions } from './gate.ts'
import type { User } from './users.ts'

export type SignInSiteOptions = Pick<SignInOptions, 'users' | 'open' | 'lockMs' | 'annoyances' | 'now'> & {
  /** whose login it is */
  readonly source: Source
  /** what members are shown; default nothing */
  readonly exchanges?: readonly Exchange[]
  /** default any free one */
  readonly port?: number
  /** hears of each request to the sign-in: method, path without query, status */
  readonly log?: (line: string) => void
}

export type SignInSite = {
  /** what SOURCE_<FAMILY>_ORIGIN is set to */
  readonly origin: string
  readonly users: readonly User[]
  /** how many are signed in */
  readonly sessions: number
  /** Ends the sessions of a user, or of all. @returns how many */
  revoke(user?: string): number
  stop(): Promise<void>
}

/** The sign-in that a source's login leads to. @throws {TypeError} for a source without one */
export function signInOf(
  { name, title, origin, login }: Source,
  options: Omit<SignInOptions, 'title' | 'path' | 'cookies' | 'check'>,
): SignInOptions {
  if (!login) throw new TypeError(`${name} has no login`)
  return {
    ...options,
    title,
    path: new URL(login.url, origin).pathname,
    check: login.check,
    cookies: login.signedIn.cookies.map((cookie) => cookie.split('@')[0] ?? cookie),
  }
}

/** Starts one on 127.0.0.1. */
export async function startSignInSite(options: SignInSiteOptions): Promise<SignInSite> {
  const { source, exchanges = [], port, log, ...rest } = options
  const standIn = await startStandIn({
    families: new Map([[source.name, exchanges]]),
    signIns: new Map([[source.name, signInOf(source, rest)]]),
    ...(port === undefined ? {} : { port }),
    ...(log ? { log } : {}),
  })
  const { sessions } = standIn.gateOf(source.name)
  return {
    origin: standIn.originOf(source.name),
    users: options.users,
    get sessions() {
      return sessions.count
    },
    revoke: (user) => sessions.revoke(user),
    stop: () => standIn.stop(),
  }
}
