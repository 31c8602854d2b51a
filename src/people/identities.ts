/**
 * Identities at an OpenID Connect provider, and the people who own them. An identity is linked by a signed-in person or
 * by an invitation to the identity's verified address; never by an address alone.
 *
 * @module
 */
import type { PersonId } from '../domain/ids.ts'
import type { Person } from '../domain/person.ts'
import { Refused } from '../log/refused.ts'
import type { Vault } from '../vault/vault.ts'
import { type Addresses, addressKey, byPerson, type PeopleCause } from './addresses.ts'
import type { Entrance } from './newcomer.ts'
import type { People } from './people.ts'
import type { Identity } from './provider.ts'
import type { Sessions } from './sessions.ts'

export type IdentitiesOptions = {
  readonly people: People
  readonly addresses: Addresses
  readonly sessions: Sessions
  readonly vault: Vault
}

export class Identities {
  constructor(private readonly options: IdentitiesOptions) {}

  /** The person to sign in by an identity; undefined when nobody has linked it. */
  async personOf({ id }: Identity, cause: PeopleCause): Promise<Person | undefined> {
    const { people, addresses } = this.options
    const { person } = await people.credentialsOf(id)
    if (!person) return undefined
    const { personId } = person
    // Unlinked before the person was read: their sessions from then on would count.
    if ((await addresses.holder(id))?.personId !== personId) return undefined
    const own = byPerson(personId, cause)
    // Repeated because a crash may have followed the claim.
    await this.note(personId, id, own)
    await people.complete(person, own)
    return person
  }

  /** Links an identity to a signed-in person. @throws {Refused} `address-taken` when another person has it */
  async link(personId: PersonId, { id }: Identity, cause: PeopleCause): Promise<void> {
    await this.options.people.claim(id, personId, cause)
    await this.note(personId, id, cause)
  }

  /**
   * Removes all identities of a person and ends all sessions, since one of them may have been started by an identity.
   *
   * @returns the person afterwards
   * @throws {Refused} `no-password`: the person could not sign in any more; `not-found` for an erased person
   */
  async unlinkAll(personId: PersonId, cause: PeopleCause): Promise<Person> {
    const { people, sessions, addresses } = this.options
    const person = await people.person(personId)
    if (!person) throw new Refused({ refused: 'not-found' })
    if (person.passwordRef === undefined) throw new Refused({ refused: 'no-password' })
    let unlinked = person
    for (const identity of person.identities) {
      // Released first: a sign-in by an identity that the person still held would link it again.
      await addresses.handleFor(identity, { type: 'release', personId }, cause)
      unlinked = (await people.handle({ type: 'unlink', personId, identity }, cause)) as Person
    }
    await sessions.endAll(personId)
    return unlinked
  }

  /**
   * Creates a person who was invited by an address that the provider has verified.
   *
   * @throws {Refused} `wrong-address`, `address-taken`, `link-used`
   */
  async join(identity: Identity, invited: string, entrance: Entrance, cause: PeopleCause): Promise<PersonId> {
    const { id, email, name } = identity
    if (email === undefined || addressKey(email) !== addressKey(invited))
      throw new Refused({ refused: 'wrong-address' })
    const newcomer = { name: name ?? email.split('@')[0] ?? email, email, password: null, identity: id }
    const personId = await this.options.people.join(newcomer, entrance, cause)
    await this.note(personId, id, byPerson(personId, cause))
    return personId
  }

  private async note(personId: PersonId, id: string, cause: PeopleCause): Promise<void> {
    const identity = await this.options.vault.digest(addressKey(id))
    await this.options.people.handle({ type: 'link', personId, identity }, cause)
  }
}
