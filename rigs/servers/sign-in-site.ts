/**
 * A mock site of one source with a sign-in, for tests.
 *
 * @module
 */

import type { Exchange } from '../../src/plugin/testing.ts'
import type { Source } from '../../src/plugin.ts'
import { startMockSites } from '../../tools/mock-sites/server.ts'
import { type SignInOptions, signInOptionsOf } from '../../tools/mock-sites/sign-in/sign-in.ts'
import type { User } from '../../tools/mock-sites/sign-in/users.ts'

export type SignInSiteOptions = Pick<SignInOptions, 'users' | 'open' | 'extra'> & {
  /** the source with the login */
  readonly source: Source
  /** the exchanges for members; default none */
  readonly exchanges?: readonly Exchange[]
  /** called with a line for each request to the sign-in: method, path without query, status */
  readonly log?: (line: string) => void
}

export type SignInSite = {
  /** the value of SOURCE_<FAMILY>_ORIGIN */
  readonly origin: string
  readonly users: readonly User[]
  /** the number of sessions */
  readonly sessions: number
  /** Ends the sessions of a user, or of all. @returns how many */
  revoke(user?: string): number
  stop(): Promise<void>
}

/** Starts a site on a free port of 127.0.0.1. */
export async function startSignInSite(options: SignInSiteOptions): Promise<SignInSite> {
  const { source, exchanges = [], log, ...rest } = options
  const sites = await startMockSites({
    families: new Map([[source.name, exchanges]]),
    signIns: new Map([[source.name, signInOptionsOf(source, rest)]]),
    ...(log ? { log } : {}),
  })
  const { sessions } = sites.signInOf(source.name)
  return {
    origin: sites.originOf(source.name),
    users: options.users,
    get sessions() {
      return sessions.count
    },
    revoke: (user) => sessions.revoke(user),
    stop: () => sites.stop(),
  }
}
