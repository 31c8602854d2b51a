/**
 * Sessions and links in memory. They expire by the clock of the caller.
 *
 * @module
 */
import type { FoundTicket, Ticket, TicketKind, Tickets } from '../../../src/ephemeral/tickets.ts'
import { byValue } from './order.ts'

type Kept = { readonly ticket: Ticket; readonly takenBy: string | null }

export class MemoryTickets implements Tickets {
  /** by their hashes */
  private readonly tickets = new Map<string, Kept>()

  async put(hash: string, ticket: Ticket): Promise<void> {
    this.tickets.set(hash, { ticket: { ...ticket }, takenBy: null })
  }

  async replace(hash: string, ticket: Ticket): Promise<void> {
    const kept = this.tickets.get(hash)
    if (kept) this.tickets.set(hash, { ...kept, ticket: { ...ticket } })
  }

  async find(hash: string, now: number): Promise<FoundTicket | undefined> {
    const kept = this.tickets.get(hash)
    return kept && kept.ticket.expiresAt > now ? foundOf(hash, kept) : undefined
  }

  async take(hash: string, by: string, now: number): Promise<boolean> {
    const kept = this.tickets.get(hash)
    if (!kept || kept.ticket.expiresAt <= now || (kept.takenBy ?? by) !== by) return false
    this.tickets.set(hash, { ...kept, takenBy: by })
    return true
  }

  async list(kind: TicketKind, owner: string, now: number): Promise<readonly FoundTicket[]> {
    const matches = [...this.tickets].flatMap(([hash, kept]) =>
      kept.ticket.expiresAt > now && isOf(kept, kind, owner) ? [foundOf(hash, kept)] : [],
    )
    return matches.sort((a, b) => b.expiresAt - a.expiresAt || byValue(b.hash, a.hash))
  }

  async end(kind: TicketKind, owner: string, hashes: readonly string[]): Promise<void> {
    for (const hash of hashes) {
      const kept = this.tickets.get(hash)
      if (kept && isOf(kept, kind, owner)) this.tickets.delete(hash)
    }
  }

  /** Loses all data, like an emptied Redis. */
  clear(): void {
    this.tickets.clear()
  }
}

const foundOf = (hash: string, { ticket, takenBy }: Kept): FoundTicket => ({ hash, ...ticket, takenBy })

const isOf = ({ ticket }: Kept, kind: TicketKind, owner: string): boolean =>
  ticket.kind === kind && ticket.owner === owner
