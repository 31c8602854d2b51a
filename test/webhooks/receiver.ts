/**
 * An endpoint for tests: a server on loopback that records the received requests.
 *
 * @module
 */
import { Webhook } from 'standardwebhooks'

/** A received request, with its body parsed as an event. */
export type Received = {
  readonly headers: Headers
  readonly body: string
  readonly event: {
    readonly id: string
    readonly source: string
    readonly type: string
    readonly data: Record<string, unknown>
  }
}
type Answer = Response | number

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** @param answer its answer; 204 by default. @param port any free port by default */
export function startReceiver(
  answer: (received: Received, count: number) => Answer | Promise<Answer> = () => 204,
  port = 0,
) {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    async fetch(request) {
      const body = await request.text()
      const one = { headers: request.headers, body, event: JSON.parse(body) }
      received.push(one)
      const answered = await answer(one, received.length)
      for (const wake of waiting) wake()
      return typeof answered === 'number' ? new Response(null, { status: answered }) : answered
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    received,
    /** Resolves when the received requests meet the condition. */
    async until(condition: (received: readonly Received[]) => boolean): Promise<readonly Received[]> {
      while (!condition(received)) {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.add(resolve)
        await promise
        waiting.delete(resolve)
      }
      return received
    },
    stop: () => server.stop(true),
  }
}

/** Whether the standard's reference library verifies a delivery with a secret. */
export function isSignedBy(secret: string, { headers, body }: Received): boolean {
  try {
    new Webhook(secret).verify(body, Object.fromEntries(headers))
    return true
  } catch {
    return false
  }
}
