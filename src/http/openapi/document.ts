/**
 * The OpenAPI document, generated from the endpoints.
 *
 * @module
 */
import type { TSchema } from '@sinclair/typebox'
import { closed } from '../../catalogue/check.ts'
import { exampleOf } from '../../catalogue/example.ts'
import type { Endpoint, Reply } from '../endpoint.ts'
import { DEFAULT_KEY } from '../idempotency.ts'
import { PROBLEMS, type ProblemCode, problemType } from '../problems.ts'
import { Components, pascal, type Schema } from './components.ts'
import { HEADERS, type HeaderName } from './headers.ts'
import { ProblemSchema } from './schemas.ts'

const PROBLEM = 'application/problem+json'

type Named<T> = Readonly<Record<string, T>>

/** The subset of OpenAPI 3.1 that is used here. */
export type OpenApi = ReturnType<typeof openApi>
export type Operation = ReturnType<typeof operation>
type Media = { readonly schema: Schema; readonly example?: unknown; readonly examples?: object }
export type ResponseObject = {
  readonly description: string
  readonly headers?: Named<object>
  readonly content?: Named<Media>
}
type Reference = { readonly $ref: string }

export type DocumentOptions = {
  /** version of the service */
  readonly version: string
  /** base URL of the service, without a trailing slash */
  readonly publicUrl: string
}

const IDEMPOTENCY_KEY = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'Makes the call safe to repeat: a repeat gets the original answer, and nothing is done or charged twice. Send a new ' +
    'value with each new request, for example a UUID, or leave the header out. 1 to 255 printable ASCII characters. ' +
    'Reusing a key for a different request is refused, and so is a placeholder such as `<string>`. `{{$guid}}`, which API ' +
    'clients replace by a new UUID in each request, is the same as no header.',
  // Without a default, a generator of API collections writes `<string>` into each request, even if there is an example.
  default: DEFAULT_KEY,
  examples: [DEFAULT_KEY],
}

/** What the operations of a document share. Each adds the components and responses to which it refers. */
type Shared = {
  readonly components: Components
  readonly responses: Record<string, ResponseObject>
  readonly publicUrl: string
}

/** The document of a list of endpoints. */
export function openApi(endpoints: readonly Endpoint[], { version, publicUrl }: DocumentOptions) {
  const components = new Components()
  const responses: Record<string, ResponseObject> = {}
  const shared = { components, responses, publicUrl }
  const paths: Record<string, Record<string, Operation>> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:([a-z0-9_]+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][endpoint.method.toLowerCase()] = operation(endpoint, shared)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gleaner',
      version,
      summary: 'A data-extraction run service',
      description:
        'POST a task, get a run, read normalized items. Errors are problem details (RFC 9457) with a stable `code`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: components.schemas,
      responses: Object.fromEntries(Object.entries(responses).sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: HEADERS,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of an account: `gln_…`' },
        operatorKey: { type: 'http', scheme: 'bearer', description: 'The key of the operator' },
      },
    },
  }
}

function operation(endpoint: Endpoint, shared: Shared) {
  const { components } = shared
  const { id, taskKey, tag, summary, access } = endpoint
  const body = endpoint.body && closed(endpoint.body)
  const scope =
    access.kind === 'key' && access.scope !== 'any-key' && `Requires the scope \`${access.scope}\`.`
  const description = [endpoint.description, scope].filter(Boolean).join('\n\n')
  const hasFields = Object.keys(body?.properties ?? {}).length > 0
  return {
    operationId: id,
    ...(taskKey === undefined ? {} : { 'x-task-key': taskKey }),
    tags: [tag],
    summary,
    ...(description === '' ? {} : { description }),
    security: security(endpoint),
    parameters: parameters(endpoint, components),
    ...(hasFields && {
      requestBody: {
        required: (body.required ?? []).length > 0,
        content: {
          'application/json': { schema: components.schema(body), example: exampleOf(body) },
        } as Named<Media>,
      },
    }),
    responses: {
      ...answers(endpoint, shared),
      ...problems(endpoint, shared),
    } as Named<ResponseObject | Reference>,
  }
}

function security({ access }: Endpoint): object[] {
  if (access.kind === 'public') return []
  if (access.kind === 'operator') return [{ operatorKey: [] }]
  return access.operator ? [{ apiKey: [] }, { operatorKey: [] }] : [{ apiKey: [] }]
}

function parameters({ path, params, query, headers, idempotent }: Endpoint, components: Components) {
  const all = (place: 'path' | 'query' | 'header', fields: Named<object> = {}) =>
    Object.entries(fields).map(([name, source]) => {
      const { description = '', examples, ...schema } = components.schema(source)
      const [example] = (examples ?? []) as readonly unknown[]
      const required = place === 'path'
      return { name, in: place, description: String(description), required, schema, example }
    })
  const names = path.matchAll(/:([a-z0-9_]+)/g).map(([, name = '']) => name)
  const inPath = names.map((name) => [name, params?.[name] ?? { type: 'string' }] as const)
  return [
    ...all('path', Object.fromEntries(inPath)),
    ...all('query', query),
    ...all('header', { ...(idempotent && { 'Idempotency-Key': IDEMPOTENCY_KEY }), ...headers }),
  ]
}

