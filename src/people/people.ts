/**
 * People: how they join, sign in, change what is kept of them, and leave.
 *
 * A person joins in steps, of which each may be the last before a crash; docs/internals.md has the table. Until
 * `PersonJoined` nobody is there, and the sweep takes away what was begun; after it the next sign-in does the rest.
 *
 * @module
 */
import { inBatches } from '../async/batches.ts'
import type { EventData } from '../domain/events.ts'
import { type AccountId, newAccountId, newPersonId, type PersonId, personStream } from '../domain/ids.ts'
import { decidePerson, type Person, type PersonCommand, type PersonState } from '../domain/person.ts'
import { type Cause, execute, load } from '../log/execute.ts'
import { personFold } from '../log/folds.ts'
import { randomBytes } from '../random.ts'
import { Addresses, addressKey, type Holder } from './addresses.ts'
import type { PeopleDeps } from './deps.ts'
import { accountsOf, hasOperator, type Membership } from './lists.ts'
import { hashPassword, isPassword } from './passwords.ts'
import { loadProfile, type Profile, savePassword, saveProfile } from './profiles.ts'
import { PeopleRefused, refusalOf } from './refused.ts'

/** What those need who need people as well. */
export type DepsWithPeople = PeopleDeps & { readonly people: People }

/** A person who joins: what they say of themselves, and the password that they choose. */
export type Newcomer = Profile & { readonly password: string }
/** One without a password signs in by a provider. */
type Joining = Profile & { readonly password: string | null }
/** Where they come in; see `PersonJoined`. */
export type Entrance = Pick<EventData<'PersonJoined'>, 'account_id' | 'role' | 'invitation_id'> & {
  readonly isOperator?: boolean
  /** uses the link up by which they come. @returns false when somebody else has */
  readonly take?: (by: PersonId) => Promise<boolean>
}

/** Who has claimed an address and not joined by then does not come any more, in milliseconds. */
const UNJOINED_MS = 600_000
/** What was begun so long ago is swept, in milliseconds. */
const SWEPT_MS = 3_600_000
const NOBODY = newPersonId(0, new Uint8Array(10))

/** Events of people are the operator's to see alone. */
const OPERATORS = 'operator' as AccountId

/** What leads to the events of a call, without whose they are. */
export type PeopleCause = Omit<Cause, 'accountId'>

export class People {
  private readonly addresses: Addresses

  constructor(private readonly deps: PeopleDeps) {
    this.addresses = new Addresses(deps.log, deps.vault)
  }

  /**
   * Makes a person of somebody who has opened a link, or signs up.
   *
   * @throws {PeopleRefused} `address-taken`, `link-used`
   */
  async join(newcomer: Joining, entrance: Entrance, cause: PeopleCause): Promise<PersonId> {
    const { take, isOperator = false, ...joining } = entrance
    const personId = newPersonId(this.deps.now(), randomBytes(10))
    const own = { ...cause, actor: `person:${personId}` } as const
    const { vault } = this.deps
    const { password } = newcomer
    const ref =
      password === null ? undefined : await savePassword(vault, personId, await hashPassword(password))
    await saveProfile(vault, personId, newcomer)
    try {
      await this.claim(newcomer.email, personId, own)
      if (take && !(await take(personId))) {
        await this.addresses.execute(newcomer.email, { type: 'release', personId }, operatorsOf(own))
        throw new PeopleRefused('link-used')
      }
    } catch (error) {
      // Where a store is away the sweep does it.
      if (error instanceof PeopleRefused) await vault.forget(personId)
      throw error
    }
    const joined = { person_id: personId, ...joining, ...(ref ? { password_ref: ref } : {}) }
    await this.execute({ type: 'join', personId, joined, isOperator }, own)
    await this.complete(await this.person(personId), own)
    return personId
  }

