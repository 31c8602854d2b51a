/**
 * Commands that talk to a running service: where it is, the key to use there, and its answers.
 *
 * @module
 */
import { type Command, Option } from 'commander'
import { CommandFailed, UsageError } from './failure.ts'
import type { Io } from './io.ts'

/** What `--url` and `--key` brought. */
export type RemoteOptions = { readonly url?: string; readonly key?: string }

/** A running service, and an API key to use there. */
export type Remote = {
  /** without a slash at its end */
  readonly url: string
  readonly key: string
  /**
   * Sends a request with the key.
   *
   * @param path from the service's root, with its query
   * @returns the answer, whatever its status
   * @throws {CommandFailed} when nothing answers
   */
  send(path: string, init?: RequestInit): Promise<Response>
}

/** Adds `--url` and `--key` to a command. */
export const withRemote = (command: Command): Command =>
  command
    .addOption(
      new Option('--url <url>', 'Where the service is; GLEANER_URL, or http://127.0.0.1:PORT by default.'),
    )
    .addOption(new Option('--key <key>', 'The API key to use; GLEANER_API_KEY by default.'))

/**
 * The service that a command talks to.
 *
 * @throws {UsageError} without a key, or with an address that is none
 */
export function remoteOf({ env }: Io, options: RemoteOptions): Remote {
  const key = options.key ?? env.GLEANER_API_KEY
  if (!key) throw new UsageError('an API key is missing: set GLEANER_API_KEY, or add --key')
  // It becomes a header.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('the API key has characters that no key has')
  const url = addressOf(options.url ?? (env.GLEANER_URL || `http://127.0.0.1:${env.PORT || 3000}`))
  const send = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${key}`)
    try {
      return await fetch(url + path, { ...init, headers, redirect: 'error' })
    } catch (error) {
      if (init.signal?.aborted) throw error
      throw new CommandFailed(`No service answers at ${url}: ${reasonOf(error)}. Is it running? See --url.`)
    }
  }
  return { url, key, send }
}

/** @throws {UsageError} */
function addressOf(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw new UsageError(`"${text}" is not the address of a service, such as http://127.0.0.1:3000`)
  return url.href.replace(/\/+$/, '')
}

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  return (cause instanceof Error && cause.message ? cause.message : message).replace(/\.$/, '')
}

/** An answer that is an error, in words: those of its problem details, where it has them. */
export async function whatWentWrong(response: Response): Promise<string> {
  const text = await response.text()
  try {
    const { detail, code, request_id } = JSON.parse(text)
    if (typeof detail === 'string' && typeof code === 'string')
      return `${detail} (${response.status} ${code}, ${request_id})`
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  return `${response.url} answered ${response.status}, and not as Gleaner does.`
}
