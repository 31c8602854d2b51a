/**
 * Through the proxy that the settings name. It looks names up itself, and may know some that nobody here does.
 *
 * @module
 */
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { withoutBrackets } from './connect.ts'

const CONNECT_MS = 15_000
/** The head of a proxy's answer is short. */
const MOST_HEAD = 16 * 1024

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
export async function tunnel(proxy: URL, host: string, port: number): Promise<Socket> {
  const socket = dial(proxy)
  const credentials = authorization(proxy)
  const lines = [
    `CONNECT ${host}:${port} HTTP/1.1`,
    `Host: ${host}:${port}`,
    ...(credentials ? [`Proxy-Authorization: ${credentials}`] : []),
  ]
  return new Promise((go, fail) => {
    const give = (error: Error) => {
      socket.destroy()
      fail(error)
    }
    let head = Buffer.alloc(0)
    const read = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0)
        return head.length > MOST_HEAD ? give(new Error('the proxy sent no valid response')) : undefined
      socket.off('data', read)
      socket.off('error', give)
      socket.setTimeout(0)
      socket.pause()
      const rest = head.subarray(end + 4)
      if (rest.length > 0) socket.unshift(rest)
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1'))?.[1]
      return status?.startsWith('2') ? go(socket) : give(new Error(`the proxy responded with ${status}`))
    }
    socket.setTimeout(CONNECT_MS, () => give(new Error('the proxy did not respond in time')))
    socket.once('error', give)
    socket.once('end', () => give(new Error('the proxy closed the connection')))
    socket.on('data', read)
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
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

function dial(proxy: URL): Socket {
  const { secure, host, port } = placeOf(proxy)
  return secure ? connectTls({ host, port, servername: host }) : connect(port, host)
}
