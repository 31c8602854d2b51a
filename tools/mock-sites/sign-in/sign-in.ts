/**
 * The sign-in of a mock site: its pages, its sessions, and the answers to visitors who are not signed in.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Html } from '../../../src/html.ts'
import type { Exchange } from '../../../src/plugin/testing/exchanges.ts'
import type { Source } from '../../../src/plugin.ts'
import { Flow, type SignedIn } from './flow.ts'
import { type Look, stepPage, welcomePage, wordsPage } from './pages.ts'
import { type SessionCookie, Sessions, type User } from './users.ts'

export type SignInOptions = {
  /** title of the site, shown on its pages */
  readonly title: string
  /** path of the sign-in page */
  readonly path: string
  /** names of the cookies that make up a session; the first is HttpOnly */
  readonly cookies: readonly string[]
  readonly users: readonly User[]
  /** a path that always succeeds for members, a segment of which may be `*`; default none */
  readonly check?: string | undefined
  /** exchanges that do not require signing in; default none */
  readonly open?: readonly Exchange[]
  /** more content of its pages, to test browsers that show them; default none */
  readonly extra?: Html
}

/** The options of a sign-in for a source's login. @throws {TypeError} for a source without one */
export function signInOptionsOf(
  { name, title, origin, login }: Source,
  options: Omit<SignInOptions, 'title' | 'path' | 'cookies' | 'check'>,
): SignInOptions {
  if (!login) throw new TypeError(`${name} has no login`)
  return {
    ...options,
    title,
    path: new URL(login.url, origin).pathname,
    check: login.check?.url.replace(/\{\w+\}/g, '*'),
    cookies: login.signedIn.cookies.map((cookie) => cookie.split('@')[0] ?? cookie),
  }
}

/** A request to the site; `path` with its query. */
export type SiteRequest = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const FLOW = 'sign_in_flow'
/** Maximum number of sign-ins in progress; the oldest are dropped. */
const MAX_FLOWS = 1000
const REMEMBERED_S = 30 * 86_400
/** `POST` ends the sessions of the user named in the body, or all sessions. */
export const REVOKE = '/_mock/revoke'

/** Paths of scripts' requests, which are answered 401. Pages redirect to the sign-in. */
const API = /\/(?:api|graphql)\//
const REFUSED = {
  errors: [{ code: 32, message: 'Could not authenticate you' }],
  message: 'login_required',
  status: 'fail',
}

export class SignIn {
  readonly sessions: Sessions
  /** keyed by id */
  private readonly flows = new Map<string, Flow>()
  private readonly look: Look

  /** @param prefix of all paths of the site: `/shop`, or nothing; its redirects begin with it */
  constructor(
    private readonly options: SignInOptions,
    private readonly prefix: string,
  ) {
    const { cookies, title, extra } = options
    this.sessions = new Sessions(cookies)
    this.look = { title, extra }
  }

  /** Whether a request comes from a signed-in user. */
  isSignedIn({ headers }: SiteRequest): boolean {
    return this.sessions.userOf(cookiesOf(headers)) !== undefined
  }

  /** The answer to a visitor's request for members' content. */
  refuse({ path }: SiteRequest): Response {
    if (API.test(path)) return Response.json(REFUSED, { status: 401 })
    return redirect(`${this.prefix}${this.options.path}?next=${encodeURIComponent(path)}`, 302)
  }

  /** The answer to a request to the sign-in itself; undefined for all others. */
  answer(request: SiteRequest): Response | undefined {
    const { method, path, body } = request
    const { pathname, searchParams } = new URL(path, 'http://mock-site')
    if (pathname === REVOKE && method === 'POST')
      return Response.json({ revoked: this.sessions.revoke(body.trim() || undefined) })
    if (pathname !== this.options.path) return undefined
    if (method === 'POST') return this.submitted(request, new URLSearchParams(body))
    if (method !== 'GET') return new Response(null, { status: 405, headers: { allow: 'GET, POST' } })
    return this.shown(request, searchParams)
  }

  private flowOf({ headers }: SiteRequest): Flow | undefined {
    return this.flows.get(cookiesOf(headers)[FLOW] ?? '')
  }

  private shown(request: SiteRequest, query: URLSearchParams): Response {
    const { look } = this
    const user = this.sessions.userOf(cookiesOf(request.headers))
    if (user !== undefined) return page(welcomePage(user, look, kept(), this.within(query.get('next'))))
    const known = this.flowOf(request)
    if (known && query.has('restart')) known.restart()
    if (known) return page(stepPage(known, look))
    const flow = new Flow(this.options.users, query.get('next') ?? undefined)
    this.flows.set(flow.id, flow)
    const [oldest] = this.flows.keys()
    if (this.flows.size > MAX_FLOWS && oldest !== undefined) this.flows.delete(oldest)
    return page(stepPage(flow, look), 200, [setCookie(FLOW, flow.id, true)])
  }

  private submitted(request: SiteRequest, form: URLSearchParams): Response {
    const flow = this.flowOf(request)
    if (!flow || form.get('token') !== flow.token)
      return page(wordsPage('This page has expired.', this.look), 403)
    const sent = {
      step: form.get('step') ?? '',
      value: form.get('value') ?? '',
      remember: form.has('remember'),
    }
    const signedIn = flow.submit(sent)
    // The next page shows an error, so that it can be reloaded.
    return signedIn ? this.welcomed(flow, signedIn) : redirect(`${this.prefix}${this.options.path}`, 303)
  }

  private welcomed(flow: Flow, { user, remember }: SignedIn): Response {
    this.flows.delete(flow.id)
    const maxAgeS = remember ? REMEMBERED_S : undefined
    const set = (cookie: SessionCookie) => setCookie(cookie.name, cookie.value, cookie.httpOnly, maxAgeS)
    const cookies = [...this.sessions.begin(user).map(set), setCookie(FLOW, '', true, 0)]
    const next = flow.next === undefined ? '' : `?next=${encodeURIComponent(flow.next)}`
    return redirect(`${this.prefix}${this.options.path}${next}`, 303, cookies)
  }

  /** The target of the redirect after signing in: a path of this site, never another site. */
  private within(next: string | null): string | undefined {
    return next !== null && /^\/(?![/\\])/.test(next) ? this.prefix + next : undefined
  }
}

const cookiesOf = ({ cookie = '' }: IncomingHttpHeaders) => parseCookie(cookie)

/** A `Set-Cookie` for the whole site. @param maxAge in seconds, 0 to delete it; default: until the browser closes */
const setCookie = (name: string, value: string, httpOnly: boolean, maxAge?: number): string =>
  stringifySetCookie({
    name,
    value,
    httpOnly,
    path: '/',
    secure: true,
    sameSite: 'lax',
    ...(maxAge !== undefined && { maxAge }),
  })

/** The data that the site stores in a browser, with a new secret for each session. */
const kept = (): Record<string, string> => ({ device: randomBytes(16).toString('hex'), theme: 'dark' })

const redirect = (location: string, status: number, cookies: readonly string[] = []): Response =>
  answer(null, status, { location }, cookies)

const page = (html: string, status = 200, cookies: readonly string[] = []): Response =>
  answer(html, status, { 'content-type': 'text/html; charset=utf-8' }, cookies)

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
