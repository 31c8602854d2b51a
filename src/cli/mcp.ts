/**
 * `gleaner mcp`: serves a running service's MCP tools on stdin and stdout, for MCP clients that start a command.
 *
 * @module
 */
import type { Command } from 'commander'
import { retry } from '../async/retry.ts'
import { isObject } from '../catalogue/words.ts'
import { CommandFailed } from './failure.ts'
import type { Io } from './io.ts'
import { type Remote, type RemoteOptions, remoteOf, withRemote } from './remote.ts'

type Options = RemoteOptions & { readonly tasks?: string }

/** A message, with the fields that the relay reads. */
type Message = {
  readonly id?: string | number
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly requestId?: string | number
    readonly _meta?: Readonly<Record<string, unknown>>
  }
  readonly result?: { readonly protocolVersion?: string }
  readonly error?: unknown
}

const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const FAILED = -32000
/** How often a message is sent when the connection is lost, and the pause before each repeat, in milliseconds. */
const ATTEMPTS = 4
const PAUSE_MS = 500
/** For how long a message is repeated: the service takes the same call for a repeat for a minute. */
const REPEAT_MS = 50_000

export function addMcp(program: Command, io: Io): void {
  withRemote(program.command('mcp'))
    .description(
      'Relays the MCP tools of a running service over stdin and stdout.\n\nFor MCP clients that start a command; docs/mcp.md has their settings.',
    )
    .option('--tasks <patterns>', 'Tasks that become separate tools, such as "encyclopedia.*,forum.posts".')
    .action((options: Options) => new Relay(io, remoteOf(io, options), options.tasks).run())
}

/** Sends each line of stdin to the service, and writes each answer as a line. */
class Relay {
  private readonly endpoint: string
  /** Pending requests, keyed by id. */
  private readonly waiting = new Map<string | number, AbortController>()
  /** The negotiated protocol version, if any. */
  private version: string | undefined

  constructor(
    private readonly io: Io,
    private readonly remote: Remote,
    tasks: string | undefined,
  ) {
    this.endpoint = `${remote.url}/mcp${tasks === undefined ? '' : `?${new URLSearchParams({ tasks })}`}`
  }

  async run(): Promise<void> {
    const sent = new Set<Promise<void>>()
    for await (const line of this.io.lines()) {
      if (line.trim() === '') continue
      const sending = this.hand(line).finally(() => sent.delete(sending))
      sent.add(sending)
      // The negotiated version applies to all later messages.
      if (line.includes('"initialize"')) await sending
    }
    await Promise.all(sent)
  }

  private async hand(line: string): Promise<void> {
    let message: Message
    try {
      message = JSON.parse(line)
    } catch (error) {
      return this.write({ id: null, error: { code: PARSE_ERROR, message: (error as Error).message } })
    }
    if (!isObject(message)) {
      const words = 'A message must be one JSON object on one line.'
      return this.write({ id: null, error: { code: INVALID_REQUEST, message: words } })
    }
    const { id, method, params } = message
    if (method === 'notifications/cancelled') return this.waiting.get(params?.requestId ?? '')?.abort()
    const stop = new AbortController()
    if (id !== undefined) this.waiting.set(id, stop)
    try {
      const answers = await this.send(line, message, stop.signal)
      for (const answer of answers) this.io.out(`${answer}\n`)
    } catch (error) {
      // A cancelled request needs no answer.
      if (stop.signal.aborted) return
      const words = (error as Error).message
      if (id === undefined) this.io.err(`gleaner: ${words}\n`)
      else this.write({ id, error: { code: FAILED, message: words } })
    } finally {
      if (id !== undefined) this.waiting.delete(id)
    }
  }

  /**
   * Sends a message and returns the answers, as JSON. Without an answer, it is sent again: a model that repeated the
   * call itself would use another request id, and start another run.
   *
   * @throws {CommandFailed} when the service does not answer
   * @throws {GleanerError} when the answer is not an MCP message
   */
  private send(line: string, message: Message, signal: AbortSignal): Promise<string[]> {
    let attempts = 0
    const isLost = (error: unknown) => error instanceof CommandFailed && attempts < ATTEMPTS
    const act = () => {
      attempts++
      return this.sendOnce(line, message, signal)
    }
    return retry(act, { when: isLost, signal, firstMs: PAUSE_MS, longestMs: PAUSE_MS, forMs: REPEAT_MS })
  }

  private async sendOnce(line: string, message: Message, signal: AbortSignal): Promise<string[]> {
    const { response, text } = await this.post(line, message, signal)
    const type = response.headers.get('content-type') ?? ''
    if (response.status === 202) return []
    if (!/^(application\/json|text\/event-stream)\b/.test(type)) {
      const { errorOf } = await import('../../clients/typescript/src/errors.ts')
      throw errorOf(response, text)
    }
    const texts = type.startsWith('text/event-stream') ? dataOf(text) : [text]
    const answers = texts.map((each) => JSON.parse(each) as Message)
    if (message.method === 'initialize')
      this.version = answers.map(({ result }) => result?.protocolVersion).find(Boolean)
    return answers.map((answer) => withId(answer, message))
  }

  private async post(body: string, { method, params }: Message, signal: AbortSignal) {
    const versionInRequest = params?._meta?.['io.modelcontextprotocol/protocolVersion']
    const version = typeof versionInRequest === 'string' ? versionInRequest : this.version
    const { url, key } = this.remote
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(version === undefined ? {} : { 'mcp-protocol-version': headerOf(version) }),
      ...(method === undefined ? {} : { 'mcp-method': headerOf(method) }),
      ...(typeof params?.name === 'string' ? { 'mcp-name': headerOf(params.name) } : {}),
    }
    try {
      const response = await fetch(this.endpoint, {
        method: 'POST',
        headers,
        body,
        signal,
        redirect: 'error',
      })
      return { response, text: await response.text() }
    } catch (error) {
      if (signal.aborted) throw error
      throw new CommandFailed(`No service answers at ${url}: ${reasonOf(error)}. Is it running? See --url.`)
    }
  }

  private write(message: object): void {
    this.io.out(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
}

/** The reason of a failed fetch is often only in the error's cause. */
const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error
  return (cause instanceof Error && cause.message ? cause.message : message).replace(/\.$/, '')
}

/** Replaces characters that headers cannot contain. The service rejects headers that do not match the body. */
const headerOf = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?')

/** The data of the events in a stream. */
const dataOf = (stream: string): string[] =>
  stream
    .split(/\r?\n\r?\n/)
    .map((event) => {
      const data = event.split(/\r?\n/).filter((line) => line.startsWith('data:'))
      return data.map((line) => line.slice(5).trim()).join('')
    })
    .filter(Boolean)

/** Adds the request's id to an error without one: the service omits the id when it rejects a request as a whole. */
function withId(answer: Message, { id }: Message): string {
  const isNameless = answer.error !== undefined && (answer.id ?? null) === null
  return JSON.stringify(isNameless && id !== undefined ? { ...answer, id } : answer)
}
