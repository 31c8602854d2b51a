/**
 * A sign-in as the service has it, which is in the browser host.
 *
 * @module
 */
import { signInErrorOf } from '../signin/errors.ts'
import type { SignInWanted } from '../signin/open.ts'
import type { Frame, SignedIn } from '../signin/types.ts'
import { resultOf } from './page-calls.ts'
import type { HostProcess } from './process.ts'
import type { SignInRequest } from './protocol.ts'

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
  /** Ends it; again it does nothing. */
  close(): void
  /** What the person has signed in to, for who opened it alone. @throws {SignInError} why that did not come to be */
  readonly outcome: Promise<SignedIn>
}

/**
 * Opens a sign-in in a host.
 *
 * @param signIn its number there
 * @throws {SignInError} why it does not open
 */
export async function openSignIn(
  host: HostProcess,
  signIn: number,
  { site, login, viewport, onEvent }: SignInWanted,
): Promise<SignInHandle> {
  const ask = async (request: SignInRequest): Promise<unknown> => {
    try {
      return resultOf(await host.ask(request))
    } catch (error) {
      throw signInErrorOf(error)
    }
  }
  host.listeners.set(signIn, onEvent)
  await ask({ type: 'sign-in', signIn, site, login, viewport })
  const outcome = ask({ type: 'outcome', signIn }) as Promise<SignedIn>
  // Whoever opened it may ask for it later.
  outcome.catch(() => {})
  return {
    outcome,
    send: async (input) => void (await ask({ type: 'input', signIn, input })),
    frame: ({ fresh = false } = {}) => ask({ type: 'frame', signIn, fresh }) as Promise<Frame>,
    // One that is over is closed as it is.
    close: () => void ask({ type: 'end-sign-in', signIn }).catch(() => {}),
  }
}
