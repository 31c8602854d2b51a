/**
 * Through the proxy that the settings name. It looks names up itself, and may know some that nobody here does.
 *
 * @module
 */
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { withoutBrackets } from './connect.ts'

const CONNECT_MS = 15_000

/** What a proxy wants to know of us; undefined when its address names no user. */
export function authorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

/**
 * A connection to a host through a proxy, by CONNECT.
 *
 * @param host as in `URL.hostname`
 * @throws when the proxy can't be reached or refuses
 */
export function tunnel(proxy: URL, host: string, port: number): Promise<Socket> {
  const { secure, ...address } = placeOf(proxy)
  const target = `${host}:${port}`
  const credentials = authorization(proxy)
  const request = (secure ? httpsRequest : httpRequest)({
    ...address,
    agent: false,
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...(credentials ? { 'proxy-authorization': credentials } : {}) },
    timeout: CONNECT_MS,
  })
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

/** Where a proxy listens, as connections want it. */
export function placeOf(proxy: URL): {
  readonly secure: boolean
  readonly host: string
  readonly port: number
} {
  const secure = proxy.protocol === 'https:'
  return { secure, host: withoutBrackets(proxy.hostname), port: Number(proxy.port || (secure ? 443 : 80)) }
}
