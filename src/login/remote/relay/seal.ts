/**
 * What gateways and hosts say to each other of a session, and its sealing: by a key that is the session's own, derived
 * from the vault's, and bound to the session and to what it is.
 *
 * @module
 */
import type { Frame } from '../../../browser/signin/types.ts'
import type { Keyring } from '../../../vault/keyring.ts'
import { keyIdOf, seal, unseal, VaultDamaged } from '../../../vault/sealing.ts'
import type { SessionRequest } from '../gateway.ts'
import type { SessionEvent } from '../session.ts'

/** What a gateway asks of the host that has a session. None has a reply: what comes of it is told by events. */
export type Call =
  /** tell what still holds: a viewer has come */
  | { readonly type: 'attach'; readonly viewer: string }
  /** somebody looks */
  | { readonly type: 'here' }
  /** in their order */
  | { readonly type: 'inputs'; readonly inputs: readonly unknown[] }
  | { readonly type: 'frame'; readonly fresh: boolean }
  | { readonly type: 'close' }
/** `n` numbers all calls of a gateway upwards. */
export type SentCall = { readonly gateway: string; readonly n: number; readonly call: Call }

/** A picture that is there to be taken. */
export type PictureHead = Omit<Frame, 'jpeg'>

/** `n` numbers them upwards. `attached`: what holds at this point, for a viewer that has come. */
export type SentEvent = {
  readonly n: number
  readonly event:
    | SessionEvent
    | { readonly type: 'attached'; readonly viewer: string; readonly events: readonly SessionEvent[] }
    | { readonly type: 'picture'; readonly head: PictureHead }
}

type Messages = {
  call: SentCall
  event: SentEvent
  /** what a host must know of a session */
  pending: Omit<SessionRequest, 'id' | 'source'> & { readonly source: string }
  end: SessionEvent
}

/** What is sealed. */
export type Part = keyof Messages | 'picture'

const USE = 'gleaner sign-in relay'

export class SessionSeal {
  readonly #keys: ReturnType<Keyring['derived']>

  constructor(
    keyring: Pick<Keyring, 'derived'>,
    private readonly id: string,
  ) {
    this.#keys = keyring.derived(USE, id)
  }

  seal(part: Part, plain: Uint8Array): Buffer {
    const [current] = this.#keys
    if (!current) throw new Error('the key of the vault was deleted just now')
    return seal(current.key, current.id, plain, this.nameOf(part))
  }

  /** @returns undefined for what was not sealed by one of our keys as this part, or was changed */
  open(part: Part, sealed: Uint8Array): Buffer | undefined {
    try {
      const id = keyIdOf(sealed)
      const key = this.#keys.find((each) => each.id.equals(id))
      return key && unseal(key.key, sealed, this.nameOf(part))
    } catch (error) {
      if (error instanceof VaultDamaged) return undefined
      throw error
    }
  }

  /** Seals a message. */
  pack<P extends keyof Messages>(part: P, message: Messages[P]): Buffer {
    return this.seal(part, Buffer.from(JSON.stringify(message)))
  }

  /** Opens a message; see {@link open}. */
  unpack<P extends keyof Messages>(part: P, sealed: Uint8Array): Messages[P] | undefined {
    const plain = this.open(part, sealed)
    return plain && JSON.parse(plain.toString())
  }

  private nameOf(part: Part): string {
    return `sign-in/${this.id}/${part}`
  }
}
