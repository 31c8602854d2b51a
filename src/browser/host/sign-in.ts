/**
 * Opens a sign-in in the browser host.
 *
 * @module
 */
import { signInErrorOf } from '../../signin/browser/errors.ts'
import type { SignInTarget } from '../../signin/browser/open.ts'
import type { Frame, SignedIn, SignInHandle } from '../../signin/browser/types.ts'
import { resultOf } from './page-calls.ts'
import type { HostProcess } from './process.ts'
import type { SignInRequest } from './protocol.ts'

/**
 * Opens a sign-in in a host.
 *
 * @param signIn its number in the host
 * @throws {SignInError} why it does not open
 */
export async function openSignIn(
  host: HostProcess,
  signIn: number,
  { site, login, viewport, exit, ...listener }: SignInTarget,
): Promise<SignInHandle> {
  const ask = async (request: SignInRequest): Promise<unknown> => {
    try {
      return resultOf(await host.ask(request))
    } catch (error) {
      throw signInErrorOf(error)
    }
  }
  host.listeners.set(signIn, listener)
  await ask({ type: 'sign-in', signIn, site, login, viewport, exit: exit && { url: exit.url } })
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
