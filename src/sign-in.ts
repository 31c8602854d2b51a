/**
 * How people are let in to sign in, put together: by this process alone, or over Redis by any that has a worker.
 *
 * @module
 */
import { SignInError } from './browser/signin/errors.ts'
import { MOST_SIGN_INS } from './browser/signin/types.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import type { Role } from './config.ts'
import type { Logger } from './logger.ts'
import type { Logins } from './logins/logins.ts'
import type { Metrics } from './metrics.ts'
import { type Desk, LocalDesk } from './signin/desk.ts'
import { RelayDesk } from './signin/relay/desk.ts'
import { RelayPost } from './signin/relay/post.ts'
import { Signer } from './signin/signer.ts'
import type { Stores } from './stores.ts'
import type { Keyring } from './vault/keyring.ts'
import type { Worker } from './worker/worker.ts'

export type SignInOptions = {
  readonly stores: Pick<Stores, 'signIns' | 'signInWire' | 'vault'>
  readonly keyring: Keyring
  readonly logins: Logins
  readonly catalogue: Catalogue
  readonly metrics: Metrics
  readonly logger: Logger
  readonly now: () => number
  /** of this process, once it is made; undefined: none */
  readonly worker: () => Worker | undefined
}

export type SignInRoles = {
  readonly desk: Desk
  /** Begins to serve. @param roles of this process: an API has people who come, a worker lets them in */
  start(roles: ReadonlySet<Role>): Promise<void>
  /** Lets nobody in any more and ends what is under way; what is being saved is saved. */
  stop(): Promise<void>
  /** Tells nobody any more. */
  close(): Promise<void>
}

export function createSignIn(options: SignInOptions): SignInRoles {
  const { keyring, logger, now, catalogue } = options
  const { signIns, signInWire: wire } = options.stores
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
    sourceOf: catalogue.source,
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

function signerOf({ stores, logins, logger, now, metrics, worker }: SignInOptions): Signer {
  return new Signer({
    browser: {
      signIn(wanted) {
        const own = worker()
        if (!own) throw new SignInError('no-browser')
        return own.signIn(wanted)
      },
    },
    ...{ logins, vault: stores.vault, signIns: stores.signIns, logger, now },
    room: MOST_SIGN_INS,
    onEnded: (end) => metrics.signInEnded(end),
  })
}
