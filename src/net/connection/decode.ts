/**
 * Bodies as they were before they were compressed for the way.
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

/** What is understood, as browsers say it. */
export const ENCODINGS = 'gzip, deflate, br, zstd'

const DECODERS: Readonly<Record<string, (first: number) => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  // Some servers mean by it what has no head: the head's first byte ends in 8.
  deflate: (first) => ((first & 0x0f) === 8 ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
}

/**
 * The body of an answer, once its first bytes are there. An encoding that is not known is left as it is. When the body
 * is destroyed, so is the answer.
 */
export async function decoded(message: IncomingMessage): Promise<Readable> {
  const encodings = (message.headers['content-encoding'] ?? '').toLowerCase().split(',').reverse()
  const makers = encodings.map((name) => DECODERS[name.trim()])
  const unknown = makers.indexOf(undefined)
  const known = makers.slice(0, unknown < 0 ? undefined : unknown)
  // An empty body, of the answer to HEAD for one, is no compressed one.
  const first = known.length > 0 ? await firstByte(message) : undefined
  if (first === undefined) return message
  const decoders = known.flatMap((make) => (make ? [make(first)] : []))
  // Who reads the last one hears of every error.
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
    // Whatever broke, it is told to who reads.
    message.once('close', () => go(undefined))
  })
}
