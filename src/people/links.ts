/**
 * Single-use links: to set up an instance, join an account, or choose a new password. Opening a link does not consume
 * it. Only hashes are stored.
 *
 * @module
 */
import type { AccountId, InvitationId, PersonId } from '../domain/ids.ts'
import { endAll, idOf, newSecret, type Tickets } from '../ephemeral/tickets.ts'

/** The owner who made a reset link, and their account. */
export type Issuer = { readonly accountId: AccountId; readonly personId: PersonId }
/** A link to set a new password. `issuer`: null if an operator made it. */
export type ResetLink = Reset & { readonly issuer: Issuer | null }
type Reset = { readonly kind: 'reset'; readonly personId: PersonId }

/** The target of a link. */
export type ConsoleLink =
  | { readonly kind: 'setup' }
  | { readonly kind: 'invitation'; readonly accountId: AccountId; readonly invitationId: InvitationId }
  | ResetLink

/** A new link, which is shown only once, and whether it was also mailed. */
export type MadeLink = { readonly url: string; readonly isMailed: boolean }

/** Paths by kind of link, below `/console/`. */
const PATHS: Readonly<Record<ConsoleLink['kind'], string>> = {
  setup: 'setup',
  invitation: 'invitations',
  reset: 'resets',
}
/** Lifetimes by kind of link, in milliseconds. */
export const LINK_MS: Readonly<Record<ConsoleLink['kind'], number>> = {
  setup: 86_400_000,
  invitation: 7 * 86_400_000,
  reset: 86_400_000,
}

const ownerOf = (link: ConsoleLink | Reset): string =>
  link.kind === 'setup' ? 'setup' : link.kind === 'invitation' ? link.invitationId : link.personId

export class Links {
  /** @param publicUrl of the service, without a trailing slash */
  constructor(
    private readonly tickets: Tickets,
    private readonly publicUrl: string,
    private readonly now: () => number,
  ) {}

  /** Creates a link and ends earlier links to its target. @returns its URL, which is shown once and not stored */
  async make(link: ConsoleLink, expiresAt = this.now() + LINK_MS[link.kind]): Promise<string> {
    const token = newSecret()
    // Servers that start concurrently each print a setup link. Once one of these is used, the others are refused.
    if (link.kind !== 'setup') await this.end(link)
    const text = JSON.stringify(link)
    await this.tickets.put(idOf(token), { kind: link.kind, owner: ownerOf(link), expiresAt, text })
    return `${this.publicUrl}/console/${PATHS[link.kind]}/${token}`
  }

  /** The target of a link; undefined when the link was used, has ended, or never existed. */
  async find<Kind extends ConsoleLink['kind']>(
    kind: Kind,
    token: string,
  ): Promise<(ConsoleLink & { kind: Kind }) | undefined> {
    const ticket = await this.tickets.find(idOf(token), this.now())
    return ticket?.kind === kind && ticket.takenBy === null
      ? (JSON.parse(ticket.text) as ConsoleLink & { kind: Kind })
      : undefined
  }

  /** Consumes a link. @param by the user of the link @returns false when another user has consumed it */
  take(token: string, by: string): Promise<boolean> {
    return this.tickets.take(idOf(token), by, this.now())
  }

  /** Ends all links to a target. */
  end(link: ConsoleLink | Reset): Promise<void> {
    return endAll(this.tickets, link.kind, ownerOf(link), this.now())
  }
}
