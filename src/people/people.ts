/**
 * People: how they join, sign in, change their data, and leave.
 *
 * A person joins in steps, and a crash may follow each step; docs/internals.md has the table. Before `PersonJoined` the
 * person does not exist, and the sweep removes the unfinished data. After it, the next sign-in completes the steps.
 *
 * @module
 */
import { memberships } from '../../projections/memberships.ts'
import { people } from '../../projections/people.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { inBatches } from '../async/batches.ts'
import type { AddressRefusal } from '../domain/address.ts'
import { type AccountId, newAccountId, newPersonId, type PersonId, personStream } from '../domain/ids.ts'
import { type Person, type PersonCommand, type PersonState, personDecider } from '../domain/person.ts'
import type { Role } from '../domain/roles.ts'
import type { EventLog } from '../log/event-log.ts'
import { execute, load } from '../log/execute.ts'
import { Refused, refusalOf } from '../log/refused.ts'
import { randomBytes } from '../random.ts'
import type { Model, ReadModels, Row } from '../read/read-models.ts'
import { requireProjected, type WaitUntilProjected } from '../read/wait-until-projected.ts'
import type { Vault } from '../vault/vault.ts'
import {
  type Addresses,
  addressKey,
  byPerson,
  type Holder,
  operatorsOf,
  type PeopleCause,
} from './addresses.ts'
import type { Links } from './links.ts'
import type { Entrance, Joining, Newcomer } from './newcomer.ts'
import { isPassword } from './passwords.ts'
import { loadProfile, type Profile, savePassword, saveProfile } from './profiles.ts'
import type { Sessions } from './sessions.ts'

/** An account that a person belongs to. */
export type Membership = { readonly accountId: AccountId; readonly role: Role }

const MOST_MEMBERSHIPS = 500
const MOST_PEOPLE = 1_000_000
/** A claimed address is free again if its claimant has not joined within this time, in milliseconds. */
const UNJOINED_MS = 600_000
/** Younger data is not swept: its event may not have been appended yet. In milliseconds. */
export const SWEPT_MS = 3_600_000
const NOBODY = newPersonId(0, new Uint8Array(10))

export type PeopleOptions = {
  readonly log: EventLog
  readonly readModels: ReadModels
  readonly waitUntilProjected: WaitUntilProjected
  readonly accounts: Accounts
  readonly vault: Vault
  readonly addresses: Addresses
  readonly sessions: Sessions
  readonly links: Links
  /** milliseconds since 1970 */
  readonly now: () => number
}

export class People {
  constructor(private readonly options: PeopleOptions) {}

  /**
   * Creates a person who has opened a link or signs up.
   *
   * @throws {Refused} `address-taken`, `link-used`
   */
  async join(newcomer: Joining, entrance: Entrance, cause: PeopleCause): Promise<PersonId> {
    const { token, isOperator = false, ...joining } = entrance
    const personId = newPersonId(this.options.now(), randomBytes(10))
    const own = byPerson(personId, cause)
    const { vault, addresses, links } = this.options
    const { email, password, identity } = newcomer
    const ref = password === null ? undefined : await savePassword(vault, personId, password)
    await saveProfile(vault, personId, newcomer)
    try {
      await this.claim(email, personId, own)
      if (identity !== undefined) await this.claim(identity, personId, own)
      if (token !== undefined && !(await links.take(token, personId))) {
        await addresses.handle(email, { type: 'release', personId }, own)
        throw new Refused({ refused: 'link-used' })
      }
    } catch (error) {
      // If a store is unavailable, the sweep does this later.
      if (error instanceof Refused) await vault.forget(personId)
      throw error
    }
    const joined = { person_id: personId, ...joining, ...(ref ? { password_ref: ref } : {}) }
    await this.handle({ type: 'join', personId, joined, isOperator }, own)
    await this.complete({ personId, joined }, own)
    return personId
  }

