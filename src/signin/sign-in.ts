/**
 * Assembles the sign-in components: within this process alone, or through Redis with any process that has a worker.
 *
 * @module
 */

import type { Source } from '../plugin.ts'
import type { Keyring } from '../vault/keyring.ts'
import { MOST_SIGN_INS } from './browser/types.ts'
import { type Gateway, LocalGateway } from './remote/gateway.ts'
import { RelayGateway } from './remote/relay/gateway.ts'
import { RelayHost } from './remote/relay/host.ts'
import type { SignInTransport } from './remote/relay/transport.ts'
import { LocalSessions, type SessionDeps } from './remote/session.ts'

export type SignInOptions = Omit<SessionDeps, 'room'> & {
  /** between the processes that show sign-ins and the ones that host them; undefined for a single process */
  readonly transport: SignInTransport | undefined
  readonly keyring: Keyring
  readonly sourceOf: (name: string) => Source | undefined
}

export type SignIn = {
  readonly gateway: Gateway
  /** Starts serving. @param roles of this process; a worker hosts sessions in its browser */
  start(roles: ReadonlySet<string>): void
  /** Accepts no new sessions and ends the current ones. A login that is being saved is still saved. */
  stop(): Promise<void>
}

export function createSignIn(options: SignInOptions): SignIn {
  const { transport, keyring, sourceOf, ...deps } = options
  const localSessions = new LocalSessions({ ...deps, room: MOST_SIGN_INS })
  if (!transport) {
    const gateway = new LocalGateway(localSessions)
    return { gateway, start: () => {}, stop: () => gateway.stop() }
  }
  const gateway = new RelayGateway({ ...deps, transport, keyring })
  const host = new RelayHost({
    transport,
    keyring,
    localSessions,
    sourceOf,
    logger: deps.logger,
    room: MOST_SIGN_INS,
  })
  return {
    gateway,
    start(roles) {
      if (roles.has('worker')) host.start()
    },
    stop: () => host.stop(),
  }
}
