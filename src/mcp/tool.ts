/**
 * What a tool is, and what it is given.
 *
 * @module
 */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { JsonSchema } from '../catalogue/schema.ts'
import type { Deps } from '../http/deps.ts'
import type { Call } from '../http/endpoint.ts'

/** A call of a tool, by a key that may make it. */
export type ToolCall = Pick<Call, 'key' | 'requestId' | 'cause' | 'request' | 'time'> & {
  readonly deps: Deps
  /** the name of the tool */
  readonly tool: string
  /** as they were sent: the tool checks them */
  readonly args: Readonly<Record<string, unknown>>
  /** the id of the JSON-RPC request */
  readonly rpcId: string | number
  /** how long it may wait for the end of the run that it starts, in seconds */
  readonly waitS: number
  /** aborts when nobody waits for the answer any more */
  readonly gone: AbortSignal
}

export type Tool = {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint?: boolean
    readonly openWorldHint?: boolean
  }
  /** Its calls count as kickoffs. */
  readonly startsRun?: true
  /** @throws {Problem} whatever goes wrong */
  call(call: ToolCall): Promise<CallToolResult>
}

/** A result: its text, and what programs read. */
export const result = (text: string, structuredContent?: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text }],
  ...(structuredContent ? { structuredContent } : {}),
})

/** The lines of an answer: what is no text is left out. */
export const linesOf = (...lines: readonly (string | false | null | undefined)[]): string =>
  lines.filter((line) => typeof line === 'string').join('\n')

/** How a tool is called, as a model writes it. */
export const shownCall = (tool: string, args: object): string => `${tool} ${JSON.stringify(args)}`

/** The bytes of a text in UTF-8. */
export const bytesOf = (text: string): number => Buffer.byteLength(text)

/** No answer has more text than this, nor more structured content, in bytes. */
export const MOST_BYTES = 40_960
/** What an answer has at most unless it was asked for more, in bytes. */
export const DEFAULT_BYTES = 8_192