  /** Opens an account for who signs up, and makes its owner. @throws {PeopleRefused} `address-taken` */
  async signUp(newcomer: Newcomer, credits: number, cause: PeopleCause): Promise<PersonId> {
    const account_id = newAccountId(this.deps.now(), randomBytes(10))
    // First: an account without people is nothing to anybody, and a person without account would be stuck.
    const { ledger } = this.deps
    const open = { type: 'open', accountId: account_id, name: 'My account', credits } as const
    if (await this.idOf(newcomer.email)) throw new PeopleRefused('address-taken')
    await ledger.execute(open, { ...cause, accountId: account_id })
    return this.join(newcomer, { account_id, role: 'owner' }, cause)
  }

  /** Somebody who is there. @throws {PeopleRefused} `not-found` */
  async person(personId: PersonId): Promise<Person> {
    const { state } = await this.loaded(personId)
    if (state.status !== 'active') throw new PeopleRefused('not-found')
    return state
  }

  /** Undefined of somebody who is not there any more. */
  profile(personId: PersonId): Promise<Profile | undefined> {
    return loadProfile(this.deps.vault, personId)
  }

  /**
   * Who has an address, and the hash of their password. Nobody is looked up like somebody, so that it takes as long.
   *
   * @returns without a person when nobody has it; without a hash when they have no password
   */
  async credentialsOf(
    email: string,
  ): Promise<{ readonly person?: Person; readonly hashed?: string | undefined }> {
    const { personId = NOBODY } = (await this.addresses.holder(email)) ?? {}
    const { state } = await this.loaded(personId)
    const person = state.status === 'active' ? state : undefined
    const hashed = await this.deps.vault.loadRecord(personId, person?.passwordRef ?? 'none')
    return person ? { person, hashed } : {}
  }

  /** Whose an address is; undefined when it is free. */
  async idOf(email: string): Promise<PersonId | undefined> {
    const holder = await this.addresses.holder(email)
    return holder && !(await this.isGone(holder)) ? holder.personId : undefined
  }

  /** The accounts that a person belongs to, the oldest membership first. @throws {StoreUnavailable} */
  accountsOf(personId: PersonId): Promise<readonly Membership[]> {
    return accountsOf(this.deps, personId)
  }

  /** Whether somebody may see the operator's pages: as long as nobody may, a setup link can be made. */
  hasOperator(): Promise<boolean> {
    return hasOperator(this.deps)
  }

  /**
   * Changes the name or the address.
   *
   * @throws {PeopleRefused} `address-taken`
   */
  async changeProfile(personId: PersonId, profile: Profile, cause: PeopleCause): Promise<void> {
    const before = await this.profile(personId)
    if (!before) throw new PeopleRefused('not-found')
    const isMoved = addressKey(before.email) !== addressKey(profile.email)
    if (isMoved) await this.claim(profile.email, personId, cause)
    await saveProfile(this.deps.vault, personId, profile)
    if (isMoved) await this.addresses.execute(before.email, { type: 'release', personId }, operatorsOf(cause))
  }

  /**
   * Makes another password count, and ends all sessions.
   *
   * @param current what it is now; undefined where a link stands for it
   * @throws {PeopleRefused} `wrong-password`
   */
  async changePassword(
    personId: PersonId,
    password: string,
    cause: PeopleCause,
    current?: string,
  ): Promise<void> {
    const person = await this.person(personId)
    const { passwordRef } = person
    const { vault, sessions } = this.deps
    if (current !== undefined) {
      const hashed = passwordRef && (await vault.loadRecord(personId, passwordRef))
      if (!(await isPassword(current, hashed))) throw new PeopleRefused('wrong-password')
    }
    const ref = await savePassword(vault, personId, await hashPassword(password))
    await this.execute({ type: 'change-password', personId, ref }, cause)
    if (passwordRef) await vault.removeRecord(personId, passwordRef)
    await sessions.endAll(personId)
  }

  setOperator(personId: PersonId, isOperator: boolean, cause: PeopleCause): Promise<PersonState> {
    return this.execute({ type: 'set-operator', personId, isOperator }, cause)
  }

