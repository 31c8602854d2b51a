/**
 * A proxy between a process and one of its stores that simulates a bad network.
 *
 * @module
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type TcpProxy = {
  readonly port: number
  /** the delay in milliseconds, in both directions */
  delayMs: number
  /** Cuts all connections. */
  cut(): void
  /** From now on the open connections deliver requests but drop all answers. */
  halve(): void
  /** Whether new connections are closed at once. */
  refuse: boolean
  close(): Promise<void>
}

type Pair = { readonly client: Socket; readonly server: Socket; halved: boolean }

/** Starts a proxy in front of a local port. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  const listener = createServer((client) => {
    if (proxy.refuse) {
      client.destroy()
      return
    }
    const pair: Pair = { client, server: connect(target, '127.0.0.1'), halved: false }
    pairs.add(pair)
    pass(client, pair.server, () => true)
    pass(pair.server, client, () => !pair.halved)
    for (const socket of [client, pair.server]) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        pairs.delete(pair)
        client.destroy()
        pair.server.destroy()
      })
    }
  })
  /** Keeps the order, whatever the delay of each piece. */
  function pass(from: Socket, to: Socket, mayPass: () => boolean): void {
    let before: Promise<unknown> = Promise.resolve()
    from.on('data', (piece) => {
      const { delayMs } = proxy
      const late = delayMs === 0 ? undefined : new Promise((go) => setTimeout(go, delayMs))
      before = Promise.all([before, late]).then(() => {
        if (mayPass() && to.writable) to.write(piece)
      })
    })
    from.on('end', () => void before.then(() => to.end()))
  }
  await new Promise<void>((go) => listener.listen(0, '127.0.0.1', go))
  const cut = () => {
    for (const { client, server } of pairs) {
      client.destroy()
      server.destroy()
    }
  }
  const proxy: TcpProxy = {
    port: (listener.address() as AddressInfo).port,
    delayMs: 0,
    refuse: false,
    cut,
    halve() {
      for (const pair of pairs) pair.halved = true
    },
    close() {
      cut()
      return new Promise((resolve) => listener.close(() => resolve()))
    },
  }
  return proxy
}
