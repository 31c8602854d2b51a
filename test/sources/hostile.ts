/**
 * Answers that no source should give, and a server that gives one of them to every request.
 *
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, deflateRawSync } from 'node:zlib'
import type { Source } from '../../src/plugin.ts'

/** How a run may end whose answer is something else. */
export const UNKNOWN: readonly string[] = ['source-changed', 'source-blocked']
/** How one may end that is answered nothing at all. */
export const NOTHING: readonly string[] = [...UNKNOWN, 'source-unavailable', 'source-rate-limited']

/** Answers one request; resolves when there is nothing more to send. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

const MIB = 1024 * 1024

/** A whole answer. */
export const page =
  (body: string | Buffer, type = 'text/html; charset=utf-8', status = 200): Answer =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body)

/** A body that comes slowly and never ends. */
export const trickle: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = setInterval(() => response.write(' '), 100)
  response.on('close', () => clearInterval(more))
}

/** Headers that never come. */
export const silence: Answer = () => {}

/** A connection that breaks within the body. */
export const cut: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"data":', () => response.destroy())
}

/** A gibibyte as fast as it is taken; `told`: with its length. */
export const gibibyte =
  (told: boolean): Answer =>
  (_, response) => {
    const length = told ? { 'content-length': String(1024 * MIB) } : {}
    response.writeHead(200, { 'content-type': 'application/json', ...length })
    return pour(response, Buffer.alloc(MIB, ' '), 1024)
  }

/** A mebibyte that is a gibibyte when it is unpacked. */
export const bomb: Answer = async (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
  response.write(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]))
  // A block that refers to nothing before it may be repeated.
  const block = deflateRawSync(Buffer.alloc(MIB, ' '), { finishFlush: constants.Z_FULL_FLUSH })
  await pour(response, block, 1024)
}

/** Sends a piece so many times, until whoever asked has had enough and hangs up. */
async function pour(response: ServerResponse, piece: Buffer, times: number): Promise<void> {
  try {
    await pipeline(Readable.from(Array.from({ length: times }, () => piece)), response)
  } catch (error) {
    if (!response.destroyed) throw error
  }
}

/** Where a redirect must not lead; see {@link place} for what is put in. */
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
  'to what is no address': 'https://[',
} as const

/** Puts a source's host name, or its domain, into such an address. */
export const place =
  (target: string) =>
  (host: string): string => {
    const domain = host.replace(/^(?:www|en)\./, '')
    // Letters of another script.
    const looks = domain.replace(/[aeo]/, (letter) => ({ a: '\u0430', e: '\u0435', o: '\u043e' })[letter]!)
    return target.replace('HOST', host).replace('DOMAIN', domain).replace('LOOKS', looks)
  }

/** A redirect to an address that is made of the source's host name, which the path begins with. */
export const redirect =
  (to: (host: string) => string): Answer =>
  (request, response) =>
    void response.writeHead(302, { location: encodeURI(to(hostOf(request))) }).end()

/** A redirect within the source, and from there to somewhere else. */
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

/** A server that answers all requests with what it was last told to. */
export async function startHostile() {
  let answer: Answer = silence
  const server = createServer((request, response) => {
    request.resume()
    Promise.resolve(answer(request, response)).catch((error) => response.destroy(error))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    /** What stands for a source's origin; the host's name stands in the path, so that answers can be made of it. */
    originOf: ({ origin }: Pick<Source, 'origin'>): string =>
      `http://127.0.0.1:${port}/${new URL(origin).hostname}`,
    answerWith(next: Answer): void {
      answer = next
    },
    async stop(): Promise<void> {
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
}
