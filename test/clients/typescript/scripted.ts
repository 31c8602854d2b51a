/**
 * A service that gives scripted answers, request by request.
 *
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ReceivedRequest = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}
/** Answers a request. The last step of a script answers all further requests. */
export type Step = (response: ServerResponse, request: ReceivedRequest) => void

/** A JSON answer. */
export const answer =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Step =>
  (response) =>
    response
      .writeHead(status, {
        'content-type': status < 400 ? 'application/json' : 'application/problem+json',
        ...headers,
      })
      .end(body === undefined ? undefined : JSON.stringify(body))

/** A problem answer of the service. */
export const problem = (status: number, code: string, more: object = {}, headers = {}): Step =>
  answer(
    status,
    { status, code, detail: `because of ${code}`, title: code, request_id: 'req_1', ...more },
    headers,
  )

/** Closes the connection without an answer, or after a part of one. */
export const broken =
  (status?: number, part = ''): Step =>
  (response) => {
    if (status === undefined) return void response.destroy()
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write(part, () => setTimeout(() => response.destroy(), 20))
  }

/** Never answers. */
export const silent: Step = () => {}

/** The part of a run that the client reads. */
export const run = (run_status: string, more: object = {}) => ({
  run_id: 'run_1',
  run_status,
  progress: { done: 0, total: null, message: null },
  items: run_status === 'succeeded' ? 0 : null,
  result: run_status === 'succeeded' ? { items: [], next_cursor: null } : null,
  artifacts: [],
  error: null,
  ...more,
})

/** Starts a service. */
export async function scripted(...steps: readonly Step[]) {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const { method = '', url = '', headers } = request
    const record = { method, url, headers, body }
    requests.push(record)
    const step = steps[Math.min(requests.length, steps.length) - 1]
    step?.(response, record)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** the requests so far */
    requests,
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
