import type { components } from '../generated/api.d.ts'
import { GleanerError } from './errors.ts'
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
/** The service takes 255. */
const LONGEST_KEY_OF_PAGES = 245

type EventName = Schemas['Event']['type'] extends `gleaner.${infer Name}` ? Name : never

export type StartOptions = Abortable & {
  /** The same key returns the same run, also in another process. Default: a random key for each call. */
  readonly idempotencyKey?: string | undefined
  /** `title` of the run, by which people recognize it: 1 to 100 characters. Default: a summary of the input. */
  readonly title?: string | undefined
}
/** Options of calls that create something. */
export type CreateOptions = Abortable & {
  /**
   * Calls with the same key create one, also in another process. Default: a random key for each call, which its retries
   * share.
   */
  readonly idempotencyKey?: string | undefined
}
export type RunOptions = StartOptions & WaitOptions
export type PagesOptions = RunOptions & {
  /** The maximum number of pages. Default: all pages. */
  readonly maxPages?: number | undefined
}
export type EventsOptions = Abortable & {
  /** Starts after the event with this `sequence`. Default: starts at the first event. */
  readonly after?: string | undefined
  /** Names of events, such as `RunSucceeded`. Default: all. */
  readonly types?: readonly EventName[] | undefined
}
export type HealthOptions = Abortable & {
  /** How many days, today included: 1 to 90. Default: 14. */
  readonly days?: number | undefined
}

/** A client for one account. */
export class Gleaner {
  readonly #http: Http
  /** Tasks that are not in `TASKS`, as fetched from the service. Keyed by task key. */
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
   * @throws {RunFailed} if the run ended, but did not succeed
   * @throws {LoginRequired} if the task needs a login first
   * @throws {GleanerError} if the service rejected the call or could not be reached
   */
  async run<K extends TaskKey>(task: K, input: Input<K>, options: RunOptions = {}): Promise<SucceededRun<K>> {
    const run = await this.start(task, input, options)
    return succeeded(await run.wait(options))
  }

  /** Starts a run and returns it without waiting. @throws {LoginRequired} if the task needs a login first */
  start<K extends TaskKey>(task: K, input: Input<K>, options: StartOptions = {}): Promise<Run<K>> {
    return this.#start(task, input, options)
  }

