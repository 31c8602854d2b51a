/**
 * Sessions and links in memory. They end by the clock of who asks for them.
 *
 * @module
 */
import type { FoundTicket, Ticket, TicketKind, Tickets } from '../../../src/ephemeral/tickets.ts'
import { byValue } from './order.ts'

type Held = { readonly ticket: Ticket; readonly takenBy: string | null }

export class MemoryTickets implements Tickets {
  /** by their hashes */
  private readonly held = new Map<string, Held>()

  async put(hash: string, ticket: Ticket): Promise<void> {
    // As in Redis one that was taken stays so: a put may come twice.
    this.held.set(hash, { ticket: { ...ticket }, takenBy: this.held.get(hash)?.takenBy ?? null })
  }

  async replace(hash: string, ticket: Ticket): Promise<void> {
    const held = this.held.get(hash)
    if (held) this.held.set(hash, { ...held, ticket: { ...ticket } })
  }

  async find(hash: string, now: number): Promise<FoundTicket | undefined> {
    const held = this.held.get(hash)
    return held && held.ticket.expiresAt > now ? foundOf(hash, held) : undefined
  }

  async take(hash: string, by: string, now: number): Promise<boolean> {
    const held = this.held.get(hash)
    if (!held || held.ticket.expiresAt <= now || (held.takenBy ?? by) !== by) return false
    this.held.set(hash, { ...held, takenBy: by })
    return true
  }

  async list(kind: TicketKind, owner: string, now: number): Promise<readonly FoundTicket[]> {
    const found = [...this.held].flatMap(([hash, held]) =>
      held.ticket.expiresAt > now && isOf(held, kind, owner) ? [foundOf(hash, held)] : [],
    )
    return found.sort((a, b) => b.expiresAt - a.expiresAt || byValue(b.hash, a.hash))
  }

  async end(kind: TicketKind, owner: string, hashes: readonly string[]): Promise<void> {
    for (const hash of hashes) {
      const held = this.held.get(hash)
      if (held && isOf(held, kind, owner)) this.held.delete(hash)
    }
  }

  /** Loses everything, as an emptied Redis does. */
  clear(): void {
    this.held.clear()
  }
}

const foundOf = (hash: string, { ticket, takenBy }: Held): FoundTicket => ({ hash, ...ticket, takenBy })

const isOf = ({ ticket }: Held, kind: TicketKind, owner: string): boolean =>
  ticket.kind === kind && ticket.owner === owner
