/**
 * The endpoint of the Model Context Protocol. Its handler is loaded with the first request.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import type { Deps } from '../deps.ts'
import { type Endpoint, group, type Reply, rawEndpoint, reply } from '../endpoint.ts'
import { ProblemSchema } from '../openapi/schemas.ts'
import { PROBLEMS, type ProblemCode } from '../problems.ts'

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

const ERROR = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Union([Type.String(), Type.Integer(), Type.Null()], {
      description: 'The id of the request; null if the request was refused as a whole.',
    }),
    error: Type.Object({
      code: Type.Integer(),
      message: Type.String(),
      data: Type.Optional(
        Type.Object(
          {
            code: Type.Optional(
              Type.String({ description: 'The code of the problem, as in problem details.' }),
            ),
          },
          { additionalProperties: true },
        ),
      ),
    }),
  },
  { $id: 'JsonRpcError', description: 'An error of the Model Context Protocol.' },
)

/** An answer that is a JSON-RPC error. @param data as the service sends it; the protocol's own errors have none */
const refusal = (
  description: string,
  code: number,
  message: string,
  data?: { readonly code: ProblemCode },
): Reply =>
  reply(description, ERROR, { jsonrpc: '2.0', id: null, error: { code, message, ...(data && { data }) } })

/** An answer that is a JSON-RPC error or, for other reasons, problem details. */
const orProblem = (answer: Reply): Reply => ({
  ...answer,
  content: { ...answer.content, 'application/problem+json': ProblemSchema },
})

/** The message of a refusal by `checkOrigin`: the detail of the problem is about forms. */
export const FOREIGN_ORIGIN = 'Pages of other sites may not call this service: the Origin is not allowed.'

/** The errors of requests as a whole, beside those that are always problem details. */
const REFUSALS: Endpoint['answers'] = {
  400: refusal(
    'The body is not one JSON-RPC message, its headers do not fit it, or a query parameter is unknown.',
    -32700,
    PROBLEMS['malformed-json'].detail,
    { code: 'malformed-json' },
  ),
  403: orProblem(
    refusal(
      'JSON-RPC error: a page of another site sent the request. Problem details: the key may not make this call.',
      -32000,
      FOREIGN_ORIGIN,
      { code: 'forbidden-origin' },
    ),
  ),
  404: refusal('The method is unknown, in protocol version 2026-07-28.', -32601, 'Method not found'),
  406: refusal(
    'Accept contains neither application/json nor text/event-stream, in older protocol versions.',
    -32000,
    'Not Acceptable: Client must accept both application/json and text/event-stream',
  ),
  415: orProblem(
    refusal(
      'Problem details: the body is not JSON, or it is compressed. JSON-RPC error: it is of another type of JSON.',
      -32000,
      'Unsupported Media Type: Content-Type must be application/json',
    ),
  ),
  429: orProblem(
    refusal(
      'The rate limit is exceeded. Problem details if the key may not make this call; a tool reports it in its result.',
      -32000,
      PROBLEMS['rate-limited'].detail,
      { code: 'rate-limited' },
    ),
  ),
  500: orProblem(
    refusal(
      'Internal error; problem details if it occurred before the request was read.',
      -32603,
      PROBLEMS.internal.detail,
      { code: 'internal' },
    ),
  ),
}

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
  rawEndpoint(
    mcpRoute('POST', '/mcp', {
      // Every role can read. Tools that do more check the role themselves.
      leastRole: 'viewer',
      id: 'mcp',
      summary: 'Call as an MCP client',
      description:
        'The Model Context Protocol, streamable HTTP without sessions, protocol versions 2025-06-18 to 2026-07-28. Tool ' +
        'calls that start a run count as kickoffs, everything else as reads. Errors within the protocol are JSON-RPC errors.',
      query: MCP_QUERY,
      body: MESSAGE,
      answers: {
        200: {
          description: 'The answer to a request, as JSON or as one server-sent event.',
          content: {
            'application/json': ANSWER,
            'text/event-stream': Type.String({ examples: ['data: {}\n\n'] }),
          },
        },
        202: { description: 'A notification was accepted.' },
        ...REFUSALS,
      },
      problems: ['shutting-down'],
      handle: async (call) => (await deps.mcp()).answerMcp(deps, call),
    }),
  )
