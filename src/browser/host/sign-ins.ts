/**
 * The sign-ins of a browser host, as the service asks for them.
 *
 * @module
 */
import type { Browsers } from '../browsers.ts'
import { faultOfSignIn, SignInError, type SignInFault, signInErrorOf } from '../signin/errors.ts'
import type { SignIn } from '../signin/signin.ts'
import type { SignedIn } from '../signin/types.ts'
import { type FromHost, loginFromJson, siteFromJson, type ToHost } from './protocol.ts'

export type ToSignIn = ToHost & { readonly signIn: number }

export class SignIns {
  private readonly all = new Map<number, Promise<SignIn>>()

  constructor(
    private readonly browsers: Browsers,
    private readonly send: (message: FromHost) => void,
  ) {}

  /** Does what is asked. Never throws. */
  receive(message: ToSignIn): void {
    const opened = this.all.get(message.signIn)
    switch (message.type) {
      case 'sign-in':
        return void this.open(message)
      case 'input':
        return void this.input(message, opened)
      case 'next-frame':
        return void this.frame(message, opened)
      case 'end-sign-in':
        // One that does not open is over as it is.
        void opened?.then((signIn) => signIn.close()).catch(() => {})
    }
  }

  private async open(message: ToSignIn & { readonly type: 'sign-in' }): Promise<void> {
    const { signIn: number, viewport } = message
    const opening = this.browsers.signIn({
      site: siteFromJson(message.site),
      login: loginFromJson(message.login),
      viewport,
      onEvent: (event) => this.send({ type: 'event', signIn: number, event }),
    })
    this.all.set(number, opening)
    const outcome = await this.outcome(number, opening).catch((error) => this.faultOf(error))
    this.all.delete(number)
    this.send({ type: 'signed-in', signIn: number, outcome })
  }

  private async outcome(number: number, opening: Promise<SignIn>): Promise<SignedIn | SignInFault> {
    const signIn = await opening
    this.send({ type: 'opened', signIn: number })
    const outcome = await signIn.outcome.catch((error) => faultOfSignIn(error))
    await signIn.closed
    return outcome
  }

  /** Who opened it is told that something went wrong here; what it was is for the log. */
  private faultOf(error: unknown): SignInFault {
    const known = signInErrorOf(error)
    if (known !== error && known.code === 'defect')
      this.send({ type: 'failed', reason: error instanceof Error ? String(error.stack) : String(error) })
    return faultOfSignIn(known)
  }

  private async input(
    { signIn: number, id, input }: ToSignIn & { readonly type: 'input' },
    opened: Promise<SignIn> | undefined,
  ): Promise<void> {
    let fault: SignInFault | null = null
    try {
      if (!opened) throw new SignInError('closed')
      ;(await opened).send(input)
    } catch (error) {
      fault = this.faultOf(error)
    }
    this.send({ type: 'sent', signIn: number, id, fault })
  }

  private async frame(
    { signIn: number, fresh }: ToSignIn & { readonly type: 'next-frame' },
    opened: Promise<SignIn> | undefined,
  ): Promise<void> {
    try {
      const frame = await (await opened)?.frame(fresh)
      if (frame) this.send({ type: 'frame', signIn: number, frame })
    } catch {
      // There are no more: that it is over is said by its outcome.
    }
  }
}
