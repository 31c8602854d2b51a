/**
 * The service's handle of a sign-in in the browser host.
 *
 * @module
 */
import { signInErrorOf } from '../../signin/browser/errors.ts'
import type { SignInWanted } from '../../signin/browser/open.ts'
import type { Frame, SignedIn } from '../../signin/browser/types.ts'
import { resultOf } from './page-calls.ts'
import type { HostProcess } from './process.ts'
import type { SignInRequest } from './protocol.ts'

export type SignInHandle = {
  /**
   * Sends an input to the page. Inputs keep their order.
   *
   * @param input unvalidated; see `SignInInput`
   * @throws {SignInError} `bad-input` or `flooded`, and the sign-in continues; otherwise why it ended
   */
  send(input: unknown): Promise<void>
  /**
   * Returns the newest frame that was not taken yet, as soon as one is available. The browser makes further frames once
   * it is taken. Concurrent calls get the same frame.
   *
   * @param options `fresh`: makes a new frame of the current page now, for a viewer that has seen none
   * @throws {SignInError} why the sign-in ended
   */
  frame(options?: { readonly fresh?: boolean }): Promise<Frame>
  /** Ends the sign-in. Idempotent. */
  close(): void
  /** The result of the sign-in, for its opener only. @throws {SignInError} why it did not succeed */
  readonly outcome: Promise<SignedIn>
}

/**
 * Opens a sign-in in a host.
 *
 * @param signIn its number in the host
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
  // The opener may await it later.
  outcome.catch(() => {})
  return {
    outcome,
    send: async (input) => void (await ask({ type: 'input', signIn, input })),
    frame: ({ fresh = false } = {}) => ask({ type: 'frame', signIn, fresh }) as Promise<Frame>,
    // A sign-in that has ended is already closed.
    close: () => void ask({ type: 'end-sign-in', signIn }).catch(() => {}),
  }
}
