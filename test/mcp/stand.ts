/**
 * A service with an account, and functions that send MCP messages to it.
 *
 * @module
 */
import { answering } from '../../src/mcp/answer.ts'
import {
  type Client,
  type McpOptions,
  type Service,
  type ServiceOptions,
  startService,
} from '../http/service.ts'

/** The answer of a tool. */
export type ToolAnswer = {
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of an answer
  readonly structured: any
  readonly isError: boolean
  readonly bytes: number
  readonly headers: Headers
}

/** @param waitS how long run_task waits, in seconds */
export async function startMcp({ waitS = 0, ...options }: ServiceOptions & { readonly waitS?: number } = {}) {
  const service: Service = await startService({
    ...options,
    deps: (deps) => ({ mcp: async () => ({ answerMcp: answering(waitS) }), ...options.deps?.(deps) }),
  })
  const client: Client = await service.openAccount(1000)
  let ids = 0

  /** Sends a message of protocol version 2025-11-25, or any text. */
  const send = (message: unknown, { key = client.key, ...options }: Options = {}) =>
    service.mcp(message, key, options)

  /** Sends a request. Returns the response and its message. */
  async function request(
    method: string,
    params: object = {},
    options: Options & { id?: string | number } = {},
  ) {
    const id = options.id ?? `id-${++ids}`
    const response = await send({ jsonrpc: '2.0', id, method, params }, options)
    const text = await response.text()
    const data = /^data: ([^\n]*)$/m.exec(text)?.[1] ?? text
    return { response, message: JSON.parse(data) }
  }

  async function call(name: string, args: object, options: Options & { id?: string | number } = {}) {
    const { response, message } = await request('tools/call', { name, arguments: args }, options)
    if (!message.result) throw new Error(JSON.stringify(message))
    const { content, structuredContent, isError = false } = message.result
    const text: string = content[0].text
    const bytes = Math.max(
      Buffer.byteLength(text),
      Buffer.byteLength(JSON.stringify(structuredContent ?? null)),
    )
    const answer: ToolAnswer = {
      text,
      structured: structuredContent,
      isError,
      bytes,
      headers: response.headers,
    }
    return answer
  }

  /** Starts a run and ends it with these items. Returns its id. */
  async function ended(items: readonly object[], rest: object = {}): Promise<string> {
    const response = await service.post('/v1/sample/search', client.key, { query: 'x' })
    const id = response.headers.get('run-id')!
    await service.finish(id, { items, rest })
    return id
  }

  const search = (query = 'otter') => ({ task_key: 'sample.search', input: { query } })
  return { service, client, send, request, call, ended, search }
}

export type Options = McpOptions & { readonly key?: string }

export type Mcp = Awaited<ReturnType<typeof startMcp>>
