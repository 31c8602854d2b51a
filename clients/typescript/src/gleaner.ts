import type { components } from '../generated/api.d.ts'
import { type GleanerOptions, Http, newIdempotencyKey } from './http.ts'
import { list } from './list.ts'
import type { AnswerOf, Args, Method, PathOf, PostBody, RequestOptions } from './request.ts'
import {
  type Abortable,
  type Input,
  type Item,
  type Run,
  type RunData,
  type SucceededRun,
  succeeded,
  type TaskKey,
  type WaitOptions,
} from './run.ts'
import { Runs } from './runs.ts'
import { follow } from './streams.ts'
import { TASKS } from './tasks.ts'

type Schemas = components['schemas']
type WebhookChanges = NonNullable<RequestOptions<'PATCH', '/v1/webhooks/{webhook_id}'>['body']>
type DeliveriesFilter = Omit<
  NonNullable<RequestOptions<'GET', '/v1/webhooks/{webhook_id}/deliveries'>['query']>,
  'cursor'
>
type EventName = Schemas['Event']['type'] extends `gleaner.${infer Name}` ? Name : never

export type StartOptions = Abortable & {
  /** The same key is the same run, also from another process. Default: a random one for each call. */
  readonly idempotencyKey?: string | undefined
}
export type RunOptions = StartOptions & WaitOptions
export type PagesOptions = RunOptions & {
  /** Ends after so many pages. Default: when there is no further one. */
  readonly maxPages?: number | undefined
}
export type EventsOptions = Abortable & {
  /** A position, the `sequence` of an event: begins after it. Default: from the first event. */
  readonly after?: string | undefined
  /** Names, such as `RunSucceeded`. Default: all. */
  readonly types?: readonly EventName[] | undefined
}

/** A client of one account. */
export class Gleaner {
  readonly #http: Http
  /** Tasks that the service was asked for. */
  readonly #asked = new Map<string, (typeof TASKS)[string]>()
  /** The runs of the account. */
  readonly runs: Runs

