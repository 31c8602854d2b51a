/**
 * An S3 server in a separate process: s3rver, on a free port, with one bucket. It prints its port on stdout and exits
 * when its stdin ends. It checks access keys but no signatures, and lacks conditional writes and the listing and
 * aborting of incomplete uploads.
 *
 * Argument: its data folder.
 *
 * @module
 */
import { createRequire } from 'node:module'
import { finished } from 'node:stream/promises'

const require = createRequire(import.meta.url)
// biome-ignore lint/suspicious/noExplicitAny: the package has no types
const S3rver: any = require('s3rver')
// biome-ignore lint/suspicious/noExplicitAny: the package has no types
const Store: any = require('s3rver/lib/stores/filesystem')
const fs = require('fs-extra')

// s3rver answers before the last bytes are in the file, so a reader could find less than was written.
const createWriteStream = fs.createWriteStream
const writing = new Set<Promise<unknown>>()
fs.createWriteStream = (...args: unknown[]) => {
  const stream = createWriteStream(...args)
  const end: Promise<unknown> = finished(stream)
    .catch(() => {})
    .then(() => writing.delete(end))
  writing.add(end)
  return stream
}
for (const name of ['putObject', 'putPart']) {
  const write = Store.prototype[name]
  Store.prototype[name] = async function (...args: unknown[]) {
    const written = await write.apply(this, args)
    // A write whose client disconnected in the middle never ends.
    await Promise.race([Promise.all(writing), new Promise((go) => setTimeout(go, 200))])
    return written
  }
}

// s3rver lists in the order of readdir, which Node sorts and Bun does not.
const node = require('node:fs')
for (const module of [node, fs]) {
  const readdirSync = module.readdirSync
  module.readdirSync = (...args: unknown[]) => readdirSync(...args).sort()
}

// s3rver encrypts the continuation token of a list with DES, which runtimes no longer support. Nobody uses the token.
const crypto = require('node:crypto')
crypto.createCipheriv = () => ({ update: () => Buffer.of(), final: () => Buffer.of() })

const directory = process.argv[2]
const server = new S3rver({
  directory,
  address: '127.0.0.1',
  port: 0,
  silent: true,
  vhostBuckets: false,
  configureBuckets: [{ name: 'gleaner' }],
})
const { port } = await server.run()
process.stdout.write(`${port}\n`)
process.stdin.on('end', () => process.exit(0)).resume()
