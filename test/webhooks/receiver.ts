/**
 * An endpoint for tests: a server on loopback that remembers what it was sent.
 *
 * @module
 */
import { Webhook } from 'standardwebhooks'

/** What came, and its body as an event. */
export type Received = {
  readonly headers: Headers
  readonly body: string
  readonly event: { readonly id: string; readonly type: string; readonly data: Record<string, unknown> }
}
type Answer = Response | number

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** @param answer what it answers; 204 by default. @param port any by default */
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
    /** Resolves when so much has come as the condition says. */
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

/** Whether a delivery is signed with a secret, as the standard's own library judges. */
export function isSignedBy(secret: string, { headers, body }: Received): boolean {
  try {
    new Webhook(secret).verify(body, Object.fromEntries(headers))
    return true
  } catch {
    return false
  }
}
