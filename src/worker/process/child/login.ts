/**
 * Whether a source still accepts a login, asked before the run that is to use it.
 *
 * @module
 */
import { LoginNeeded, SourceError } from '../../../plugin/errors.ts'
import type { Context } from '../../../plugin.ts'
import type { Job } from '../protocol.ts'
import type { Loaded } from './execution.ts'

const TIMEOUT_S = 10

/**
 * Asks the address that the source names for it, when the login has not proved itself for a while.
 *
 * @throws {LoginNeeded} when it sends the run to sign in. Any other trouble tells nothing, and the run goes on
 */
export async function checkLogin({ login }: Job, { source }: Loaded, context: Context): Promise<void> {
  const address = source.login?.check
  if (!login?.check || address === undefined) return
  try {
    const reply = await context.fetch(address, { accept: [401, 403], tries: 1, timeoutS: TIMEOUT_S })
    await reply.text()
    if (reply.status >= 400) throw new LoginNeeded(`the source answers ${reply.status} to the login`)
  } catch (error) {
    if (!(error instanceof SourceError) || error.code === 'source-login-required') throw error
  }
}
