/**
 * The people of an account, for its owners: inviting, roles, and removing.
 *
 * @module
 */
import type { Accounts } from '../accounts/accounts.ts'
import { inBatches } from '../async/batches.ts'
import { type AccountId, type InvitationId, newInvitationId, type PersonId } from '../domain/ids.ts'
import { type Invitation, isLastOwner, type MemberCommand } from '../domain/members.ts'
import { ROLES, type Role } from '../domain/roles.ts'
import type { Keys } from '../keys/keys.ts'
import { Refused } from '../log/refused.ts'
import { randomBytes } from '../random.ts'
import type { Vault } from '../vault/vault.ts'
import { addressKey, type PeopleCause } from './addresses.ts'
import { type Issuer, LINK_MS, type Links, type ResetLink } from './links.ts'
import { invitationMail, type Mail, resetMail } from './mail.ts'
import { type People, SWEPT_MS } from './people.ts'

export type Member = {
  readonly personId: PersonId
  readonly role: Role
  /** null if the person has just been erased */
  readonly name: string | null
  readonly email: string | null
}

/** A new link, which is shown only once, and whether it was also mailed. */
export type MadeLink = { readonly url: string; readonly isMailed: boolean }

/** An open invitation. */
export type Invited = {
  readonly invitationId: InvitationId
  readonly role: Role
  readonly email: string | null
  /** milliseconds since 1970 */
  readonly expiresAt: number
}

