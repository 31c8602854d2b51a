/**
 * The OpenAPI document, made from the endpoints themselves.
 *
 * @module
 */
import type { Endpoint, EndpointDoc } from '../endpoint.ts'
import { PROBLEMS, type ProblemCode, problemType } from '../problems.ts'
import { Components, type Schema } from './components.ts'
import { ProblemSchema } from './schemas.ts'

/** As much of OpenAPI 3.1 as is used here. */
export type OpenApi = {
  readonly openapi: '3.1.0'
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly security: readonly object[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Answer>>
    readonly headers: Readonly<Record<string, object>>
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}
export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly required: boolean
  readonly schema: Schema
  readonly example?: unknown
}
type Media = { readonly schema: Schema; readonly example?: unknown; readonly examples?: object }
export type Answer = {
  readonly description: string
  readonly headers?: Readonly<Record<string, object>>
  readonly content?: Readonly<Record<string, Media>>
}
export type Operation = {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security: readonly object[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> }
  /** problems by reference to the components, since the calls have them in common */
  readonly responses: Readonly<Record<string, Answer | Reference>>
}
type Reference = { readonly $ref: string }

export type OpenApiOptions = {
  /** of the service */
  readonly version: string
  /** where it is reached, without a slash at its end */
  readonly publicUrl: string
}

const header = (description: string, type = 'string') => ({ description, schema: { type } })
const HEADERS = {
  'X-Request-Id': header('Id of this request; quote it when you ask for help'),
  'RateLimit-Policy': header('The limit that the call is counted against: `"read";q=1200;w=60`'),
  RateLimit: header('What is left of it, and in how many seconds it is whole again: `"read";r=1199;t=1`'),
  'Retry-After': header('Seconds after which to try again', 'integer'),
  'WWW-Authenticate': header('`Bearer`'),
  'Run-Id': header('Id of the run'),
  Location: header('Path of the run, or of the page'),
  'Idempotency-Replayed': header(
    '`true`: this is the run of an earlier request with the same Idempotency-Key',
  ),
} as const
type HeaderName = keyof typeof HEADERS

/** The document of a list of endpoints. */
export function openApi(endpoints: readonly Endpoint[], { version, publicUrl }: OpenApiOptions): OpenApi {
  const components = new Components()
  const responses = new Map<string, Answer>()
  const paths: Record<string, Record<string, Operation>> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:([a-z0-9_]+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: operation(endpoint, components, responses),
    }
  }
  const tags = [...new Set(endpoints.map(({ doc }) => doc.tag))]
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
    tags: tags.map((name) => ({ name })),
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas: components.schemas,
      responses: Object.fromEntries([...responses].sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: HEADERS,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of an account: `gln_…`' },
        operatorKey: { type: 'http', scheme: 'bearer', description: 'The key of the operator' },
      },
    },
  }
}

function operation(endpoint: Endpoint, components: Components, shared: Map<string, Answer>): Operation {
  const { doc } = endpoint
  const { body } = doc
  const description = describe(endpoint)
  return {
    operationId: doc.id,
    tags: [doc.tag],
    summary: doc.summary,
    ...(description === undefined ? {} : { description }),
    security: security(endpoint),
    parameters: parameters(endpoint, components),
    ...(body && {
      requestBody: {
        required: body.required,
        content: { 'application/json': media(components, body.schema, body.example) },
      },
    }),
    responses: { ...answers(endpoint, components), ...problems(endpoint, components, shared) },
  }
}

function describe({ access, doc }: Endpoint): string | undefined {
  const scope =
    access.kind === 'key' && access.scope !== 'any-key' ? `Scope of the key: \`${access.scope}\`.` : undefined
  const parts = [doc.description, scope].filter((part) => part !== undefined)
  return parts.length > 0 ? parts.join('\n\n') : undefined
}

function security({ access }: Endpoint): object[] {
  if (access.kind === 'public') return []
  if (access.kind === 'operator') return [{ operatorKey: [] }]
  return access.operator ? [{ apiKey: [] }, { operatorKey: [] }] : [{ apiKey: [] }]
}

function parameters({ path, doc }: Endpoint, components: Components): Parameter[] {
  const inPath = [...path.matchAll(/:([a-z0-9_]+)/g)].map(([, name = '']) => {
    const { description, ...schema } = components.schema(doc.path?.[name] ?? { type: 'string' })
    return { name, in: 'path', description: String(description ?? ''), required: true, schema } as const
  })
  const rest = (place: 'query' | 'header', list: EndpointDoc['query'] | EndpointDoc['headers'] = []) =>
    list.map(({ name, description, schema, ...example }) => ({
      name,
      in: place,
      description,
      required: false,
      schema: components.schema(schema),
      ...example,
    }))
  return [...inPath, ...rest('query', doc.query), ...rest('header', doc.headers)]
}

