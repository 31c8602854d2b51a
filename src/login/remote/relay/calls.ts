/**
 * Calls of a gateway to the hosts of its sessions, until they have a reply or their time is up.
 *
 * @module
 */
import { withTimeout } from '../../../async/delay.ts'
import { SignInError } from '../../../browser/signin/errors.ts'
import { type Call, MOST_CALL_BYTES, opened, type Reply, replyIn, sealed, sessionOf } from './messages.ts'
import type { SessionSeal } from './seal.ts'
import type { SignInTransport } from './transport.ts'
import type { Trouble } from './trouble.ts'

type Open = {
  readonly id: string
  readonly seal: SessionSeal
  readonly replied: (reply: Reply) => void
}

export class Calls {
  private readonly open = new Map<number, Open>()
  private last = 0

  /** @param gateway the name that replies are sent to */
  constructor(
    private readonly gateway: string,
    private readonly transport: Pick<SignInTransport, 'call'>,
    private readonly trouble: Trouble,
  ) {}

  /**
   * Calls, once.
   *
   * @param ms how long the reply may take, in milliseconds; null: none is waited for
   * @throws {SignInError} what the reply says, or why the call was not passed on; `browser-ended` when there is no reply
   */
  async make(id: string, seal: SessionSeal, call: Call, ms: number | null): Promise<Reply | undefined> {
    const n = ++this.last
    const bytes = sealed(seal, 'call', { gateway: this.gateway, n, call })
    if (bytes.length > MOST_CALL_BYTES) throw new SignInError('bad-input')
    const { promise, resolve: replied } = Promise.withResolvers<Reply | undefined>()
    if (ms === null) replied(undefined)
    else this.open.set(n, { id, seal, replied })
    const called = this.transport.call(id, bytes).then((why) => {
      if (why !== undefined) throw new SignInError(why)
      return promise
    })
    try {
      const reply = await withTimeout(ms ?? SENT_MS, called, () => new SignInError('browser-ended'))
      if (reply?.type === 'fault') throw new SignInError(reply.fault.code, reply.fault.message)
      return reply
    } catch (error) {
      if (error instanceof SignInError) throw error
      this.trouble.failed(error, 'a sign-in could not be reached')
      throw new SignInError('browser-ended')
    } finally {
      this.open.delete(n)
    }
  }

  /** A reply has come. What nobody waits for any more is let go. */
  receive(bytes: Buffer): void {
    const id = sessionOf(bytes)
    const seal = [...this.open.values()].find((open) => open.id === id)?.seal
    if (!seal) return
    const sent = opened(seal, 'reply', replyIn(bytes))
    if (!sent) this.trouble.failed(undefined, 'a reply of a sign-in was not sealed by a key of ours')
    else if (this.open.get(sent.n)?.id === id) this.open.get(sent.n)?.replied(sent.reply)
  }
}

const SENT_MS = 3000