function answers(endpoint: Endpoint, shared: Shared): Record<string, ResponseObject> {
  const { components } = shared
  const entries = Object.entries<Reply>(endpoint.answers).map(
    ([status, { description, content, example }]) => {
      const codes = problemCodes(endpoint).filter((code) => PROBLEMS[code].status === Number(status))
      const media = Object.entries(content ?? {}).map(([type, schema]) => {
        if (type === PROBLEM) return [type, problemMedia(codes, shared)]
        const { type: isOf, examples } = schema as TSchema
        const isShown = type === 'application/json' || (isOf === 'string' && examples !== undefined)
        const shown = example ?? (isShown ? exampleOf(schema as TSchema) : undefined)
        return [type, { schema: components.schema(schema), example: shown }]
      })
      const headers = headersOf(endpoint, Number(status))
      return [status, { description, headers, ...(content && { content: Object.fromEntries(media) }) }]
    },
  )
  return Object.fromEntries(entries)
}

function headersOf({ rate, taskKey, answers }: Endpoint, status: number): Record<string, object> {
  const names: HeaderName[] = ['X-Request-Id', ...(answers[status]?.headers ?? [])]
  const isTask = taskKey !== undefined
  if (rate && status !== 401) names.push('RateLimit-Policy', 'RateLimit')
  if (isTask && status < 300) names.push('Run-Id', 'Location', 'Idempotency-Replayed')
  if (status === 429 || status === 503 || (isTask && [202, 409].includes(status))) names.push('Retry-After')
  if (status === 401) names.push('WWW-Authenticate')
  if (status === 302) names.push('Location')
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/**
 * The codes of the problem details that an endpoint can answer with: the declared codes, and the codes that its
 * declaration implies. None has a status whose declared answer is in another format only.
 */
export function problemCodes(endpoint: Endpoint): ProblemCode[] {
  const { access, rate, path, body, idempotent, answers, raw } = endpoint
  const codes = new Set<ProblemCode>(endpoint.problems)
  const add = (...more: ProblemCode[]) => more.forEach((code) => void codes.add(code))
  add('internal')
  if (!raw) add('validation-failed')
  if (access.kind !== 'public') {
    add('missing-key', 'invalid-key', 'revoked-key', 'expired-key', 'store-unavailable')
    if (access.kind === 'operator' || access.scope !== 'any-key') add('key-scope')
    if (rate) add('rate-limited')
    if (rate === 'kickoff') add('shutting-down')
  }
  if (path.includes(':')) add('not-found')
  if (body) add('malformed-json', 'body-too-large', 'unsupported-media-type')
  if (idempotent) add('bad-idempotency-key', 'idempotency-key-reused')
  return (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) => {
    const declared: Reply | undefined = answers[PROBLEMS[code].status]
    return codes.has(code) && (!declared || PROBLEM in (declared.content ?? {}))
  })
}

/** The problems of an endpoint by status, each a reference to a shared response. */
function problems(endpoint: Endpoint, shared: Shared): Record<string, Reference> {
  const references: Record<string, Reference> = {}
  for (const [status, codes] of Map.groupBy(problemCodes(endpoint), (code) => PROBLEMS[code].status)) {
    // The endpoint's own response describes this status.
    if (status in endpoint.answers) continue
    const headers = headersOf(endpoint, status)
    const isCounted = 'RateLimit' in headers || status === 401
    // Named after its codes: `KeyScopeOrAccountSuspended`.
    const name = codes.map(pascal).join('Or') + (isCounted ? '' : 'Uncounted')
    shared.responses[name] ??= {
      description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('\n\n'),
      headers,
      content: { [PROBLEM]: problemMedia(codes, shared) },
    }
    references[status] = { $ref: `#/components/responses/${name}` }
  }
  return references
}

const problemMedia = (codes: readonly ProblemCode[], { components, publicUrl }: Shared): Media => ({
  schema: components.schema(ProblemSchema),
  ...(codes.length > 0 && {
    examples: Object.fromEntries(codes.map((code) => [code, { value: problemExample(code, publicUrl) }])),
  }),
})

const problemExample = (code: ProblemCode, publicUrl: string): object => {
  const { properties } = ProblemSchema
  const extras = (EXTRAS[code] ?? []).map((name) => [name, exampleOf(properties[name])])
  const { instance, request_id } = exampleOf(ProblemSchema) as Record<string, string>
  return {
    type: problemType(code, publicUrl),
    ...PROBLEMS[code],
    instance,
    code,
    request_id,
    ...Object.fromEntries(extras),
  }
}

const EXTRAS: { readonly [C in ProblemCode]?: readonly (keyof typeof ProblemSchema.properties)[] } = {
  'validation-failed': ['errors'],
  'insufficient-credits': ['required', 'balance'],
  'idempotency-in-progress': ['retry_after_s'],
  'run-finished': ['run_id'],
  'rate-limited': ['retry_after_s'],
  'store-unavailable': ['retry_after_s'],
  'shutting-down': ['retry_after_s'],
  'login-required': ['hosted_url', 'expires_at', 'source'],
}
