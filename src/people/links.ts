/**
 * Links that are used once: to set an instance up, to join an account, to choose another password. Whoever has one may
 * look at it; only its use uses it up. Only hashes are kept.
 *
 * @module
 */
import type { AccountId, InvitationId, PersonId } from '../domain/ids.ts'
import { endAll, idOf, newSecret, type Tickets } from '../ephemeral/tickets.ts'

/** What a link opens. */
export type Link =
  | { readonly kind: 'setup' }
  | { readonly kind: 'invitation'; readonly accountId: AccountId; readonly invitationId: InvitationId }
  | { readonly kind: 'reset'; readonly personId: PersonId }

/** Where the links of a kind lie, below `/console/`. */
const PATHS: Readonly<Record<Link['kind'], string>> = {
  setup: 'setup',
  invitation: 'invitations',
  reset: 'resets',
}
/** How long they open something, in milliseconds. */
export const LINK_MS: Readonly<Record<Link['kind'], number>> = {
  setup: 86_400_000,
  invitation: 7 * 86_400_000,
  reset: 86_400_000,
}

const ownerOf = (link: Link): string =>
  link.kind === 'setup' ? 'setup' : link.kind === 'invitation' ? link.invitationId : link.personId

export class Links {
  /** @param publicUrl of the service, without a slash at its end */
  constructor(
    private readonly tickets: Tickets,
    private readonly publicUrl: string,
    private readonly now: () => number,
  ) {}

  /** Makes a link; others for the same end. @returns its address, which is shown once and kept nowhere */
  async make(link: Link, expiresAt = this.now() + LINK_MS[link.kind]): Promise<string> {
    const token = newSecret()
    // Servers that start together each print a link to set up: one of them is used, and the others open nothing then.
    if (link.kind !== 'setup') await this.end(link)
    const text = JSON.stringify(link)
    await this.tickets.put(idOf(token), { kind: link.kind, owner: ownerOf(link), expiresAt, text })
    return `${this.publicUrl}/console/${PATHS[link.kind]}/${token}`
  }

  /** What a link opens; undefined when it was used, has ended, or never was. */
  async find<Kind extends Link['kind']>(
    kind: Kind,
    token: string,
  ): Promise<(Link & { kind: Kind }) | undefined> {
    const found = await this.tickets.find(idOf(token), this.now())
    return found?.kind === kind && found.takenBy === null
      ? (JSON.parse(found.text) as Link & { kind: Kind })
      : undefined
  }

  /** Uses a link up. @param by who uses it @returns false when somebody else has */
  take(token: string, by: string): Promise<boolean> {
    return this.tickets.take(idOf(token), by, this.now())
  }

  /** Ends the links for the same. */
  end(link: Link): Promise<void> {
    return endAll(this.tickets, link.kind, ownerOf(link), this.now())
  }
}