  /** Signs a person up: opens an account and creates its owner. @throws {Refused} `address-taken` */
  async signUp(newcomer: Newcomer, credits: number, cause: PeopleCause): Promise<PersonId> {
    const account_id = newAccountId(this.options.now(), randomBytes(10))
    // The account first: an account without people does no harm, but a person without an account would be stuck.
    const { accounts } = this.options
    const open = { type: 'open', accountId: account_id, name: 'My account', credits } as const
    if (await this.idOf(newcomer.email)) throw new Refused({ refused: 'address-taken' })
    await accounts.handle(open, { ...cause, accountId: account_id })
    return this.join(newcomer, { account_id, role: 'owner' }, cause)
  }

  /** A person; undefined when nobody has this id, or when the person was erased. */
  async person(personId: PersonId): Promise<Person | undefined> {
    const { state } = await this.loaded(personId)
    return state.status === 'active' ? state : undefined
  }

  /** The profile of a person; undefined after the person was erased. */
  profile(personId: PersonId): Promise<Profile | undefined> {
    return loadProfile(this.options.vault, personId)
  }

  /**
   * The holder of an address, and their password hash. An unknown address takes the same lookups, and thus as long.
   *
   * @returns no person when nobody holds the address; no hash when the person has no password
   */
  async credentialsOf(
    email: string,
  ): Promise<{ readonly person?: Person; readonly hashed?: string | undefined }> {
    const { personId = NOBODY } = (await this.options.addresses.holder(email)) ?? {}
    const person = await this.person(personId)
    const hashed = await this.options.vault.loadRecord(personId, person?.passwordRef ?? 'none')
    return person ? { person, hashed } : {}
  }

  /** The holder of an address; undefined when it is free. */
  async idOf(email: string): Promise<PersonId | undefined> {
    const holder = await this.options.addresses.holder(email)
    return holder && !(await this.isGone(holder)) ? holder.personId : undefined
  }

  /** The accounts that a person belongs to, the oldest membership first. @throws {StoreUnavailable} */
  async accountsOf(personId: PersonId): Promise<readonly Membership[]> {
    const rows = await this.rows(memberships, 'by_person', personId, MOST_MEMBERSHIPS)
    return rows.map(({ account_id, role }) => ({ accountId: account_id, role }))
  }

  /** The ids of all people, the oldest first. @throws {StoreUnavailable} */
  async ids(): Promise<readonly PersonId[]> {
    const rows = await this.rows(people, 'all', 1, MOST_PEOPLE)
    return rows.map(({ person_id }) => person_id as PersonId)
  }

  /** Whether any person may see the operator's pages. Until then, setup links can be created. */
  async hasOperator(): Promise<boolean> {
    return (await this.rows(people, 'operators', 1, 1)).length > 0
  }

  /**
   * Changes the name or the address.
   *
   * @throws {Refused} `address-taken`
   */
  async changeProfile(personId: PersonId, profile: Profile, cause: PeopleCause): Promise<void> {
    const before = await this.profile(personId)
    if (!before) throw new Refused({ refused: 'not-found' })
    const isMoved = addressKey(before.email) !== addressKey(profile.email)
    if (isMoved) await this.claim(profile.email, personId, cause)
    const { vault, addresses } = this.options
    await saveProfile(vault, personId, profile)
    if (isMoved) await addresses.handle(before.email, { type: 'release', personId }, cause)
  }

  /**
   * Changes the password and ends all sessions. The returned person may begin a new one.
   *
   * @param current the current password; undefined when a reset link authorizes the change
   * @throws {Refused} `wrong-password`; `not-found` for an erased person
   */
  async changePassword(
    personId: PersonId,
    password: string,
    cause: PeopleCause,
    current?: string,
  ): Promise<Person> {
    const person = await this.person(personId)
    if (!person) throw new Refused({ refused: 'not-found' })
    const { passwordRef } = person
    const { vault, sessions } = this.options
    if (current !== undefined) {
      const hashed = passwordRef && (await vault.loadRecord(personId, passwordRef))
      if (!(await isPassword(current, hashed))) throw new Refused({ refused: 'wrong-password' })
    }
    const ref = await savePassword(vault, personId, password)
    const from = current === undefined ? undefined : passwordRef
    const changed = await this.handle({ type: 'change-password', personId, ref, from }, cause)
    if (passwordRef) await vault.removeRecord(personId, passwordRef)
    await sessions.endAll(personId)
    return changed as Person
  }

