/**
 * The client for programs, as commands use it.
 *
 * @module
 */
import type { Gleaner } from '../../clients/typescript/src/index.ts'
import { CommandFailed } from './failure.ts'
import type { Io } from './io.ts'
import { type RemoteOptions, remoteOf } from './remote.ts'

/**
 * Talks to a running service.
 *
 * @param retryForS how long a call is repeated while the service can't be reached, in seconds; default: not at all
 * @throws {CommandFailed} with what the service, or the client, says of the failure
 */
export async function withClient<T>(
  io: Io,
  options: RemoteOptions,
  act: (gleaner: Gleaner) => Promise<T>,
  retryForS = 0,
): Promise<T> {
  const { url, key: apiKey } = remoteOf(io, options)
  const { Gleaner, GleanerError } = await import('../../clients/typescript/src/index.ts')
  try {
    return await act(new Gleaner({ url, apiKey, retryForS }))
  } catch (error) {
    if (!(error instanceof GleanerError)) throw error
    const fields = error.errors?.map(({ pointer, detail }) => `  ${pointer} ${detail}`) ?? []
    throw new CommandFailed([error.message, ...fields].join('\n'), { cause: error })
  }
}
