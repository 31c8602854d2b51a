/**
 * Sealing of all that processes say to each other of a session: by a key that is the session's own, derived from the
 * vault's, and bound to the session and to what it is.
 *
 * @module
 */
import type { Keyring } from '../../../vault/keyring.ts'
import { keyIdOf, seal, unseal, VaultDamaged } from '../../../vault/sealing.ts'

/** What is sealed. */
export type Part = 'call' | 'reply' | 'event' | 'picture' | 'pending' | 'end'

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

  private nameOf(part: Part): string {
    return `sign-in/${this.id}/${part}`
  }
}
