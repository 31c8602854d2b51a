/**
 * The sign-in of a made-up site, and who is let in: its pages, its sessions, and what all others are answered.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Exchange } from '../../plugin/testing/exchanges.ts'
import { type Annoyance, annoying } from './annoyances.ts'
import { cookiesOf, setCookie } from './cookies.ts'
import { Flow } from './flow.ts'
import { type Look, stepPage, welcomePage, wordsPage } from './pages.ts'
import { Tries } from './tries.ts'
import { type SessionCookie, Sessions, type User } from './users.ts'

export type SignInOptions = {
  /** of the site, for its pages */
  readonly title: string
  /** of the sign-in page */
  readonly path: string
  /** names of the cookies that make a session; scripts can't read the first */
  readonly cookies: readonly string[]
  readonly users: readonly User[]
  /** a path that members are shown something at, whatever else the site has; default none */
  readonly check?: string | undefined
  /** what is shown to who is not signed in, too; default nothing but the sign-in */
  readonly open?: readonly Exchange[]
  /** how long five wrong tries lock, in milliseconds; default 20 seconds */
  readonly lockMs?: number
  /** what its pages do beside, for hostile tests */
  readonly annoyances?: readonly Annoyance[]
  /** milliseconds since 1970; default the clock */
  readonly now?: () => number
}

/** A request to the site; `path` with its query. */
export type Visit = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const LOCK_MS = 20_000
const FLOW = 'sign_in_flow'
/** Visitors who have begun to sign in; the oldest are forgotten. */
const MOST_FLOWS = 1000
const REMEMBERED_S = 30 * 86_400
/** Ends the sessions of the user named in its body, or all: `POST`. */
export const REVOKE = '/_standin/revoke'

/** What scripts ask for is told that nobody is signed in; pages lead to the sign-in. */
const API = /\/(?:api|graphql)\//
const REFUSED = {
  errors: [{ code: 32, message: 'Could not authenticate you' }],
  message: 'login_required',
  status: 'fail',
}

export class Gate {
  readonly sessions: Sessions
  private readonly tries: Tries
  /** by their ids */
  private readonly flows = new Map<string, Flow>()
  private readonly look: Look

  /** @param prefix of the path that the site lies below, which its redirects begin with: `/shop`, or nothing */
  constructor(
    private readonly options: SignInOptions,
    private readonly prefix: string,
  ) {
    const { cookies, lockMs = LOCK_MS, now = Date.now, title, annoyances = [] } = options
    this.sessions = new Sessions(cookies)
    this.tries = new Tries(lockMs, now)
    this.look = { title, extra: annoying(annoyances) }
  }

  /** Whether a request comes from somebody who is signed in. */
  lets({ headers }: Visit): boolean {
    return this.sessions.userOf(cookiesOf(headers)) !== undefined
  }

  /** What a request is answered that only members are answered. */
  refusal({ path }: Visit): Response {
    if (API.test(path)) return Response.json(REFUSED, { status: 401 })
    return redirect(`${this.prefix}${this.options.path}?next=${encodeURIComponent(path)}`, 302)
  }

  /** Answers what is asked of the sign-in itself; undefined for all else. */
  answer(visit: Visit): Response | undefined {
    const { method, path, body } = visit
    const { pathname, searchParams } = new URL(path, 'http://stand-in')
    if (pathname === REVOKE && method === 'POST')
      return Response.json({ revoked: this.sessions.revoke(body.trim() || undefined) })
    if (pathname !== this.options.path) return undefined
    if (method === 'POST') return this.submitted(visit, new URLSearchParams(body))
    if (method !== 'GET') return new Response(null, { status: 405, headers: { allow: 'GET, POST' } })
    return this.shown(visit, searchParams)
  }

  private flowOf({ headers }: Visit): Flow | undefined {
    return this.flows.get(cookiesOf(headers).get(FLOW) ?? '')
  }

  private shown(visit: Visit, query: URLSearchParams): Response {
    const { tries, look } = this
    const user = this.sessions.userOf(cookiesOf(visit.headers))
    if (user !== undefined) return page(welcomePage(user, look, kept(), this.within(query.get('next'))))
    const known = this.flowOf(visit)
    if (known && query.has('restart')) known.restart()
    if (known) return page(stepPage(known, look))
    const flow = new Flow(this.options.users, tries, query.get('next') ?? undefined)
    this.flows.set(flow.id, flow)
    const [oldest] = this.flows.keys()
    if (this.flows.size > MOST_FLOWS && oldest !== undefined) this.flows.delete(oldest)
    return page(stepPage(flow, look), 200, [setCookie(FLOW, flow.id, true)])
  }

  private submitted(visit: Visit, form: URLSearchParams): Response {
    const flow = this.flowOf(visit)
    if (!flow || form.get('token') !== flow.token)
      return page(wordsPage('This page was open for too long.', this.look), 403)
    const sent = {
      step: form.get('step') ?? '',
      value: form.get('value') ?? '',
      remember: form.has('remember'),
    }
    const outcome = flow.submit(sent)
    switch (outcome.kind) {
      case 'step':
        // What was wrong is told by the page that the form leads to, so that it can be loaded again.
        return redirect(`${this.prefix}${this.options.path}`, 303)
      case 'locked': {
        const { seconds } = outcome
        const words = `Too many tries. Wait ${seconds} seconds, then try again.`
        return page(wordsPage(words, this.look), 429, [], { 'retry-after': String(seconds) })
      }
      case 'signed-in':
        return this.welcomed(flow, outcome.user, outcome.remember)
    }
  }

  private welcomed(flow: Flow, user: User, remember: boolean): Response {
    this.flows.delete(flow.id)
    const maxAgeS = remember ? REMEMBERED_S : undefined
    const set = (cookie: SessionCookie) => setCookie(cookie.name, cookie.value, cookie.httpOnly, maxAgeS)
    const cookies = [...this.sessions.begin(user).map(set), setCookie(FLOW, '', true, 0)]
    const next = flow.next === undefined ? '' : `?next=${encodeURIComponent(flow.next)}`
    return redirect(`${this.prefix}${this.options.path}${next}`, 303, cookies)
  }

  /** Where a sign-in leads to: a path within the site, and no other site's address. */
  private within(next: string | null): string | undefined {
    return next !== null && /^\/(?![/\\])/.test(next) ? this.prefix + next : undefined
  }
}

/** What the site keeps in a browser: a secret of its own for each session. */
const kept = (): Record<string, string> => ({ device: randomBytes(16).toString('hex'), theme: 'dark' })

const redirect = (location: string, status: number, cookies: readonly string[] = []): Response =>
  answer(null, status, { location }, cookies)

const page = (
  html: string,
  status = 200,
  cookies: readonly string[] = [],
  headers: Readonly<Record<string, string>> = {},
): Response => answer(html, status, { 'content-type': 'text/html; charset=utf-8', ...headers }, cookies)

function answer(
  body: string | null,
  status: number,
  fields: Readonly<Record<string, string>>,
  cookies: readonly string[],
): Response {
  const headers = new Headers({ 'cache-control': 'no-store', ...fields })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(body, { status, headers })
}
