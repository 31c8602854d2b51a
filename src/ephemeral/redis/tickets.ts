/**
 * Tickets in Redis; see ticket-scripts.ts. They expire by the server's clock.
 *
 * @module
 */
import { clock } from '../../async/clock.ts'
import type { RedisConnection } from '../../redis/connection.ts'
import type { FoundTicket, Ticket, TicketKind, Tickets } from '../tickets.ts'
import { endTickets, listTickets, putTicket, takeTicket } from './ticket-scripts.ts'

const TICKET = 'gleaner:{people}:ticket:'
const ticketsOf = (kind: TicketKind, owner: string): string => `gleaner:{people}:${kind}:${owner}`

/** Opens the store on a connection, which the caller must close. */
export function openRedisTickets(redis: RedisConnection): Tickets {
  const put = async (hash: string, ticket: Ticket, mustBeThere: 0 | 1): Promise<void> => {
    const { kind, owner, expiresAt, text } = ticket
    const args = [
      TICKET + hash,
      ticketsOf(kind, owner),
      hash,
      kind,
      owner,
      expiresAt,
      text,
      clock.now(),
      mustBeThere,
    ]
    await redis.ask((client) => client.run(putTicket, args))
  }
  return {
    put: (hash, ticket) => put(hash, ticket, 0),
    replace: (hash, ticket) => put(hash, ticket, 1),
    async find(hash, now) {
      const fields = ['kind', 'owner', 'expires', 'text', 'taken']
      const values = await redis.ask((client) => client.hmget(TICKET + hash, fields))
      return foundOf([hash, ...values], now)
    },
    take: async (hash, by, now) =>
      (await redis.ask((client) => client.run(takeTicket, [TICKET + hash, by, now]))) === 1,
    async list(kind, owner, now) {
      const args = [ticketsOf(kind, owner), TICKET]
      const rows = (await redis.ask((client) => client.run(listTickets, args))) as Fields[]
      return rows.flatMap((fields) => foundOf(fields, now) ?? [])
    },
    async end(kind, owner, hashes) {
      if (hashes.length === 0) return
      await redis.ask((client) => client.run(endTickets, [ticketsOf(kind, owner), TICKET, ...hashes]))
    },
  }
}

type Fields = readonly (string | null)[]

/** @param fields the ticket's hash, then its fields */
function foundOf([hash, kind, owner, expires, text, taken]: Fields, now: number): FoundTicket | undefined {
  const expiresAt = Number(expires)
  if (!hash || !kind || !owner || !text || expiresAt <= now) return undefined
  return { hash, kind: kind as TicketKind, owner, expiresAt, text, takenBy: taken ?? null }
}