/** The invitation that a link opens. */
export type Opened = Invited & {
  readonly accountId: AccountId
  readonly account: string
  readonly email: string
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

  /** Open invitations, the newest first. */
  async invitations(accountId: AccountId): Promise<readonly Invited[]> {
    const { vault, accounts, now } = this.options
    const { invitations } = (await accounts.state(accountId)).members
    const all = Object.entries(invitations) as [InvitationId, Invitation][]
    const listed = all
      .filter(([, { expiresAt }]) => expiresAt > now())
      .toSorted(([a], [b]) => (a < b ? 1 : -1))
    return Promise.all(
      listed.map(async ([invitationId, { role, expiresAt }]) => {
        const email = (await vault.loadRecord(accountId, invitationId)) ?? null
        return { invitationId, role, email, expiresAt }
      }),
    )
  }

  /**
   * Invites an address, and mails the link if mail is configured.
   *
   * @param by the owner who asks; undefined for the operator
   * @throws {Refused} `not-owner`
   */
  async invite(
    accountId: AccountId,
    email: string,
    role: Role,
    cause: PeopleCause,
    by?: PersonId,
  ): Promise<MadeLink> {
    const { vault, now } = this.options
    const invitationId = newInvitationId(now(), randomBytes(10))
    const expiresAt = now() + LINK_MS.invitation
    // The address is saved before the event. The link comes last: an invitation without a link can get a new one.
    await vault.saveRecord(accountId, invitationId, email)
    try {
      await this.handle({ type: 'invite', accountId, invitationId, role, expiresAt, by }, cause)
    } catch (error) {
      if (error instanceof Refused) await vault.removeRecord(accountId, invitationId)
      throw error
    }
    return this.link(accountId, invitationId)
  }

  /** Creates a new link for an open invitation and ends the previous one. @throws {Refused} `not-invited` */
  async link(accountId: AccountId, invitationId: InvitationId): Promise<MadeLink> {
    const { links, mail } = this.options
    const invitation = await this.find(accountId, invitationId)
    if (!invitation) throw new Refused({ refused: 'not-invited' })
    const { account, email, expiresAt } = invitation
    const url = await links.make({ kind: 'invitation', accountId, invitationId }, expiresAt)
    const isMailed = email !== null && (await mail?.send(email, ...invitationMail(account, url))) === true
    return { url, isMailed }
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

  /** @param by the owner who asks @throws {Refused} `not-invited`, `not-owner` */
  async withdraw(
    accountId: AccountId,
    invitationId: InvitationId,
    cause: PeopleCause,
    by?: PersonId,
  ): Promise<void> {
    await this.handle({ type: 'withdraw', accountId, invitationId, by }, cause)
    await this.forget(accountId, invitationId)
  }

  /** An invitation; undefined when it is no longer open. */
  private async find(accountId: AccountId, invitationId: InvitationId) {
    const { name, members } = await this.options.accounts.state(accountId)
    const invitation = members.invitations[invitationId]
    if (!invitation || invitation.expiresAt <= this.options.now()) return undefined
    const email = (await this.options.vault.loadRecord(accountId, invitationId)) ?? null
    return { ...invitation, invitationId, email, accountId, account: name }
  }

  /** The invitation that a link opens; undefined when it is no longer open, or its address was destroyed. */
  async opened(token: string): Promise<Opened | undefined> {
    const link = await this.options.links.find('invitation', token)
    const invitation = link && (await this.find(link.accountId, link.invitationId))
    return invitation && invitation.email !== null ? { ...invitation, email: invitation.email } : undefined
  }

  /**
   * Adds a signed-in person who was invited by their address.
   *
   * @throws {Refused} `wrong-address`, `not-invited`
   */
  async accept(opened: Opened, personId: PersonId, cause: PeopleCause): Promise<void> {
    const profile = await this.options.people.profile(personId)
    if (!profile || addressKey(profile.email) !== addressKey(opened.email))
      throw new Refused({ refused: 'wrong-address' })
    const { accountId, invitationId, role } = opened
    await this.handle(
      { type: 'join', accountId, personId, role, invitationId, now: this.options.now() },
      cause,
    )
    await this.forget(accountId, invitationId)
  }

  /** @param by the owner who asks @throws {Refused} `last-owner`, `not-a-member`, `not-owner` */
  setRole(
    accountId: AccountId,
    personId: PersonId,
    role: Role,
    cause: PeopleCause,
    by?: PersonId,
  ): Promise<void> {
    return this.handle({ type: 'set-role', accountId, personId, role, by }, cause)
  }

  /**
   * Removes a person from an account, and revokes the keys that they created there.
   *
   * @param by the owner who asks
   * @throws {Refused} `last-owner`, `not-a-member`, `not-owner`
   */
  async remove(accountId: AccountId, personId: PersonId, cause: PeopleCause, by?: PersonId): Promise<void> {
    await this.handle({ type: 'remove', accountId, personId, by }, cause)
    await this.options.keys.revokeMadeBy(accountId, personId, cause)
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
    for (const account of left) await this.handle({ type: 'remove', personId, ...account }, cause)
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

  /**
   * Destroys the addresses of invitations that nobody can accept any more: expired ones, and those left over by a crash.
   *
   * @param signal ends the sweep early
   */
  async sweep(signal?: AbortSignal): Promise<void> {
    const { vault, accounts, now } = this.options
    const destroyUnlessOpen = async (accountId: AccountId, name: string) => {
      const { members } = await accounts.state(accountId)
      const invitation = members.invitations[name as InvitationId]
      if (!invitation || invitation.expiresAt <= now()) await vault.removeRecord(accountId, name)
    }
    const records = await vault.records('acc_', now() - SWEPT_MS)
    const addresses = records.filter(({ name }) => name.startsWith('inv_'))
    await inBatches(addresses, ({ owner, name }) => destroyUnlessOpen(owner as AccountId, name), signal)
  }

  /** Ends the links of a closed invitation and destroys its address. */
  private async forget(accountId: AccountId, invitationId: InvitationId): Promise<void> {
    await this.options.links.end({ kind: 'invitation', accountId, invitationId })
    await this.options.vault.removeRecord(accountId, invitationId)
  }

  private async handle(command: MemberCommand, cause: PeopleCause): Promise<void> {
    const { accountId } = command
    const outcome = await this.options.accounts.handle(command, { ...cause, accountId })
    if (outcome.refused) throw new Refused(outcome)
  }
}
