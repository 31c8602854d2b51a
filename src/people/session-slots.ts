/**
 * What a session shows only once, such as a new key: stored for ten minutes and sealed with the session's secret, which
 * only the cookie contains. Whoever reads the store learns nothing.
 *
 * @module
 */
import { hash, hkdfSync } from 'node:crypto'
import { newSecret, type Tickets } from '../ephemeral/tickets.ts'
import { ID_BYTES, KEY_BYTES, seal, unseal } from '../vault/sealing.ts'

/** How long a text waits to be shown, in milliseconds. */
const KEPT_MS = 600_000

export class SessionSlots {
  constructor(
    private readonly tickets: Tickets,
    private readonly now: () => number,
  ) {}

  /**
   * Keeps a text until it is taken. It replaces the previous text of the same name.
   *
   * @param secret of the session
   * @param name of the page that will show it
   */
  async put(secret: string, name: string, text: string): Promise<void> {
    const { id, key } = slotOf(secret, name)
    const sealed = seal(key, Buffer.from(id, 'hex').subarray(0, ID_BYTES), Buffer.from(text), id)
    const expiresAt = this.now() + KEPT_MS
    await this.tickets.put(id, { kind: 'slot', owner: id, expiresAt, text: sealed.toString('base64') })
  }

  /** Takes a text, so that nobody can take it again; undefined if there is none. */
  async take(secret: string, name: string): Promise<string | undefined> {
    const { id, key } = slotOf(secret, name)
    const ticket = await this.tickets.find(id, this.now())
    if (!ticket || !(await this.tickets.take(id, newSecret(), this.now()))) return undefined
    await this.tickets.end('slot', id, [id])
    return unseal(key, Buffer.from(ticket.text, 'base64'), id).toString()
  }
}

/** The ticket's id, and the key that its text is sealed with. Neither can be computed without the session's secret. */
function slotOf(secret: string, name: string) {
  const id = hash('sha256', `slot ${secret} ${name}`)
  return { id, key: Buffer.from(hkdfSync('sha256', secret, '', 'gleaner session slot', KEY_BYTES)) }
}
