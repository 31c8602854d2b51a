/**
 * Answers that no source should give, and a server that gives one of them to every request.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, deflateRawSync } from 'node:zlib'
import { startSite } from '../../rigs/servers/site.ts'
import type { Source } from '../../src/plugin.ts'

/** Acceptable error codes for an unknown answer. */
export const UNKNOWN: readonly string[] = ['source-changed', 'source-blocked']
/** Acceptable error codes for an empty answer. */
export const NOTHING: readonly string[] = [...UNKNOWN, 'source-unavailable', 'source-rate-limited']

/** Answers one request; resolves when everything is sent. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

const MIB = 1024 * 1024

/** A complete answer. */
export const page =
  (body: string | Buffer, type = 'text/html; charset=utf-8', status = 200): Answer =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body)

/** A body that arrives slowly and never ends. */
export const trickle: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = setInterval(() => response.write(' '), 100)
  response.on('close', () => clearInterval(more))
}

/** Never sends headers. */
export const silence: Answer = () => {}

/** A connection that breaks within the body. */
export const cut: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"data":', () => response.destroy())
}

/** A gibibyte as fast as the client reads it. @param withLength with a Content-Length */
export const gibibyte =
  (withLength: boolean): Answer =>
  (_, response) => {
    const length = withLength ? { 'content-length': String(1024 * MIB) } : {}
    response.writeHead(200, { 'content-type': 'application/json', ...length })
    return pour(response, Buffer.alloc(MIB, ' '), 1024)
  }

/** A mebibyte that decompresses to a gibibyte. */
export const bomb: Answer = async (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
  response.write(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]))
  // A block without back references can be repeated.
  const block = deflateRawSync(Buffer.alloc(MIB, ' '), { finishFlush: constants.Z_FULL_FLUSH })
  await pour(response, block, 1024)
}

/** Sends a piece the given number of times, or until the client disconnects. */
async function pour(response: ServerResponse, piece: Buffer, times: number): Promise<void> {
  try {
    await pipeline(Readable.from(Array.from({ length: times }, () => piece)), response)
  } catch (error) {
    if (!response.destroyed) throw error
  }
}

/** Forbidden targets of a redirect; {@link place} fills in the host. */
export const REDIRECTS = {
  'to a file': 'file:///etc/passwd',
  'to this machine': 'http://127.0.0.1:22/',
  'to this machine, by name': 'http://localhost/',
  'to this machine, as a number': 'http://2130706433/',
  'to this machine, in octal': 'http://0177.0.0.1/',
  'to this machine, as IPv6': 'http://[::1]/',
  'to this machine, as mapped IPv6': 'http://[::ffff:127.0.0.1]/',
  'to the metadata of a cloud': 'http://169.254.169.254/latest/meta-data/',
  'to a script': 'javascript:alert(1)',
  'to data': 'data:text/html,hello',
  'to a host that begins like the source': 'https://HOST.evil.example/',
  'to a host that ends like the source': 'https://evilDOMAIN/',
  'to a host that looks like the source': 'https://LOOKS/',
  'to the source with user info': 'https://user:password@HOST/',
  'to another port of the source': 'https://HOST:8443/',
  'to an invalid address': 'https://[',
} as const

/** Fills a source's host name or domain into such a target. */
export const place =
  (target: string) =>
  (host: string): string => {
    const domain = host.replace(/^(?:www|en)\./, '')
    // Cyrillic look-alikes.
    const looks = domain.replace(/[aeo]/, (letter) => ({ a: '\u0430', e: '\u0435', o: '\u043e' })[letter]!)
    return target.replace('HOST', host).replace('DOMAIN', domain).replace('LOOKS', looks)
  }

/** A redirect to an address built from the source's host name, which is the first part of the path. */
export const redirect =
  (to: (host: string) => string): Answer =>
  (request, response) =>
    void response.writeHead(302, { location: encodeURI(to(hostOf(request))) }).end()

/** A redirect within the source, and from there to the target. */
export const secondHop =
  (to: (host: string) => string): Answer =>
  (request, response) => {
    const location = request.url?.endsWith('/hop')
      ? encodeURI(to(hostOf(request)))
      : `/${hostOf(request)}/hop`
    response.writeHead(302, { location }).end()
  }

const hostOf = ({ url = '/' }: IncomingMessage): string => url.split('/')[1] ?? ''

/** A redirect to itself. */
export const loop: Answer = ({ url = '/' }, response) => void response.writeHead(302, { location: url }).end()

/** A server that gives the current answer to all requests. */
export async function startHostile() {
  let answer: Answer = silence
  const site = await startSite((request, response) => {
    request.resume()
    Promise.resolve(answer(request, response)).catch((error) => response.destroy(error))
  })
  return {
    /** Replaces a source's origin; the path has the source's host name, so answers can be built from it. */
    originOf: ({ origin }: Pick<Source, 'origin'>): string => `${site.origin}/${new URL(origin).hostname}`,
    answerWith(next: Answer): void {
      answer = next
    },
    stop: site.stop,
  }
}
