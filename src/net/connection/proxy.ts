/**
 * Connections through the configured proxy. The proxy resolves names itself, and may know names that this machine can't
 * resolve.
 *
 * @module
 */
import {
  type ClientRequest,
  request as httpRequest,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { withoutBrackets } from './checked-connect.ts'

const CONNECT_MS = 15_000

/**
 * Opens a connection to a host through a proxy, by CONNECT.
 *
 * @param host as in `URL.hostname`
 * @throws when the proxy can't be reached or refuses
 */
export function tunnel(proxy: URL, host: string, port: number): Promise<Socket> {
  const target = `${host}:${port}`
  const options = { agent: false, method: 'CONNECT', timeout: CONNECT_MS }
  const request = requestTo(proxy, target, { ...options, headers: { host: target, ...credentialsOf(proxy) } })
  return new Promise((go, fail) => {
    const refuse = (status = 0) => {
      fail(new Error(`the proxy responded with ${status}`))
      request.destroy()
    }
    request.on('error', fail)
    request.once('timeout', () => request.destroy(new Error('the proxy did not respond in time')))
    request.once('response', ({ statusCode }) => refuse(statusCode))
    request.once('connect', ({ statusCode = 0 }, socket, head) => {
      if (statusCode < 200 || statusCode > 299) return refuse(statusCode)
      socket.setTimeout(0)
      if (head.length > 0) socket.unshift(head)
      return go(socket as Socket)
    })
    request.end()
  })
}

/** The header with the credentials in a proxy's URL; no header without credentials. */
export function credentialsOf({ username, password }: URL): OutgoingHttpHeaders {
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return pair === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}

/**
 * Starts a request to the server of a URL.
 *
 * @param path the request target; for a proxy an absolute URL, or `host:port` for CONNECT
 */
export function requestTo(
  { protocol, hostname, port }: URL,
  path: string,
  options: RequestOptions,
): ClientRequest {
  const secure = protocol === 'https:'
  return (secure ? httpsRequest : httpRequest)({
    ...options,
    host: withoutBrackets(hostname),
    port: Number(port || (secure ? 443 : 80)),
    path,
  })
}