function media(components: Components, schema: object, example: unknown): Media {
  return { schema: components.schema(schema), ...(example === undefined ? {} : { example }) }
}

function answers(endpoint: Endpoint, components: Components): Record<string, Answer> {
  const found = Object.entries(endpoint.doc.answers).map(([status, answer]): [string, Answer] => {
    const { description, schema, contentType = 'application/json', example, alternatives = [] } = answer
    const first = schema ? [{ contentType, schema, example }] : []
    const content = [...first, ...alternatives].map(
      (each) => [each.contentType, media(components, each.schema, each.example)] as const,
    )
    return [
      status,
      {
        description,
        headers: headersOf(endpoint, Number(status)),
        ...(content.length > 0 ? { content: Object.fromEntries(content) } : {}),
      },
    ]
  })
  return Object.fromEntries(found)
}

function headersOf({ rate }: Endpoint, status: number): Record<string, object> {
  const names: HeaderName[] = ['X-Request-Id']
  if (rate && status !== 401) names.push('RateLimit-Policy', 'RateLimit')
  // Only calls that start a run are counted as kickoffs.
  if (rate === 'kickoff' && status < 300) names.push('Run-Id', 'Location', 'Idempotency-Replayed')
  if (status === 429 || status === 503 || (rate === 'kickoff' && status === 202)) names.push('Retry-After')
  if (status === 401) names.push('WWW-Authenticate')
  if (status === 302) names.push('Location')
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The codes that an endpoint can answer with: its own, and those that follow from how it may be called. */
export function problemCodes({ access, rate, doc }: Endpoint): ProblemCode[] {
  const codes = new Set<string>(doc.problems ?? [])
  const add = (...more: ProblemCode[]) => more.forEach((code) => void codes.add(code))
  add('validation-failed', 'internal')
  if (access.kind !== 'public') {
    add('missing-key', 'invalid-key', 'revoked-key', 'expired-key', 'store-unavailable')
    if (access.kind === 'operator' || access.scope !== 'any-key') add('key-scope')
    if (rate) add('rate-limited')
    if (rate === 'kickoff') add('shutting-down')
  }
  if (doc.body) add('malformed-json', 'body-too-large', 'unsupported-media-type')
  return (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) => codes.has(code))
}

/**
 * The problems of an endpoint by status, each a reference.
 *
 * @param shared the answers that are referred to, by name; what is missing is added
 */
function problems(
  endpoint: Endpoint,
  components: Components,
  shared: Map<string, Answer>,
): Record<string, Reference> {
  const byStatus = new Map<number, ProblemCode[]>()
  for (const code of problemCodes(endpoint)) {
    const { status } = PROBLEMS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const found = [...byStatus].map(([status, codes]): [string, Reference] => {
    const headers = headersOf(endpoint, status)
    const name = responseName(codes, 'RateLimit' in headers || status === 401)
    if (!shared.has(name)) shared.set(name, problemAnswer(codes, headers, components))
    return [String(status), { $ref: `#/components/responses/${name}` }]
  })
  // A status that the endpoint answers with something of its own too is told by that alone.
  return Object.fromEntries(found.filter(([status]) => !(status in endpoint.doc.answers)))
}

/** `KeyScopeOrAccountSuspended`: the same for the same codes, whatever other endpoints there are. */
function responseName(codes: readonly ProblemCode[], isCounted: boolean): string {
  const words = codes.map((code) =>
    code.replaceAll(/(?:^|-)([a-z])/g, (_, first: string) => first.toUpperCase()),
  )
  return words.join('Or') + (isCounted ? '' : 'Uncounted')
}

const problemAnswer = (
  codes: readonly ProblemCode[],
  headers: Record<string, object>,
  components: Components,
): Answer => ({
  description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('\n\n'),
  headers,
  content: {
    'application/problem+json': {
      schema: components.schema(ProblemSchema),
      examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
    },
  },
})

function exampleOf(code: ProblemCode): object {
  const { title, status, detail } = PROBLEMS[code]
  return {
    type: problemType(code),
    title,
    status,
    detail,
    instance: '/v1/runs',
    code,
    request_id: 'req_9a88bac0-8ddb-495d-8454-29d626a7ae96',
    ...EXTRAS[code],
  }
}

const EXTRAS: { readonly [C in ProblemCode]?: object } = {
  'validation-failed': {
    detail: '/limt is not a known field; did you mean "limit"?',
    errors: [
      { pointer: '/limt', code: 'unknown-field', detail: 'is not a known field; did you mean "limit"?' },
    ],
  },
  'insufficient-credits': { required: 5, balance: 2 },
  'rate-limited': { retry_after_s: 3 },
  'store-unavailable': { retry_after_s: 2 },
  'shutting-down': { retry_after_s: 2 },
  'login-required': {
    hosted_url: 'http://127.0.0.1:3000/login/example',
    expires_at: '2026-11-21T10:15:00.000Z',
    source: 'microblog',
  },
}
