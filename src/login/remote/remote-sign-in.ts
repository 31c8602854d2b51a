/**
 * How people are let in to sign in, put together: by this process alone, or over Redis by any that has a worker.
 *
 * @module
 */

import { SignInError } from '../../browser/signin/errors.ts'
import { MOST_SIGN_INS } from '../../browser/signin/types.ts'
import type { Logger } from '../../logger.ts'
import type { Source } from '../../plugin.ts'
import type { Keyring } from '../../vault/keyring.ts'
import type { Vault } from '../../vault/vault.ts'
import type { SignIns } from '../links.ts'
import type { Logins } from '../logins.ts'
import { type Desk, LocalDesk } from './gateway.ts'
import { RelayDesk } from './relay/desk.ts'
import { RelayPost } from './relay/post.ts'
import type { SignInWire } from './relay/transport.ts'
import { Signer, type SignerDeps } from './session.ts'

export type SignInOptions = {
  readonly signIns: SignIns
  /** between the processes that show sign-ins and those that have them; undefined where there is one process */
  readonly transport: SignInWire | undefined
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
  readonly desk: Desk
  /** Begins to serve. @param roles of this process: an API has people who come, a worker lets them in */
  start(roles: ReadonlySet<string>): Promise<void>
  /** Lets nobody in any more and ends what is under way; what is being saved is saved. */
  stop(): Promise<void>
  /** Tells nobody any more. */
  close(): Promise<void>
}

export function createSignIn(options: SignInOptions): SignInRoles {
  const { keyring, logger, now, signIns, sourceOf, transport: wire } = options
  const signer = signerOf(options)
  if (!wire) {
    const desk = new LocalDesk(signer)
    return { desk, start: async () => {}, stop: () => desk.stop(), close: async () => {} }
  }
  const desk = new RelayDesk({ wire, keyring, signIns, logger, now })
  const post = new RelayPost({
    wire,
    keyring,
    signer,
    logger,
    room: MOST_SIGN_INS,
    sourceOf,
  })
  return {
    desk,
    async start(roles) {
      if (roles.has('api')) await desk.start()
      if (roles.has('worker')) await post.start()
    },
    stop: () => post.stop(),
    close: () => desk.stop(),
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
