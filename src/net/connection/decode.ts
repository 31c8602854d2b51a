/**
 * Decompression of response bodies.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'

/** The supported encodings, as browsers list them. */
export const ENCODINGS = 'gzip, deflate, br, zstd'

const DECODERS: Readonly<Record<string, (first: number) => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  // Some servers send raw deflate without the zlib header, whose first byte has 8 as its low four bits.
  deflate: (first) => ((first & 0x0f) === 8 ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
}

/** More encodings than any server applies. Each takes a decoder's memory, and a header could name thousands. */
const MOST_ENCODINGS = 3

/**
 * The decoded body of a response, once its first bytes have arrived. Unknown encodings are not decoded. Destroying the
 * body destroys the response.
 *
 * @throws an error for more than {@link MOST_ENCODINGS} encodings; the response is destroyed
 */
export async function decoded(message: IncomingMessage): Promise<Readable> {
  const encodings = (message.headers['content-encoding'] ?? '').toLowerCase().split(',').reverse()
  if (encodings.length > MOST_ENCODINGS) {
    message.destroy()
    throw new Error(
      `the response has ${encodings.length} content encodings; at most ${MOST_ENCODINGS} are decoded`,
    )
  }
  const makers = encodings.map((name) => DECODERS[name.trim()])
  const unknown = makers.indexOf(undefined)
  const known = makers.slice(0, unknown < 0 ? undefined : unknown)
  // An empty body, e.g. of a response to HEAD, is not valid compressed data.
  const first = known.length > 0 ? await firstByte(message) : undefined
  if (first === undefined) return message
  const decoders = known.flatMap((make) => (make ? [make(first)] : []))
  // The reader of the last stream receives all errors.
  pipeline([message, ...decoders], () => {})
  return decoders.at(-1) ?? message
}

function firstByte(message: Readable): Promise<number | undefined> {
  return new Promise((go) => {
    const look = () => {
      const chunk = message.read() as Buffer | null
      if (chunk) message.unshift(chunk)
      go(chunk?.[0])
    }
    message.once('readable', look)
    // The reader receives the error, if any.
    message.once('close', () => go(undefined))
  })
}
