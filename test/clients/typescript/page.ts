/**
 * A web site that uses the client: its page, the client's files, and a proxy to the service on the same origin. The
 * service does not answer pages of other origins.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Project } from './package.ts'

/** Starts a site: `/client/` is the client, `/story.mjs` the test program, `/` an empty page; the rest is proxied. */
export async function startSite(
  project: Project,
  service: string,
): Promise<{ readonly origin: string; stop(): void }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    const file = pathname.startsWith('/client/')
      ? join(project.client, 'dist', pathname.slice('/client/'.length))
      : join(project.path, pathname.slice(1))
    if (pathname === '/')
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>A page</title>')
    else if (/\.m?js$/.test(pathname) && existsSync(file)) {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(file))
    } else {
      const { method, headers } = request
      const onward = send(service + request.url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      onward.on('error', () => response.destroy())
      response.on('close', () => onward.destroy())
      request.pipe(onward)
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
