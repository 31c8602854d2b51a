/**
 * A capture as it is stored: the cassette's JSON text, compressed.
 *
 * @module
 */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Cassette } from '../../plugin/testing/cassette.ts'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

export const pack = (cassette: Cassette): Promise<Uint8Array> => compress(JSON.stringify(cassette))

/** @throws when it was not made by {@link pack} */
export const unpack = async (body: Uint8Array): Promise<Cassette> =>
  JSON.parse((await decompress(body)).toString()) as Cassette
