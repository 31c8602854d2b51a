/**
 * A proxy between a test and its S3 server that injects faults chosen by the test.
 *
 * @module
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { S3Bucket } from '../../src/artifacts/s3/settings.ts'

/** The parts of a request that a test can match. */
export type S3Request = {
  readonly method: string
  /** without the bucket's name */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  /** number of earlier requests with this method and path */
  readonly before: number
}

export type Fault =
  /** cuts the connection before anything is done */
  | 'drop'
  /** never answers */
  | 'hang'
  /** forwards the request and cuts the connection before the answer */
  | 'lose-answer'
  /** cuts the connection, or goes quiet, after the given number of bytes of the answer's body */
  | { readonly cutAfter: number; readonly quiet?: boolean }
  /** answers with this status and, if given, S3 error code or body */
  | { readonly status: number; readonly code?: string; readonly body?: string }

export type FaultyProxy = {
  /** the bucket, reached through the proxy */
  readonly bucket: S3Bucket
  /** all requests so far, like `PUT /key?uploadId` */
  readonly requests: string[]
  /** the fault for each request from now on; undefined forwards the request */
  fault: (request: S3Request) => Fault | undefined | Promise<Fault | undefined>
  /** The number of open connections to the proxy. */
  connections(): Promise<number>
  close(): Promise<void>
}

/** Starts a proxy in front of a bucket's server. */
export async function startFaultyProxy(bucket: S3Bucket): Promise<FaultyProxy> {
  const target = new URL(bucket.address)
  const counts = new Map<string, number>()
  const server = createServer(async (incoming, outgoing) => {
    incoming.on('error', () => {})
    outgoing.on('error', () => {})
    const url = new URL(incoming.url ?? '/', 'http://proxy')
    const path = url.pathname.slice(target.pathname.length)
    const name = `${incoming.method} ${path}${url.search && `?${[...url.searchParams.keys()].join('&')}`}`
    const before = counts.get(name) ?? 0
    counts.set(name, before + 1)
    proxy.requests.push(name)
    const { method = 'GET', headers } = incoming
    const fault = await proxy.fault({ method, path, query: url.searchParams, headers, before })
    if (fault === 'drop') incoming.socket.destroy()
    else if (fault === 'hang') incoming.resume()
    else if (typeof fault === 'object' && 'status' in fault) refuse(incoming, outgoing, fault)
    else forward(target, incoming, outgoing, fault)
  })
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  const { port } = server.address() as AddressInfo
  const proxy: FaultyProxy = {
    bucket: { ...bucket, address: `http://127.0.0.1:${port}${target.pathname}` },
    requests: [],
    fault: () => undefined,
    connections: () =>
      new Promise((tell, fail) => {
        server.getConnections((error, count) => (error ? fail(error) : tell(count)))
      }),
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
  return proxy
}

function refuse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, code, body }: { readonly status: number; readonly code?: string; readonly body?: string },
): void {
  incoming.resume().on('end', () => {
    outgoing.writeHead(status, { 'content-type': 'application/xml' })
    const text = body ?? (code ? `<Error><Code>${code}</Code><Message>said the test</Message></Error>` : '')
    outgoing.end(incoming.method === 'HEAD' ? undefined : text)
  })
}

function forward(
  target: URL,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fault: 'lose-answer' | { readonly cutAfter: number; readonly quiet?: boolean } | undefined,
): void {
  const options = {
    host: target.hostname,
    port: target.port,
    path: incoming.url,
    method: incoming.method,
    headers: { ...incoming.headers, connection: 'close' },
  }
  const onward = request(options, (answer) => {
    if (fault === 'lose-answer') {
      answer.resume().on('end', () => incoming.socket.destroy())
      return
    }
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
    if (fault === undefined) {
      answer.pipe(outgoing)
      return
    }
    let left = fault.cutAfter
    answer.on('data', (chunk: Buffer) => {
      if (left > 0) outgoing.write(chunk.subarray(0, left))
      left -= chunk.byteLength
    })
    answer.on('end', () => {
      if (!fault.quiet) setImmediate(() => incoming.socket.destroy())
    })
  })
  onward.on('error', () => incoming.socket.destroy())
  incoming.pipe(onward)
}
