/**
 * A fake browser for sign-ins: the test decides what its pages show, which events they send and how they end.
 *
 * @module
 */

import { SignInError, type SignInErrorCode } from '../../../src/signin/browser/errors.ts'
import type { Frame, SignedIn, SignInEvent, Viewport } from '../../../src/signin/browser/types.ts'
import type { SessionDeps } from '../../../src/signin/remote/session.ts'

/** A frame whose image data is a text. */
export const frameOf = (picture: string): Frame => ({
  jpeg: new TextEncoder().encode(picture),
  width: 800,
  height: 600,
  scroll: { x: 0, y: 7 },
})
export const pictureIn = ({ jpeg }: Frame): string => new TextDecoder().decode(jpeg)

export class FakePage {
  readonly inputs: unknown[] = []
  isClosed = false
  private readonly over = Promise.withResolvers<SignedIn>()
  private shown = frameOf('blank')
  private isTaken = true
  private taker: PromiseWithResolvers<Frame> | undefined
  readonly outcome: Promise<SignedIn> = this.over.promise

  constructor(
    private readonly onEvent: (event: SignInEvent) => void,
    readonly viewport?: Viewport,
  ) {
    this.outcome.catch(() => {})
  }

  /** Sends an event of the page. */
  tell(event: SignInEvent): void {
    this.onEvent(event)
  }

  /** Changes the picture of the page. */
  show(picture: string): void {
    this.shown = frameOf(picture)
    this.isTaken = false
    if (this.taker) this.take()
  }

  /** Whether a call waits for a frame. */
  get isAsked(): boolean {
    return this.taker !== undefined
  }

  signedIn(signedIn: SignedIn): void {
    this.over.resolve(signedIn)
  }

  fail(error: SignInError): void {
    this.over.reject(error)
    this.taker?.reject(error)
  }

  /** Refuses an input with a `refuse` property, with that code. */
  async send(input: unknown): Promise<void> {
    const { refuse } = (input ?? {}) as { refuse?: SignInErrorCode }
    if (refuse) throw new SignInError(refuse)
    this.inputs.push(input)
  }

  frame({ fresh = false }: { readonly fresh?: boolean } = {}): Promise<Frame> {
    this.taker ??= Promise.withResolvers()
    const { promise } = this.taker
    if (fresh || !this.isTaken) this.take()
    return promise
  }

  close(): void {
    this.isClosed = true
    this.fail(new SignInError('closed'))
  }

  private take(): void {
    this.isTaken = true
    this.taker?.resolve(this.shown)
    this.taker = undefined
  }
}

/** A fake browser, with its pages in the order in which they were opened. */
export function fakeBrowser(): { readonly browser: SessionDeps['browser']; readonly pages: FakePage[] } {
  const pages: FakePage[] = []
  const browser: SessionDeps['browser'] = () => ({
    async signIn({ onEvent, viewport }) {
      const page = new FakePage(onEvent, viewport)
      pages.push(page)
      return page
    },
  })
  return { browser, pages }
}