  async #start<K extends TaskKey>(
    task: K,
    input: Input<K>,
    options: StartOptions,
    onHeaders?: (headers: Headers) => void,
  ): Promise<Run<K>> {
    const { signal, idempotencyKey = newIdempotencyKey(), title } = options
    const { path } = await this.#find(task, options)
    const fields = Object.entries(input)
    const isInPath = ([name]: readonly [string, unknown]) => path.includes(`{${name}}`)
    const params = Object.fromEntries(fields.filter(isInPath))
    const body = Object.fromEntries(fields.filter((field) => !isInPath(field)))
    if (title !== undefined) body._run = { ...(body._run as object | undefined), title }
    const call = { method: 'POST', path, params, body, idempotencyKey, signal }
    return this.runs.of(await this.#http.json<RunData<K>>(call, onHeaders))
  }

  /** Runs a page. If its run failed in an earlier call with the same key, it is run again, under a further key. */
  async #page<K extends TaskKey>(
    task: K,
    input: Input<K>,
    options: RunOptions,
    key: string | undefined,
  ): Promise<SucceededRun<K>> {
    for (let attempt = 1; ; attempt++) {
      let isEarlier = false
      const idempotencyKey = attempt === 1 ? key : `${key}~${attempt}`
      const run = await this.#start(task, input, { ...options, idempotencyKey }, (headers) => {
        isEarlier = key !== undefined && headers.has('idempotency-replayed')
      })
      const ended = await run.wait(options)
      if (!isEarlier || ended.run_status === 'succeeded') return succeeded(ended)
    }
  }

  /**
   * Runs a task page by page. Each page is a separate run, charged at the price of the task, and starts only when the
   * page is requested.
   *
   * @throws as {@link run}
   */
  async *pages<K extends TaskKey>(
    task: K,
    input: Input<K>,
    options: PagesOptions = {},
  ): AsyncGenerator<SucceededRun<K>, void> {
    const { idempotencyKey: key, maxPages = Number.POSITIVE_INFINITY } = options
    // A later page would be refused, after the ones before it were paid for.
    if (key !== undefined && key.length > LONGEST_KEY_OF_PAGES) {
      const detail = `For pages, idempotencyKey must be at most ${LONGEST_KEY_OF_PAGES} characters: page numbers are added to it.`
      throw new GleanerError({ code: 'bad-idempotency-key', detail })
    }
    const { next } = await this.#find(task, options)
    let current: Input<K> & { readonly [field: string]: unknown } = { ...input }
    for (let page = 1; page <= maxPages; page++) {
      const idempotencyKey = key === undefined || page === 1 ? key : `${key}/${page}`
      const run = await this.#page(task, current, options, idempotencyKey)
      yield run
      const { next_cursor: cursor } = run.result as { readonly next_cursor?: string | null }
      // A page whose cursor leads back to itself would be charged forever.
      if (next === null || typeof cursor !== 'string' || cursor === current[next]) return
      // `page` and `before` cannot be combined with a cursor.
      const { page: _, before: __, ...rest } = current
      current = { ...rest, [next]: cursor } as typeof current
    }
  }

  /** The items of all pages of a task. See {@link pages} for the price. */
  async *items<K extends TaskKey>(
    task: K,
    input: Input<K>,
    options?: PagesOptions,
  ): AsyncGenerator<Item<K>, void> {
    for await (const run of this.pages(task, input, options)) yield* run.items()
  }

  /** The event feed: past events, then new ones as they happen, until you leave the loop. It resumes automatically. */
  events({ after, types, signal }: EventsOptions = {}): AsyncGenerator<Schemas['Event'], void> {
    const query = { after, types: types?.join() }
    return follow<Schemas['Event']>(this.#http, { path: '/v1/events/stream', query, signal })
  }

  /** Makes any API call, typed by its method and path. */
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
      fieldOf(await this.request('GET', '/v1/tasks', options), 'tasks'),
    get: (taskKey: string, options: Abortable = {}): Promise<Schemas['Task']> =>
      this.request('GET', '/v1/tasks/{task_key}', { path: { task_key: taskKey }, ...options }),
    /** How a task stands, and how its runs went day by day. */
    health: (taskKey: string, { days, ...options }: HealthOptions = {}): Promise<Schemas['TaskHealth']> =>
      this.request('GET', '/v1/tasks/{task_key}/health', {
        path: { task_key: taskKey },
        query: days === undefined ? {} : { days },
        ...options,
      }),
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
    /** The login of each source that has a sign-in. */
    list: async (options: Abortable = {}): Promise<AnswerOf<'GET', '/v1/logins'>['logins']> =>
      fieldOf(await this.request('GET', '/v1/logins', options), 'logins'),
    /**
     * Creates a sign-in link, `hosted_url`. It is null only if an earlier call with the same key created the link, and it
     * was opened or has expired since.
     */
    start: (source: string, options: CreateOptions = {}): Promise<AnswerOf<'POST', '/v1/logins/{source}'>> =>
      this.request('POST', '/v1/logins/{source}', { path: { source }, ...keyed(options) }),
    delete: (source: string, options: Abortable = {}): Promise<AnswerOf<'DELETE', '/v1/logins/{source}'>> =>
      this.request('DELETE', '/v1/logins/{source}', { path: { source }, ...options }),
  }

  readonly keys = {
    /** All keys of the account, newest first. */
    list: async (options: Abortable = {}): Promise<Schemas['Key'][]> =>
      fieldOf(await this.request('GET', '/admin/list-keys', options), 'keys'),
    /**
     * Creates a key. `api_key` is returned only once. It is null if an earlier attempt or call with the same key created
     * it and the response was lost: then revoke it, and create another one.
     */
    create: (
      key: PostBody<'/admin/create-key'> = {},
      options: CreateOptions = {},
    ): Promise<Schemas['NewKey']> =>
      this.request('POST', '/admin/create-key', { body: key, ...keyed(options) }),
    revoke: (keyId: string, options: Abortable = {}): Promise<Schemas['Key']> =>
      this.request('POST', '/admin/revoke-key', { body: { key_id: keyId }, repeatable: true, ...options }),
  }

  readonly webhooks = {
    /** All endpoints of the account. */
    list: async (options: Abortable = {}): Promise<Schemas['Webhook'][]> =>
      fieldOf(await this.request('GET', '/v1/webhooks', options), 'webhooks'),
    /**
     * Creates an endpoint. `secret`, for {@link verifyWebhook}, is returned only once. It is null if an earlier attempt or
     * call with the same key created the endpoint and the response was lost: then rotate it.
     */
    create: (
      webhook: PostBody<'/v1/webhooks'>,
      options: CreateOptions = {},
    ): Promise<Schemas['NewWebhook']> =>
      this.request('POST', '/v1/webhooks', { body: webhook, ...keyed(options) }),
    get: (webhookId: string, options: Abortable = {}): Promise<Schemas['Webhook']> =>
      this.request('GET', '/v1/webhooks/{webhook_id}', { path: { webhook_id: webhookId }, ...options }),
    /** Changes the given fields: `url`, `types`, `description`, `state`. */
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
    /** Creates a new `secret`. The previous secret also signs for 24 hours. */
    rotateSecret: (webhookId: string, options: Abortable = {}): Promise<Schemas['WebhookWithSecret']> =>
      this.request('POST', '/v1/webhooks/{webhook_id}/rotate-secret', {
        path: { webhook_id: webhookId },
        ...options,
      }),
    /** Sends an event of type `gleaner.WebhookTest` now, and returns how the endpoint responded. */
    test: (
      webhookId: string,
      options: Abortable = {},
    ): Promise<AnswerOf<'POST', '/v1/webhooks/{webhook_id}/test'>> =>
      this.request('POST', '/v1/webhooks/{webhook_id}/test', { path: { webhook_id: webhookId }, ...options }),
    /** The deliveries of the last 30 days and the pending ones, newest first. */
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
    /**
     * Delivers one event again, `{ event_id }`, or the events of a time span that have the endpoint's types,
     * `{ from, until?, only_failed? }`.
     */
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

  /** Calls that need the operator's key. */
  readonly operator = {
    openAccount: (account: PostBody<'/admin/accounts'>, options: CreateOptions = {}) =>
      this.request('POST', '/admin/accounts', { body: account, ...keyed(options) }),
    grantCredits: (grant: PostBody<'/admin/grant-credits'>, options: CreateOptions = {}) =>
      this.request('POST', '/admin/grant-credits', { body: grant, ...keyed(options) }),
    setEntitlements: (
      entitlements: PostBody<'/admin/set-entitlements'>,
      options: CreateOptions = {},
    ): Promise<Schemas['Account']> =>
      this.request('POST', '/admin/set-entitlements', { body: entitlements, ...keyed(options) }),
  }

  /** The path of a task. Tasks missing from `TASKS`, such as those of other plugins, are fetched from the service. */
  async #find(task: string, { signal }: Abortable): Promise<(typeof TASKS)[string]> {
    const known = TASKS[task] ?? this.#asked.get(task)
    if (known) return known
    const answer = await this.tasks.get(task, { signal })
    const fields = (fieldOf(answer, 'input_schema') as { readonly properties?: object }).properties ?? {}
    const next = ['cursor', 'after'].find((name) => name in fields) ?? null
    const route = { path: String(fieldOf(answer, 'path')).replaceAll(/:(\w+)/g, '{$1}'), next }
    this.#asked.set(task, route)
    return route
  }
}

/** @throws {GleanerError} `unexpected-answer` if the response has no such field */
function fieldOf<A extends object, N extends keyof A & string>(answer: A, name: N): A[N] {
  if (answer?.[name]) return answer[name]
  const detail = `The response is not from Gleaner: it has no ${name}.`
  throw new GleanerError({ code: 'unexpected-answer', status: 200, detail })
}

const keyed = ({ idempotencyKey = newIdempotencyKey(), signal }: CreateOptions) => ({
  idempotencyKey,
  signal,
})
