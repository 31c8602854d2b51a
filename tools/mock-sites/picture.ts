/**
 * Pictures for items of mock sites: a shape in a colour of its own, drawn from the path.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

const SIDE = 96

/** Whether a path names a picture. */
export const isPicture = (path: string): boolean => /\.(?:jpe?g|png|webp)(?:\?|$)/i.test(path)

/** The picture of a path as a PNG, always the same. */
export function picture(path: string): Uint8Array<ArrayBuffer> {
  const [red = 0, green = 0, blue = 0, radius = 0] = hash('sha256', path, 'buffer')
  const colours = [
    [red, green, blue].map((value) => 60 + value / 2),
    [red, green, blue].map((value) => 150 + value / 4),
  ]
  const rows = Array.from({ length: SIDE }, (_, y) => [
    0,
    ...Array.from({ length: SIDE }, (_, x) => {
      const isInside = (x - SIDE / 2) ** 2 + (y - SIDE / 2) ** 2 < (16 + radius / 10) ** 2
      return colours[isInside ? 0 : 1] ?? []
    }).flat(),
  ])
  const size = Buffer.alloc(8)
  size.writeUInt32BE(SIDE, 0)
  size.writeUInt32BE(SIDE, 4)
  // 8 bits a channel, red, green and blue.
  const header = Buffer.concat([size, Buffer.from([8, 2, 0, 0, 0])])
  return new Uint8Array(
    Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      chunk('IHDR', header),
      chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  )
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
