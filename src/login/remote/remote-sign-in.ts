/**
 * How people sign in, put together: in this process alone, or over Redis at any that has a worker.
 *
 * @module
 */

import { SignInError } from '../../browser/signin/errors.ts'
import { MOST_SIGN_INS } from '../../browser/signin/types.ts'
import type { Logger } from '../../logger.ts'
import type { Source } from '../../plugin.ts'
import type { Keyring } from '../../vault/keyring.ts'
import type { Vault } from '../../vault/vault.ts'
import type { Logins } from '../logins.ts'
import type { SignInStore } from '../sign-in-store.ts'
import { type Gateway, LocalGateway } from './gateway.ts'
import { RelayGateway } from './relay/gateway.ts'
import { RelayHost } from './relay/host.ts'
import type { SignInTransport } from './relay/transport.ts'
import { Signer, type SignerDeps } from './session.ts'

export type SignInOptions = {
  readonly signIns: SignInStore
  /** between the processes that show sign-ins and those that have them; undefined where there is one process */
  readonly transport: SignInTransport | undefined
  readonly vault: Pick<Vault, 'save'>
  readonly keyring: Keyring
  readonly logins: Logins
  readonly sourceOf: (name: string) => Source | undefined
  /** told of each how it ended */
  readonly onEnded: SignerDeps['onEnded']
  readonly logger: Logger
  readonly now: () => number
  /** of this process, once there is one */
  readonly browser: () => SignerDeps['browser'] | undefined
}

export type SignInRoles = {
  readonly gateway: Gateway
  /** Begins to serve. @param roles of this process: a worker has sessions in its browser */
  start(roles: ReadonlySet<string>): void
  /** Takes nobody on any more and ends what is under way; what is being saved is saved. */
  stop(): Promise<void>
  /** Tells nobody any more. */
  close(): Promise<void>
}

export function createSignIn(options: SignInOptions): SignInRoles {
  const { keyring, logger, now, signIns, sourceOf, transport } = options
  const signer = signerOf(options)
  if (!transport) {
    const gateway = new LocalGateway(signer)
    return { gateway, start: () => {}, stop: () => gateway.stop(), close: async () => {} }
  }
  const gateway = new RelayGateway({ transport, keyring, signIns, logger, now })
  const host = new RelayHost({ transport, keyring, signer, logger, room: MOST_SIGN_INS, sourceOf })
  return {
    gateway,
    start(roles) {
      if (roles.has('worker')) host.start()
    },
    stop: () => host.stop(),
    close: () => gateway.stop(),
  }
}

function signerOf({ browser, onEnded, ...options }: SignInOptions): Signer {
  return new Signer({
    ...options,
    browser: {
      signIn(wanted) {
        const own = browser()
        if (!own) throw new SignInError('no-browser')
        return own.signIn(wanted)
      },
    },
    room: MOST_SIGN_INS,
    ...(onEnded ? { onEnded } : {}),
  })
}
