/**
 * Requests to a server of this program on this machine. They go straight to it, unlike `fetch`, which would send them to
 * the proxy that HTTP_PROXY names.
 *
 * @module
 */
import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

export type OwnAnswer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

type Sent = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** how long the server may be silent, in milliseconds */
  readonly silentMs?: number
}

/** Sends a request. A redirect is returned, not followed. @throws when nobody answers in time */
export async function askOwnServer(
  url: string,
  { method = 'GET', headers = {}, body, silentMs = 10_000 }: Sent = {},
): Promise<OwnAnswer> {
  const sent = request(url, { method, headers, agent: false, timeout: silentMs })
  sent.on('timeout', () => sent.destroy(new Error(`${url} did not answer within ${silentMs / 1000} s`)))
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) }
}