  setOperator(personId: PersonId, isOperator: boolean, cause: PeopleCause): Promise<PersonState> {
    return this.handle({ type: 'set-operator', personId, isOperator }, cause)
  }

  /** Makes the stored data of a person unreadable, once they belong to no account. Idempotent. */
  async erase(personId: PersonId, cause: PeopleCause): Promise<void> {
    await this.handle({ type: 'erase', personId }, cause)
    await this.finishErasing(personId, cause)
  }

  /**
   * Removes the data of people who never completed joining, and of people whose erasure was interrupted.
   *
   * @param signal ends the sweep early
   */
  async sweep(signal?: AbortSignal): Promise<void> {
    const now = this.options.now()
    const cause = { correlationId: 'sweep', causationId: 'sweep', now }
    const eraseLeftOver = async (personId: PersonId) => {
      if (await this.eraseUnjoined(personId, cause)) await this.finishErasing(personId, cause)
    }
    await inBatches(await this.options.vault.people(now - SWEPT_MS), eraseLeftOver, signal)
  }

  /** Completes joining in the account. Repeated at each sign-in, since a crash may have interrupted it. Idempotent. */
  async complete(
    { personId, joined }: Pick<Person, 'personId' | 'joined'>,
    cause: PeopleCause,
  ): Promise<void> {
    const { account_id: accountId, role, invitation_id: invitationId } = joined
    const command = {
      type: 'join',
      accountId,
      personId,
      role,
      invitationId,
      now: this.options.now(),
    } as const
    // Refused if the account has since removed the person, or the invitation was withdrawn: they are not a member then.
    await this.options.accounts.handle(command, { ...cause, accountId })
    if (invitationId) await this.options.vault.removeRecord(accountId, invitationId)
  }

  /** Claims an address or an identity for a person. @throws {Refused} `address-taken` */
  async claim(email: string, personId: PersonId, cause: PeopleCause): Promise<void> {
    for (let from: PersonId | undefined; ; ) {
      const command = { type: 'claim', personId, from } as const
      const refused = await refusalOf(this.options.addresses.handle(email, command, cause))
      if (!refused) return
      const { by, since } = refused.refusal as AddressRefusal
      const holder = { personId: by, since }
      // Once the claimant is erased, nobody can join by that id, even if its process still runs.
      if (!(await this.isGone(holder)) || !(await this.eraseUnjoined(by, cause)))
        throw new Refused({ refused: 'address-taken' })
      from = by
    }
  }

  /** Whether the claimant of an address was erased or never completed joining. */
  private async isGone({ personId, since }: Holder): Promise<boolean> {
    const { state } = await this.loaded(personId)
    return state.status === 'erased' || (state.status === 'none' && this.options.now() - since > UNJOINED_MS)
  }

  /** @returns false when the person has joined; nothing is changed then */
  private async eraseUnjoined(personId: PersonId, cause: PeopleCause): Promise<boolean> {
    const command = { type: 'erase', personId, unlessJoined: true } as const
    const refused = await refusalOf(this.handle(command, { ...cause, actor: 'service' }))
    if (refused && refused.code !== 'joined') throw refused
    return !refused
  }

  private async finishErasing(personId: PersonId, cause: PeopleCause): Promise<void> {
    const { addresses, vault, sessions, links } = this.options
    const profile = await this.profile(personId)
    if (profile) await addresses.handle(profile.email, { type: 'release', personId }, cause)
    await vault.forget(personId)
    await sessions.endAll(personId)
    await links.end({ kind: 'reset', personId })
  }

  /** Rows of a read model that includes all earlier writes, the oldest first. @throws {StoreUnavailable} */
  private async rows<R extends Row>(model: Model<R>, index: string, equals: string | number, limit: number) {
    await requireProjected(this.options, model)
    return this.options.readModels.list(model, index, { equals: [equals], order: 'ascending', limit })
  }

  private loaded(personId: PersonId) {
    return load(this.options.log, personStream(personId), personDecider)
  }

  /** Handles a command to a person. @returns their state afterwards @throws {Refused} */
  async handle(command: PersonCommand, cause: PeopleCause): Promise<PersonState> {
    const stream = personStream(command.personId)
    return (await execute(this.options.log, stream, personDecider, command, operatorsOf(cause))).state
  }
}
