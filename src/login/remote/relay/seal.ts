/**
 * Sealing of all that processes say to each other of a visit: by a key that is the visit's own, derived from the vault's,
 * and bound to the visit, to where it goes and to what it is.
 *
 * @module
 */
import type { Keyring } from '../../../vault/keyring.ts'
import { keyIdOf, seal, unseal, VaultDamaged } from '../../../vault/sealing.ts'

/** What is sealed: messages to the post that has the visit, messages to a desk, what waits, and how it ended. */
export type Part = 'to-post' | 'to-desk' | 'offer' | 'end'

const USE = 'gleaner sign-in relay'

export class VisitSeal {
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
    return seal(current.key, current.id, plain, this.place(part))
  }

  /** @returns undefined for what was not sealed by one of our keys for this place, or was changed */
  open(part: Part, sealed: Uint8Array): Buffer | undefined {
    try {
      const id = keyIdOf(sealed)
      const held = this.#keys.find((each) => each.id.equals(id))
      return held && unseal(held.key, sealed, this.place(part))
    } catch (error) {
      if (error instanceof VaultDamaged) return undefined
      throw error
    }
  }

  private place(part: Part): string {
    return `visit/${this.id}/${part}`
  }
}
