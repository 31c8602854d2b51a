/**
 * The definition of a tool and of its calls.
 *
 * @module
 */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import type { JsonSchema } from '../catalogue/schema.ts'
import type { Deps } from '../http/deps.ts'
import type { Call } from '../http/endpoint.ts'

/** A call of a tool by an authorized key. */
export type ToolCall = Pick<Call, 'key' | 'requestId' | 'cause' | 'request' | 'time'> & {
  readonly deps: Deps
  /** the name of the tool */
  readonly tool: string
  /** as sent by the client, unchecked: the tool validates them */
  readonly args: Readonly<Record<string, unknown>>
  /** the id of the JSON-RPC request */
  readonly rpcId: string | number
  /** how long the tool may wait for the end of the run that it starts, in seconds */
  readonly waitS: number
  /** aborts when the client no longer waits for the answer */
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
  /** @throws {Problem} for any failure */
  call(call: ToolCall): Promise<CallToolResult>
}

/** Whether the other fields of its result are all that a task returns. */
export const hasNoItems = (task: CatalogueTask | undefined): boolean => task?.columns.length === 0

/** A result: its text, and structured content for programs. */
export const result = (text: string, structuredContent?: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text }],
  ...(structuredContent ? { structuredContent } : {}),
})

/** Joins the lines of an answer, and skips values that are not strings. */
export const linesOf = (...lines: readonly (string | false | null | undefined)[]): string =>
  lines.filter((line) => typeof line === 'string').join('\n')

/** A tool call in the notation that models write. */
export const shownCall = (tool: string, args: object): string => `${tool} ${JSON.stringify(args)}`

/** The size of a text in UTF-8, in bytes. */
export const bytesOf = (text: string): number => Buffer.byteLength(text)

/** Maximum size of an answer's text, and of its structured content, in bytes. */
export const MOST_BYTES = 40_960
/** Maximum size of an answer unless the call asks for more, in bytes. */
export const DEFAULT_BYTES = 8_192
