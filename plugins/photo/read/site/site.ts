/**
 * Instagram's web site, as its own pages ask it.
 *
 * @module
 */
import { type Context, type FetchOptions, SourceChanged, type SourceError } from 'gleaner/plugin'
import { readPage, type SitePage } from './page.ts'
import { apiRefusal, pageRefusal, queryRefusal, Refusal, StaleQuery } from './refusals.ts'
import { Requests } from './requests.ts'

/** The id of the web app, which is the same for everybody. */
export const APP_ID = '936619743392459'
/** How long runs share a visitor's token and the ids of queries, in seconds. */
const KEPT_S = 3600

const SCRIPT = { 'x-asbd-id': '359341', 'x-ig-app-id': APP_ID }

/** A query of the pages for visitors. */
export type Query = {
  readonly name: string
  /** The id in autumn 2026. The site renews it: the pages that make the query name the current one. */
  readonly id: string
}

/** The site in one run, with what its pages have told for later requests. */
export class Site {
  /** the refusal of the member's login, which is not used any more */
  refusal: SourceError | undefined
  private readonly requests: Requests
  /** the paths of the pages that were asked for */
  private readonly requestedPaths = new Set<string>()
  /** the names of the queries whose ids were read anew */
  private readonly renewed = new Set<string>()
  private readonly ids = new Map<string, string>()
  private token: string | null = null

  constructor(
    readonly context: Context,
    readonly username: string,
  ) {
    this.requests = new Requests(context)
  }

  /** Reads a page, as a browser that opens it: a script gets none of its data. Sign-in pages are pages too. @throws {SourceError} for a refusal */
  async page(path: string): Promise<SitePage> {
    this.requestedPaths.add(path)
    return this.requests.ask(path, { as: 'document' }, (answer) => {
      const page = readPage(answer.text)
      const refusal = pageRefusal(answer, page, this.context.signedIn)
      if (refusal) throw refusal
      this.learn(page)
      return page
    })
  }

  /** Asks the API. @param gapMs the least time since a member's last request */
  async api(path: string, query: FetchOptions['query'] = {}, gapMs?: number): Promise<unknown> {
    const headers = { ...this.headers(), 'x-requested-with': 'XMLHttpRequest' }
    const options = { as: 'fetch' as const, query, headers, ...(gapMs === undefined ? {} : { gapMs }) }
    return this.requests.ask(path, options, (answer) => {
      const refusal = apiRefusal(answer, this.context.signedIn)
      if (refusal) throw refusal
      return answer.json
    })
  }

  /** Makes a query. @param page the path of a page that names its id, in case that the known one is no longer valid */
  async query(query: Query, variables: object, page: string): Promise<unknown> {
    const { name } = query
    try {
      return await this.post(query, variables)
    } catch (error) {
      const mayRenew =
        error instanceof StaleQuery && !this.renewed.has(name) && !this.requestedPaths.has(page)
      if (!mayRenew) throw error
      const stale = this.idOf(query)
      this.renewed.add(name)
      await this.page(page)
      if (this.idOf(query) === stale) throw error
      return this.post(query, variables)
    }
  }

  private async post(query: Query, variables: object): Promise<unknown> {
    const { signedIn } = this.context
    const { name } = query
    const lsd = await this.lsd()
    const body = new URLSearchParams({
      av: '0',
      __d: 'www',
      __user: '0',
      __a: '1',
      __comet_req: '7',
      lsd,
      fb_api_caller_class: 'RelayModern',
      fb_api_req_friendly_name: name,
      variables: JSON.stringify(variables),
      server_timestamps: 'true',
      doc_id: this.idOf(query),
    }).toString()
    const headers = {
      ...this.headers(),
      'content-type': 'application/x-www-form-urlencoded',
      'x-fb-friendly-name': name,
      'x-fb-lsd': lsd,
    }
    return this.requests.ask('/api/graphql', { as: 'fetch', method: 'POST', headers, body }, (answer) => {
      const refusal = queryRefusal(answer, signedIn)
      if (refusal) throw refusal
      return answer.json
    })
  }

  private headers(): Record<string, string> {
    const { context, username } = this
    const token = context.cookie('csrftoken')
    return {
      ...SCRIPT,
      referer: `${context.origin}/${username}/`,
      ...(token === undefined ? {} : { 'x-csrftoken': token }),
    }
  }

  /** The token of queries. Every page has it; if no page was read yet, the front page is. */
  private async lsd(): Promise<string> {
    const { exitMemory, signedIn } = this.context
    const make = async () => ({ value: await this.readToken(), seconds: KEPT_S })
    this.token ??= signedIn ? (await make()).value : await exitMemory.once('token', make)
    return this.token
  }

  private async readToken(): Promise<string> {
    // The front page may redirect visitors to the sign-in page, which has the token too.
    for (const path of this.context.signedIn ? ['/'] : ['/', '/accounts/login/']) {
      try {
        const { token } = await this.page(path)
        if (token !== null) return token
      } catch (error) {
        if (!(error instanceof Refusal && error.sign === 'login')) throw error
      }
    }
    throw new SourceChanged('the front page has no token')
  }

  private idOf({ name, id }: Query): string {
    const sharedId = this.context.signedIn ? undefined : this.context.memory.get(`query ${name}`)
    return this.ids.get(name) ?? (sharedId as string | undefined) ?? id
  }

  /** Keeps what a page tells. The runs of visitors share it, but a member's page is the account's own. */
  private learn({ token, queries }: SitePage): void {
    const { memory, exitMemory, signedIn } = this.context
    this.token = token ?? this.token
    for (const [name, id] of queries) {
      this.ids.set(name, id)
      if (!signedIn) memory.set(`query ${name}`, id, KEPT_S)
    }
    if (token !== null && !signedIn) exitMemory.set('token', token, KEPT_S)
  }
}
