/**
 * A sign-in as the service has it, which is in the browser host.
 *
 * @module
 */
import { SignInError } from '../signin/errors.ts'
import type { SignedIn, SignInEvent, SignInFrame } from '../signin/types.ts'
import type { FromHost, ToHost } from './protocol.ts'

/** A picture of the remote page; see {@link SignInFrame}. */
export type Frame = Omit<SignInFrame, 'jpeg'> & { readonly jpeg: Uint8Array }

export type SignInHandle = {
  /**
   * Passes an input on; inputs keep their order.
   *
   * @param input as it came from outside; see `SignInInput`
   * @throws {SignInError} `bad-input` or `flooded`, and it goes on; else why it is over
   */
  send(input: unknown): Promise<void>
  /**
   * The newest frame that was not taken yet, as soon as there is one. The browser makes the next ones when it was
   * taken. All who wait get the same.
   *
   * @param options `fresh`: one of what is shown now, at once, for who has seen none
   * @throws {SignInError} why it is over
   */
  frame(options?: { readonly fresh?: boolean }): Promise<Frame>
  /** What was told last of the address, of loading, of the focus and of its end: for who was not told. */
  current(): SignInEvent[]
  /** Ends it; again it does nothing. */
  close(): void
  /** What the person has signed in to, for who opened it alone. @throws {SignInError} why that did not come to be */
  readonly outcome: Promise<SignedIn>
}

type From<T extends FromHost['type']> = FromHost & { readonly type: T; readonly signIn: number }
export type FromSignIn = From<'opened' | 'sent' | 'frame' | 'event' | 'signed-in'>

/** Kept for who is told later. */
const KEPT: ReadonlySet<SignInEvent['type']> = new Set(['address', 'loading', 'focus', 'done', 'failed'])

export class RemoteSignIn implements SignInHandle {
  private readonly sending = new Map<number, PromiseWithResolvers<void>>()
  private readonly last = new Map<SignInEvent['type'], SignInEvent>()
  private readonly over = Promise.withResolvers<SignedIn>()
  private readonly opening = Promise.withResolvers<void>()
  private taker: PromiseWithResolvers<Frame> | undefined
  private sends = 0
  /** why it is over */
  private end: SignInError | undefined
  readonly outcome: Promise<SignedIn> = this.over.promise
  /** Resolves when its page is open. @throws {SignInError} why it does not open */
  readonly opened: Promise<void> = this.opening.promise

  constructor(
    private readonly signIn: number,
    private readonly tell: (message: ToHost) => void,
    private readonly onEvent: (event: SignInEvent) => void,
  ) {
    // Whoever opened it may ask for them later, or for one of them alone.
    this.outcome.catch(() => {})
    this.opened.catch(() => {})
  }

  send(input: unknown): Promise<void> {
    if (this.end) return Promise.reject(this.end)
    const id = ++this.sends
    const sent = Promise.withResolvers<void>()
    this.sending.set(id, sent)
    this.tell({ type: 'input', signIn: this.signIn, id, input })
    return sent.promise
  }

  frame({ fresh = false }: { readonly fresh?: boolean } = {}): Promise<Frame> {
    if (this.end) return Promise.reject(this.end)
    const isAsked = this.taker !== undefined
    this.taker ??= Promise.withResolvers()
    if (fresh || !isAsked) this.tell({ type: 'next-frame', signIn: this.signIn, fresh })
    return this.taker.promise
  }

  current(): SignInEvent[] {
    return [...this.last.values()]
  }

  close(): void {
    if (!this.end) this.tell({ type: 'end-sign-in', signIn: this.signIn })
  }

  /** What the host says of it. */
  receive(message: FromSignIn): void {
    if (message.type === 'opened') this.opening.resolve()
    else if (message.type === 'sent') this.sent(message)
    else if (message.type === 'frame') this.framed(message.frame)
    else if (message.type === 'event') this.told(message.event)
    else if ('code' in message.outcome)
      this.fail(new SignInError(message.outcome.code, message.outcome.message))
    else {
      this.ended(new SignInError('closed'))
      this.over.resolve(message.outcome)
    }
  }

  /** It is over without success; again it does nothing. */
  fail(error: SignInError): void {
    if (this.end) return
    const { code, message: text } = error
    // A host that has died could not say it.
    if (!this.last.has('failed')) this.told({ type: 'failed', code, text })
    this.ended(error)
    this.over.reject(error)
  }

  private sent({ id, fault }: From<'sent'>): void {
    const sent = this.sending.get(id)
    this.sending.delete(id)
    if (fault) sent?.reject(new SignInError(fault.code, fault.message))
    else sent?.resolve()
  }

  private framed({ jpeg, ...rest }: SignInFrame): void {
    const { taker } = this
    this.taker = undefined
    taker?.resolve({ ...rest, jpeg: Buffer.from(jpeg, 'base64') })
  }

  private told(event: SignInEvent): void {
    if (KEPT.has(event.type)) this.last.set(event.type, event)
    this.onEvent(event)
  }

  private ended(error: SignInError): void {
    this.end = error
    this.opening.reject(error)
    for (const sent of this.sending.values()) sent.reject(error)
    this.sending.clear()
    this.taker?.reject(error)
    this.taker = undefined
  }
}
