/**
 * The address and the API key for commands that call a running service.
 *
 * @module
 */
import type { Command } from 'commander'
import type { Gleaner } from '../../clients/typescript/src/index.ts'
import { CommandFailed, UsageError } from './failure.ts'
import type { Io } from './io.ts'

/** The values of `--url` and `--key`. */
export type RemoteOptions = { readonly url?: string; readonly key?: string }

/** A running service, and an API key to use there. */
export type Remote = {
  /** without a trailing slash */
  readonly url: string
  readonly key: string
}

/** Adds `--url` and `--key` to a command. */
export const withRemote = (command: Command): Command =>
  command
    .option('--url <url>', 'Where the service is; GLEANER_URL, or http://127.0.0.1:PORT by default.')
    .option('--key <key>', 'The API key to use; GLEANER_API_KEY by default.')

/**
 * The service that a command talks to.
 *
 * @throws {UsageError} without a key, or with an invalid address
 */
export function remoteOf({ env }: Io, options: RemoteOptions): Remote {
  const key = options.key ?? env.GLEANER_API_KEY
  if (!key) throw new UsageError('an API key is missing: set GLEANER_API_KEY, or add --key')
  // The key becomes a header.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('the API key contains invalid characters')
  return { url: addressOf(options.url ?? (env.GLEANER_URL || `http://127.0.0.1:${env.PORT || 3000}`)), key }
}

/**
 * Calls a running service with the TypeScript client.
 *
 * @param retryForS how long a call is retried while the service can't be reached, in seconds; default: no retries
 * @throws {CommandFailed} with the error message of the service or the client
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

/** @throws {UsageError} */
function addressOf(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw new UsageError(`"${text}" is not the address of a service, such as http://127.0.0.1:3000`)
  return url.href.replace(/\/+$/, '')
}