  constructor(options: GleanerOptions) {
    this.#http = new Http(options)
    this.runs = new Runs(this.#http)
  }

  /**
   * Starts a run, waits for its end and returns it.
   *
   * @throws {RunFailed} when it ended otherwise than as succeeded
   * @throws {LoginRequired} when somebody has to sign in first
   * @throws {GleanerError} when the service refused it, or could not be reached
   */
  async run<K extends TaskKey>(task: K, input: Input<K>, options: RunOptions = {}): Promise<SucceededRun<K>> {
    const run = await this.start(task, input, options)
    return succeeded(await run.wait(options))
  }

  /** Starts a run, and does not wait for it. @throws {LoginRequired} when somebody has to sign in first */
  async start<K extends TaskKey>(task: K, input: Input<K>, options: StartOptions = {}): Promise<Run<K>> {
    const { signal, idempotencyKey = newIdempotencyKey() } = options
    const { path } = await this.#find(task, options)
    const fields = Object.entries(input)
    const isInPath = ([name]: readonly [string, unknown]) => path.includes(`{${name}}`)
    const params = Object.fromEntries(fields.filter(isInPath))
    const body = Object.fromEntries(fields.filter((field) => !isInPath(field)))
    const data = await this.#http.json<RunData<K>>({
      method: 'POST',
      path,
      params,
      body,
      idempotencyKey,
      signal,
    })
    return this.runs.of(data)
  }

  /**
   * Runs a task page by page: one run a page, each at the price of the task, started when it is asked for.
   *
   * @throws as {@link run}
   */
  async *pages<K extends TaskKey>(
    task: K,
    input: Input<K>,
    options: PagesOptions = {},
  ): AsyncGenerator<SucceededRun<K>, void> {
    const { idempotencyKey: key, maxPages = Number.POSITIVE_INFINITY } = options
    const { next } = await this.#find(task, options)
    let current: Input<K> & { readonly [field: string]: unknown } = { ...input }
    for (let page = 1; page <= maxPages; page++) {
      const idempotencyKey = key === undefined || page === 1 ? key : `${key}/${page}`
      const run = await this.run(task, current, { ...options, idempotencyKey })
      yield run
      const { next_cursor: cursor } = run.result as { readonly next_cursor?: string | null }
      // A source that leads from a page to itself would be paid for without end.
      if (next === null || typeof cursor !== 'string' || cursor === current[next]) return
      // With a cursor, neither a page number nor the way back makes sense.
      const { page: _, before: __, ...rest } = current
      current = { ...rest, [next]: cursor } as typeof current
    }
  }

  /** The items of all pages of a task; see {@link pages} for what they cost. */
  async *items<K extends TaskKey>(
    task: K,
    input: Input<K>,
    options?: PagesOptions,
  ): AsyncGenerator<Item<K>, void> {
    for await (const run of this.pages(task, input, options)) yield* run.items()
  }

  /** The event feed: what has happened, then what happens, until you leave the loop. It resumes by itself. */
  events({ after, types, signal }: EventsOptions = {}): AsyncGenerator<Schemas['Event'], void> {
    const query = { after, types: types?.join() }
    return follow<Schemas['Event']>(this.#http, { path: '/v1/events/stream', query, signal })
  }

  /** Makes any call of the API, typed by its method and path. */
  request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[options]: Args<RequestOptions<M, P>>
  ): Promise<AnswerOf<M, P>> {
    const { path: params, ...rest } = (options ?? {}) as {
      readonly path?: { readonly [name: string]: string }
    }
    return this.#http.json({ method, path: String(path), params, ...rest })
  }

  readonly tasks = {
    /** All tasks, with price, schemas and health. */
    list: async (options: Abortable = {}): Promise<Schemas['Task'][]> =>
      (await this.request('GET', '/v1/tasks', options)).tasks,
    get: (taskKey: string, options: Abortable = {}): Promise<Schemas['Task']> =>
      this.request('GET', '/v1/tasks/{task_key}', { path: { task_key: taskKey }, ...options }),
  }

  readonly account = {
    /** Balance, entitlements, limits. */
    get: (options: Abortable = {}): Promise<Schemas['Account']> =>
      this.request('GET', '/v1/account', options),
    /** Grants, charges and refunds, newest first. */
    ledger: ({ signal }: Abortable = {}): AsyncGenerator<Schemas['LedgerEntry'], void> =>
      list<Schemas['LedgerEntry']>(this.#http, { path: '/v1/account/ledger', signal }, 'entries'),
  }

  readonly logins = {
    /** One for each source that has a sign-in. */
    list: async (options: Abortable = {}): Promise<AnswerOf<'GET', '/v1/logins'>['logins']> =>
      (await this.request('GET', '/v1/logins', options)).logins,
    /** Makes a link to sign in with: `hosted_url`. */
    start: (source: string, options: Abortable = {}): Promise<AnswerOf<'POST', '/v1/logins/{source}'>> =>
      this.request('POST', '/v1/logins/{source}', { path: { source }, repeatable: true, ...options }),
    delete: (source: string, options: Abortable = {}): Promise<AnswerOf<'DELETE', '/v1/logins/{source}'>> =>
      this.request('DELETE', '/v1/logins/{source}', { path: { source }, ...options }),
  }

  readonly keys = {
    /** All keys of the account, newest first. */
    list: async (options: Abortable = {}): Promise<Schemas['Key'][]> =>
      (await this.request('GET', '/admin/list-keys', options)).keys,
    /** Creates a key; `api_key` is shown this once. */
    create: (key: PostBody<'/admin/create-key'> = {}, options: Abortable = {}): Promise<Schemas['NewKey']> =>
      this.request('POST', '/admin/create-key', { body: key, ...options }),
    revoke: (keyId: string, options: Abortable = {}): Promise<Schemas['Key']> =>
      this.request('POST', '/admin/revoke-key', { body: { key_id: keyId }, repeatable: true, ...options }),
  }

  readonly webhooks = {
    /** All endpoints of the account. */
    list: async (options: Abortable = {}): Promise<Schemas['Webhook'][]> =>
      (await this.request('GET', '/v1/webhooks', options)).webhooks,
    /** Creates an endpoint; `secret`, for {@link verifyWebhook}, is shown this once. */
    create: (
      webhook: PostBody<'/v1/webhooks'>,
      options: Abortable = {},
    ): Promise<Schemas['WebhookWithSecret']> =>
      this.request('POST', '/v1/webhooks', { body: webhook, ...options }),
    get: (webhookId: string, options: Abortable = {}): Promise<Schemas['Webhook']> =>
      this.request('GET', '/v1/webhooks/{webhook_id}', { path: { webhook_id: webhookId }, ...options }),
    /** Changes what is named: `url`, `types`, `description`, `state`. */
    update: (
      webhookId: string,
      changes: WebhookChanges,
      options: Abortable = {},
    ): Promise<Schemas['Webhook']> =>
      this.request('PATCH', '/v1/webhooks/{webhook_id}', {
        path: { webhook_id: webhookId },
        body: changes,
        ...options,
      }),
    delete: (webhookId: string, options: Abortable = {}) =>
      this.request('DELETE', '/v1/webhooks/{webhook_id}', { path: { webhook_id: webhookId }, ...options }),
    /** Makes a new `secret`; the one before it signs too for 24 hours. */
    rotateSecret: (webhookId: string, options: Abortable = {}): Promise<Schemas['WebhookWithSecret']> =>
      this.request('POST', '/v1/webhooks/{webhook_id}/rotate-secret', {
        path: { webhook_id: webhookId },
        ...options,
      }),
    /** Sends an event of type `gleaner.WebhookTest` now, and tells how the endpoint answered. */
    test: (
      webhookId: string,
      options: Abortable = {},
    ): Promise<AnswerOf<'POST', '/v1/webhooks/{webhook_id}/test'>> =>
      this.request('POST', '/v1/webhooks/{webhook_id}/test', { path: { webhook_id: webhookId }, ...options }),
    /** What was sent in the last 30 days, and what waits to be, newest first. */
    deliveries: (
      webhookId: string,
      { signal, ...query }: DeliveriesFilter & Abortable = {},
    ): AsyncGenerator<Schemas['WebhookDelivery'], void> => {
      const call = {
        path: '/v1/webhooks/{webhook_id}/deliveries',
        params: { webhook_id: webhookId },
        query,
        signal,
      }
      return list<Schemas['WebhookDelivery']>(this.#http, call, 'deliveries')
    },
    /** Delivers an event again, or all of a time: `{ event_id }` or `{ from, until?, only_failed? }`. */
    replay: (
      webhookId: string,
      what: PostBody<'/v1/webhooks/{webhook_id}/replay'>,
      options: Abortable = {},
    ): Promise<AnswerOf<'POST', '/v1/webhooks/{webhook_id}/replay'>> =>
      this.request('POST', '/v1/webhooks/{webhook_id}/replay', {
        path: { webhook_id: webhookId },
        body: what,
        ...options,
      }),
  }

  /** With the key of the operator. */
  readonly operator = {
    openAccount: (account: PostBody<'/admin/accounts'>, options: StartOptions = {}) =>
      this.request('POST', '/admin/accounts', { body: account, ...keyed(options) }),
    grantCredits: (grant: PostBody<'/admin/grant-credits'>, options: StartOptions = {}) =>
      this.request('POST', '/admin/grant-credits', { body: grant, ...keyed(options) }),
    setEntitlements: (
      entitlements: PostBody<'/admin/set-entitlements'>,
      options: StartOptions = {},
    ): Promise<Schemas['Account']> =>
      this.request('POST', '/admin/set-entitlements', { body: entitlements, ...keyed(options) }),
  }

  /** Where a task is. One of a plugin that this client has never heard of is asked for. */
  async #find(task: string, { signal }: Abortable): Promise<(typeof TASKS)[string]> {
    const known = TASKS[task] ?? this.#asked.get(task)
    if (known) return known
    const { path, input_schema } = await this.tasks.get(task, { signal })
    const fields = (input_schema as { readonly properties?: object }).properties ?? {}
    const next = ['cursor', 'after'].find((name) => name in fields) ?? null
    const found = { path: path.replaceAll(/:(\w+)/g, '{$1}'), next }
    this.#asked.set(task, found)
    return found
  }
}

/** Calls of the operator take an Idempotency-Key too. */
const keyed = ({ idempotencyKey = newIdempotencyKey(), signal }: StartOptions) => ({ idempotencyKey, signal })
