/**
 * A relay that counts what passes over the wire.
 *
 * @module
 */
import { connect } from 'node:net'
import { serveRaw } from './servers.ts'

export type Relay = {
  readonly port: number
  /** the bytes that passed, in both directions */
  readonly bytes: () => number
}

/** Starts a relay. @param target the port that it leads to */
export async function relayTo(target: number): Promise<Relay> {
  let bytes = 0
  const port = await serveRaw((socket) => {
    const onward = connect(target, '127.0.0.1')
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      one.on('error', () => {})
      one.on('close', () => other.destroy())
      one.pipe(other)
    }
  })
  return { port, bytes: () => bytes }
}
