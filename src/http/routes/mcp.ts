/**
 * The endpoint of the Model Context Protocol. Its handler is loaded with the first request.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import type { Deps } from '../deps.ts'
import { type Endpoint, group } from '../endpoint.ts'

const MESSAGE = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
    method: Type.String({ examples: ['tools/list'] }),
    params: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { additionalProperties: true, examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }] },
)
const ANSWER = Type.Object(
  { jsonrpc: Type.Literal('2.0') },
  { additionalProperties: true, examples: [{ jsonrpc: '2.0', id: 1, result: { tools: [] } }] },
)

/** The query parameters of `/mcp`. */
export const MCP_QUERY = {
  tasks: Type.String({
    description:
      'Tasks that each become a separate tool: keys, or key prefixes that end in *, separated by commas.',
    examples: ['encyclopedia.*,forum.posts'],
  }),
}

const mcpRoute = group({ access: { kind: 'key', scope: 'runs', operator: false }, rate: 'read', tag: 'MCP' })

export const mcpEndpoint = (deps: Deps): Endpoint =>
  mcpRoute('POST', '/mcp', {
    countsItself: true,
    // Every role can read. Tools that do more check the role themselves.
    leastRole: 'viewer',
    id: 'mcp',
    summary: 'Call as an MCP client',
    description:
      'The Model Context Protocol, streamable HTTP without sessions, protocol versions 2025-06-18 to 2026-07-28. Tool ' +
      'calls that start a run count as kickoffs, everything else as reads. Errors within the protocol are JSON-RPC errors.',
    query: MCP_QUERY,
    checksQuery: true,
    body: MESSAGE,
    checksBody: true,
    answers: {
      200: {
        description: 'The answer to a request, as JSON or as one server-sent event.',
        content: {
          'application/json': ANSWER,
          'text/event-stream': Type.String({ examples: ['data: {}\n\n'] }),
        },
      },
      202: { description: 'A notification was accepted.' },
    },
    handle: async (call) => (await deps.mcp()).answerMcp(deps, call),
  })
