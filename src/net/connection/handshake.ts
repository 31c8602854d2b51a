/**
 * The answers of a proxy before it joins two connections.
 *
 * @module
 */
import type { Socket } from 'node:net'
import { ExitFailed } from '../transport/transport.ts'

/**
 * Receives one answer, and leaves what follows it on the connection.
 *
 * @param lengthOf the length of the answer, as soon as its beginning tells it; undefined: not yet
 * @throws {ExitFailed} when the connection ends before, or with the error of `lengthOf`
 */
export function received(
  socket: Socket,
  lengthOf: (beginning: Buffer) => number | undefined,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let all: Buffer = Buffer.alloc(0)
    const stop = () => {
      socket.off('readable', read)
      for (const event of ['end', 'close', 'error']) socket.off(event, broken)
    }
    const broken = () => {
      stop()
      reject(new ExitFailed('it closed the connection'))
    }
    const read = () => {
      try {
        for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
          all = Buffer.concat([all, chunk as Buffer])
          const length = lengthOf(all)
          if (length === undefined || length > all.length) continue
          stop()
          if (length < all.length) socket.unshift(all.subarray(length))
          return resolve(all.subarray(0, length))
        }
      } catch (error) {
        stop()
        reject(error)
      }
    }
    socket.on('readable', read)
    for (const event of ['end', 'close', 'error']) socket.on(event, broken)
    if (socket.destroyed) broken()
  })
}
