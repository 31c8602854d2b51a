/**
 * The people of an account, for its owners: roles, new passwords, and removing. See invitations.ts for inviting.
 *
 * @module
 */
import type { Accounts } from '../accounts/accounts.ts'
import type { AccountId, PersonId } from '../domain/ids.ts'
import { isLastOwner } from '../domain/members.ts'
import { ROLES, type Role } from '../domain/roles.ts'
import type { Keys } from '../keys/keys.ts'
import { Refused } from '../log/refused.ts'
import type { Vault } from '../vault/vault.ts'
import type { PeopleCause } from './addresses.ts'
import type { Issuer, Links, MadeLink, ResetLink } from './links.ts'
import { type Mail, resetMail } from './mail.ts'
import { handleMember } from './member-command.ts'
import type { People } from './people.ts'

export type Member = {
  readonly personId: PersonId
  readonly role: Role
  /** null if the person has just been erased */
  readonly name: string | null
  readonly email: string | null
}

export type MembersOptions = {
  readonly people: People
  readonly accounts: Accounts
  readonly keys: Pick<Keys, 'revokeMadeBy'>
  readonly vault: Vault
  readonly links: Links
  /** undefined: nothing is mailed; links are shown and must be passed on */
  readonly mail?: Mail | undefined
  /** milliseconds since 1970 */
  readonly now: () => number
}

export class AccountMembers {
  constructor(private readonly options: MembersOptions) {}

  /** The members of an account: owners first, viewers last; within a role by id, that is, the oldest first. */
  async list(accountId: AccountId): Promise<readonly Member[]> {
    const { members } = await this.options.accounts.state(accountId)
    const people = Object.entries(members.roles) as [PersonId, Role][]
    const listed = people.toSorted(
      ([a, roleA], [b, roleB]) => ROLES.indexOf(roleA) - ROLES.indexOf(roleB) || (a < b ? -1 : 1),
    )
    return Promise.all(
      listed.map(async ([personId, role]) => {
        const profile = await this.options.people.profile(personId)
        return { personId, role, name: profile?.name ?? null, email: profile?.email ?? null }
      }),
    )
  }

  /**
   * Creates a link for a person to set a new password, and mails it if mail is configured.
   *
   * @param issuer the owner who asks; null for the operator
   */
  async reset(personId: PersonId, issuer: Issuer | null): Promise<MadeLink> {
    const { links, people, mail } = this.options
    const url = await links.make({ kind: 'reset', personId, issuer })
    const profile = mail && (await people.profile(personId))
    const isMailed = profile !== undefined && (await mail?.send(profile.email, ...resetMail(url))) === true
    return { url, isMailed }
  }

  /**
   * Whether a link may set a person's password now. An owner's link may as long as they own the account, and the person
   * belongs to that account, to no other, and is no operator.
   */
  async mayReset({ personId, issuer }: Pick<ResetLink, 'personId' | 'issuer'>): Promise<boolean> {
    if (issuer === null) return true
    const { accounts, people } = this.options
    const { accountId } = issuer
    const { roles } = (await accounts.state(accountId)).members
    if (roles[issuer.personId] !== 'owner' || roles[personId] === undefined) return false
    const others = (await people.accountsOf(personId)).filter((one) => one.accountId !== accountId)
    return others.length === 0 && (await people.person(personId))?.isOperator === false
  }

  /** @param by the owner who asks @throws {Refused} `last-owner`, `not-a-member`, `not-owner` */
  async setRole(
    accountId: AccountId,
    personId: PersonId,
    role: Role,
    cause: PeopleCause,
    by?: PersonId,
  ): Promise<void> {
    await handleMember(this.options.accounts, { type: 'set-role', accountId, personId, role, by }, cause)
  }

  /**
   * Removes a person from an account, and revokes the keys that they created there.
   *
   * @param by the owner who asks
   * @throws {Refused} `last-owner`, `not-a-member`, `not-owner`
   */
  async remove(accountId: AccountId, personId: PersonId, cause: PeopleCause, by?: PersonId): Promise<void> {
    const { accounts, keys } = this.options
    await handleMember(accounts, { type: 'remove', accountId, personId, by }, cause)
    await keys.revokeMadeBy(accountId, personId, cause)
  }

  /**
   * Removes a person from all accounts, revokes the keys that they created, and makes their stored data unreadable.
   *
   * @param options.evenLastOwner whether an account may be left without an owner
   * @throws {Refused} `last-owner`: nothing was changed
   */
  async erase(personId: PersonId, cause: PeopleCause, { evenLastOwner = false } = {}): Promise<void> {
    const { people, keys, accounts } = this.options
    const left: { accountId: AccountId; isClosed: boolean }[] = []
    for (const { accountId } of await people.accountsOf(personId)) {
      const { members, suspended } = await accounts.state(accountId)
      const isClosed = suspended || evenLastOwner
      if (!isClosed && isLastOwner(members, personId)) throw new Refused({ refused: 'last-owner', accountId })
      left.push({ accountId, isClosed })
    }
    for (const account of left) await handleMember(accounts, { type: 'remove', personId, ...account }, cause)
    await people.erase(personId, cause)
    // The person is no longer a member, so their keys are refused even if the process dies here.
    for (const { accountId } of left) await keys.revokeMadeBy(accountId, personId, cause)
  }

  /**
   * Erases all people, even the last owners of accounts, and frees all addresses. It needs no key of the vault: after
   * that key was lost, nobody can sign in, and this permits setting up the console again. Idempotent.
   *
   * @returns how many people it erased
   */
  async eraseAll(cause: PeopleCause): Promise<number> {
    const { people, vault } = this.options
    const ids = new Set([...(await people.ids()), ...(await vault.people(Number.POSITIVE_INFINITY))])
    for (const personId of ids) {
      // First, so that erasing reads no data that cannot be opened.
      await vault.forget(personId)
      await this.erase(personId, cause, { evenLastOwner: true })
    }
    // Addresses are claimed by their hash under this key. A new key is created when the next person joins.
    await vault.forget('people')
    return ids.size
  }
}
