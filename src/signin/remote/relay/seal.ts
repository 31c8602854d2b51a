/**
 * The messages that gateways and hosts exchange about a session, and their encryption. Each session has a key that is
 * derived from the vault's key. A sealed message is bound to its session and its kind.
 *
 * @module
 */

import type { Keyring } from '../../../vault/keyring.ts'
import { keyIdOf, seal, unseal, VaultDamaged } from '../../../vault/sealing.ts'
import type { Frame } from '../../browser/types.ts'
import type { SessionRequest } from '../gateway.ts'
import type { SessionEvent } from '../session-events.ts'

/** A call of a gateway to the host of a session. Calls have no reply: events report their effects. */
export type GatewayCall =
  /** report the current state to a new viewer */
  | { readonly type: 'attach'; readonly viewer: string }
  /** somebody is watching */
  | { readonly type: 'here' }
  /** in order */
  | { readonly type: 'inputs'; readonly inputs: readonly unknown[] }
  | { readonly type: 'frame'; readonly fresh: boolean }
  | { readonly type: 'close' }
/** `n` is a sequence number over all calls of the gateway. */
export type SentCall = { readonly gateway: string; readonly n: number; readonly call: GatewayCall }

/** Announces a picture that can be fetched. */
export type PictureHead = Omit<Frame, 'jpeg'>

/** `n` is a sequence number. `attached`: the current state, for a new viewer. */
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
  /** everything that a host needs for a session */
  pending: Omit<SessionRequest, 'id' | 'source'> & { readonly source: string }
  end: SessionEvent
}

/** The kinds of sealed content. */
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
    if (!current) throw new Error('the vault key has just been deleted')
    return seal(current.key, current.id, plain, this.nameOf(part))
  }

  /** @returns undefined if the content was changed, or was not sealed as this part with one of our keys */
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
