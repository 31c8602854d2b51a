/**
 * Requests of clients, over connections that take time and break.
 *
 * @module
 */
import type { Network } from './network.ts'
import type { Node } from './node.ts'
import type { Life } from './world.ts'

/** The connection broke: the request may have taken effect or not. */
export class CutOff extends Error {
  override readonly name = 'CutOff'
}

// biome-ignore lint/suspicious/noExplicitAny: clients state what they expect of an answer
export type Answer = { readonly status: number; readonly body: any; readonly headers: Headers }

export type Call = {
  readonly method?: string
  readonly body?: object | URLSearchParams
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** How long a client waits for an answer, in milliseconds. */
const PATIENCE_MS = 20_000

/** Sends a request to a node. @throws {CutOff} when no answer came */
export function ask(network: Network, node: Node, path: string, call: Call = {}): Promise<Answer> {
  const { world } = network
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const cut = () => reject(new CutOff())
  const { life } = node
  const patience = world.after(PATIENCE_MS, cut)
  const forget = life.onDeath(cut)
  world.after(0.2 + world.random.next(), () => {
    if (!node.isUp || node.life !== life || network.happens('client cut off')) return cut()
    world.after(0, () => void handle(life, node), life)
  })
  return promise.finally(() => {
    patience.isCancelled = true
    forget()
  })

  async function handle(life: Life, { service }: Node): Promise<void> {
    if (!service) return cut()
    try {
      const response = await service.app.fetch(requestOf(path, call))
      const text = await response.text()
      const { status, headers } = response
      const answer = { status, headers, body: text.startsWith('{') ? JSON.parse(text) : text }
      world.note(`${call.method ?? ''} ${path} ${status}`)
      world.after(
        0.2 + world.random.next(),
        () => {
          if (network.happens('client cut off')) cut()
          else resolve(answer)
        },
        life,
      )
    } catch (error) {
      world.wrong.push(`an answer of ${path} broke off: ${(error as Error).stack}`)
      cut()
    }
  }
}

function requestOf(path: string, { method, body, key, headers = {} }: Call): Request {
  const isForm = body instanceof URLSearchParams
  const text = body === undefined ? undefined : isForm ? body.toString() : JSON.stringify(body)
  return new Request(`http://127.0.0.1:3000${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(text === undefined
        ? {}
        : {
            'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
            'content-length': String(Buffer.byteLength(text)),
          }),
      ...headers,
    },
    ...(text === undefined ? {} : { body: text }),
  })
}