  /**
   * Takes a person out of all accounts and makes all that is kept of them unreadable.
   *
   * @throws {PeopleRefused} `last-owner`: nothing was changed then in that account, nor in the person
   */
  async erase(personId: PersonId, cause: PeopleCause): Promise<void> {
    for (const { accountId } of await this.accountsOf(personId)) {
      const { suspended } = await this.deps.ledger.state(accountId)
      const command = { type: 'remove', accountId, personId, isClosed: suspended } as const
      const { refused } = await this.deps.ledger.execute(command, { ...cause, accountId })
      if (refused?.code === 'last-owner') throw new PeopleRefused('last-owner', accountId)
    }
    await this.execute({ type: 'erase', personId }, cause)
    await this.finishErasing(personId, cause)
  }

  /**
   * Takes away what is left of people who never came to join, and of those who were erased when the process died.
   *
   * @param signal ends it early
   */
  async sweep(signal?: AbortSignal): Promise<void> {
    const now = this.deps.now()
    const cause = { correlationId: 'sweep', causationId: 'sweep', now }
    const eraseLeftOver = async (personId: PersonId) => {
      if (await this.eraseUnjoined(personId, cause)) await this.finishErasing(personId, cause)
    }
    await inBatches(await this.deps.vault.people(now - SWEPT_MS), eraseLeftOver, signal)
  }

  /** What joining leads to in the account: done at once, and again at each sign-in, since a crash may come between. */
  async complete({ personId, joined }: Person, cause: PeopleCause): Promise<void> {
    const { account_id: accountId, role, invitation_id: invitationId } = joined
    const command = { type: 'join', accountId, personId, role, invitationId, now: this.deps.now() } as const
    // Refused where the account has removed the person since, or the invitation was withdrawn: then they are no member.
    await this.deps.ledger.execute(command, { ...cause, accountId })
    if (invitationId) await this.deps.vault.removeRecord(accountId, invitationId)
  }

  /** Makes an address, or an identity, a person's. @throws {PeopleRefused} `address-taken` */
  async claim(email: string, personId: PersonId, cause: PeopleCause): Promise<void> {
    for (let from: PersonId | undefined; ; ) {
      const taken = await this.addresses.execute(email, { type: 'claim', personId, from }, operatorsOf(cause))
      if (!taken) return
      // Once they are erased nobody joins by their id any more, whatever its process still does.
      if (!(await this.isGone(taken)) || !(await this.eraseUnjoined(taken.personId, cause)))
        throw new PeopleRefused('address-taken')
      from = taken.personId
    }
  }

  /** Whether who has claimed an address was erased, or never came to join. */
  private async isGone({ personId, since }: Holder): Promise<boolean> {
    const { state } = await this.loaded(personId)
    return state.status === 'erased' || (state.status === 'none' && this.deps.now() - since > UNJOINED_MS)
  }

  /** @returns false when they have joined: then nothing was changed */
  private async eraseUnjoined(personId: PersonId, cause: PeopleCause): Promise<boolean> {
    const command = { type: 'erase', personId, unlessJoined: true } as const
    const refused = await refusalOf(this.execute(command, { ...cause, actor: 'service' }))
    if (refused && refused.problem !== 'joined') throw refused
    return !refused
  }

  private async finishErasing(personId: PersonId, cause: PeopleCause): Promise<void> {
    const profile = await this.profile(personId)
    if (profile)
      await this.addresses.execute(profile.email, { type: 'release', personId }, operatorsOf(cause))
    await this.deps.vault.forget(personId)
    await this.deps.sessions.endAll(personId)
    await this.deps.links.end({ kind: 'reset', personId })
  }

  private loaded(personId: PersonId) {
    return load(this.deps.log, personStream(personId), personFold)
  }

  /** @throws {PeopleRefused} `not-found` */
  async execute(command: PersonCommand, cause: PeopleCause): Promise<PersonState> {
    const decide = (state: PersonState) => {
      const decision = decidePerson(command, state)
      if ('code' in decision) throw new PeopleRefused(decision.code)
      return decision
    }
    const stream = personStream(command.personId)
    return (await execute(this.deps.log, stream, personFold, decide, operatorsOf(cause))).state
  }
}

const operatorsOf = (cause: PeopleCause): Cause => ({ ...cause, accountId: OPERATORS })
