/**
 * Invitations to an account: making, opening, accepting and withdrawing them. An invitation is part of its account's
 * stream; the invited address is in the vault.
 *
 * @module
 */
import { hash } from 'node:crypto'
import type { Accounts } from '../accounts/accounts.ts'
import { inBatches } from '../async/batches.ts'
import type { Operation } from '../domain/event-type.ts'
import {
  type AccountId,
  derivedInvitationId,
  type InvitationId,
  newInvitationId,
  type PersonId,
} from '../domain/ids.ts'
import type { Invitation } from '../domain/members.ts'
import type { Role } from '../domain/roles.ts'
import { Refused } from '../log/refused.ts'
import { randomBytes } from '../random.ts'
import type { Vault } from '../vault/vault.ts'
import { addressKey, type PeopleCause } from './addresses.ts'
import { LINK_MS, type Links, type MadeLink } from './links.ts'
import { invitationMail, type Mail } from './mail.ts'
import { handleMember } from './member-command.ts'
import { type People, SWEPT_MS } from './people.ts'

/** An invitation to make. `by`: the owner who asks; undefined for the operator. */
export type InvitationRequest = {
  readonly accountId: AccountId
  readonly email: string
  readonly role: Role
  readonly by?: PersonId | undefined
}

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

export type InvitationsOptions = {
  readonly people: People
  readonly accounts: Accounts
  readonly vault: Vault
  readonly links: Links
  /** undefined: nothing is mailed; links are shown and must be passed on */
  readonly mail?: Mail | undefined
  /** milliseconds since 1970 */
  readonly now: () => number
}

export class Invitations {
  constructor(private readonly options: InvitationsOptions) {}

  /** Open invitations, the newest first. */
  async list(accountId: AccountId): Promise<readonly Invited[]> {
    const { vault, accounts, now } = this.options
    const { invitations } = (await accounts.state(accountId)).members
    const all = Object.entries(invitations) as [InvitationId, Invitation][]
    const listed = all
      .filter(([, { expiresAt }]) => expiresAt > now())
      .toSorted(([, a], [, b]) => b.expiresAt - a.expiresAt)
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
    // A new id belongs to no other invitation.
    return (await this.inviteOnce({ accountId, email, role, by }, cause, undefined))!
  }

  /**
   * Invites an address, once for each operation, also among several processes.
   *
   * @param operation identifies the form; undefined: it has no repeat
   * @returns undefined when the operation has made an invitation before
   * @throws {Refused} `not-owner`
   */
  async inviteOnce(
    { accountId, email, role, by }: InvitationRequest,
    cause: PeopleCause,
    operation: Operation | undefined,
  ): Promise<MadeLink | undefined> {
    const { vault, accounts, now } = this.options
    const invitationId = operation
      ? derivedInvitationId(hash('sha256', `invitation\n${operation.id}`, 'buffer'))
      : newInvitationId(now(), randomBytes(10))
    const expiresAt = now() + LINK_MS.invitation
    // The address is saved before the event. The link comes last: an invitation without a link can get a new one.
    await vault.saveRecord(accountId, invitationId, email)
    const command = { type: 'invite', accountId, invitationId, role, expiresAt, by, operation } as const
    try {
      if (!(await handleMember(accounts, command, cause))) return undefined
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

  /** @param by the owner who asks @throws {Refused} `not-invited`, `not-owner` */
  async withdraw(
    accountId: AccountId,
    invitationId: InvitationId,
    cause: PeopleCause,
    by?: PersonId,
  ): Promise<void> {
    await handleMember(this.options.accounts, { type: 'withdraw', accountId, invitationId, by }, cause)
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
    const { accounts, now } = this.options
    await handleMember(accounts, { type: 'join', accountId, personId, role, invitationId, now: now() }, cause)
    await this.forget(accountId, invitationId)
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
}
