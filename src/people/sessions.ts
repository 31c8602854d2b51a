/**
 * Sessions of signed-in browsers. A session is identified by 256 random bits in a cookie; only their hash is stored.
 *
 * @module
 */
import type { AccountId, PersonId } from '../domain/ids.ts'
import type { Person } from '../domain/person.ts'
import { endAll, type FoundTicket, idOf, newSecret, type Tickets } from '../ephemeral/tickets.ts'

/** A person who may begin a session, as they were before they proved who they are. */
export type Proven = Pick<Person, 'personId' | 'epoch'>

/** A person who has just joined. */
export const joined = (personId: PersonId): Proven => ({ personId, epoch: 0 })

/** A stored session. Times are milliseconds since 1970. */
export type Session = {
  /** hash of its secret; identifies the session in lists and when it is ended */
  readonly id: string
  readonly personId: PersonId
  readonly createdAt: number
  readonly usedAt: number
  /** User-Agent of the browser */
  readonly agent: string
  /** the account whose pages were viewed last */
  readonly account: AccountId | undefined
  /** {@link Person.epoch} when the session began */
  readonly epoch: number
}

type Kept = Omit<Session, 'id' | 'personId'>

/** Lifetimes after the last use, and in total, in milliseconds. */
const IDLE_MS = 14 * 86_400_000
const LONGEST_MS = 90 * 86_400_000
/** Minimum interval between two recorded uses, in milliseconds. */
const NOTE_MS = 60_000
const MOST_AGENT = 200

/**
 * Whether a session still counts for its person. Its time alone does not show this: the password may change after it
 * was checked and before the session begins.
 */
export const isCurrent = ({ createdAt, epoch }: Session, person: Person): boolean =>
  createdAt >= person.sessionsSince && epoch === person.epoch

export class Sessions {
  constructor(
    private readonly tickets: Tickets,
    private readonly now: () => number,
  ) {}

  /** Begins a session. @returns its secret for the cookie, which is not stored */
  async begin({ personId, epoch }: Proven, agent: string, account?: AccountId): Promise<string> {
    const secret = newSecret()
    const now = this.now()
    const kept = { createdAt: now, usedAt: now, agent: agent.slice(0, MOST_AGENT), account, epoch }
    await this.tickets.put(idOf(secret), ticketOf(personId, kept))
    return secret
  }

  /** The session of a secret; undefined when the secret is unknown or its session has ended. */
  async find(secret: string): Promise<Session | undefined> {
    const id = idOf(secret)
    const ticket = await this.tickets.find(id, this.now())
    return ticket?.kind === 'session' ? sessionOf(ticket) : undefined
  }

  /** Records that a session was used, and in which account. */
  async use(session: Session, account: AccountId | undefined = session.account): Promise<void> {
    const now = this.now()
    if (now - session.usedAt < NOTE_MS && account === session.account) return
    await this.tickets.replace(session.id, ticketOf(session.personId, { ...session, usedAt: now, account }))
  }

  /** The sessions of a person, the most recently used first. */
  async list(personId: PersonId): Promise<readonly Session[]> {
    const tickets = await this.tickets.list('session', personId, this.now())
    return tickets.map(sessionOf).toSorted((a, b) => b.usedAt - a.usedAt)
  }

  /** Ends one session of a person. */
  end(personId: PersonId, id: string): Promise<void> {
    return this.tickets.end('session', personId, [id])
  }

  /** Ends all sessions of a person. */
  endAll(personId: PersonId): Promise<void> {
    return endAll(this.tickets, 'session', personId, this.now())
  }
}

function ticketOf(personId: PersonId, { createdAt, usedAt, agent, account, epoch }: Kept) {
  const expiresAt = Math.min(usedAt + IDLE_MS, createdAt + LONGEST_MS)
  const text = JSON.stringify({ createdAt, usedAt, agent, account, epoch } satisfies Kept)
  return { kind: 'session', owner: personId, expiresAt, text } as const
}

function sessionOf({ hash, owner, text }: FoundTicket): Session {
  return { id: hash, personId: owner as PersonId, ...(JSON.parse(text) as Kept) }
}
