/**
 * The hosted page and the endpoints that it calls. The link in the path identifies the visitor. Once the link is
 * opened, the cookie of the browser that opened it does. API keys are not accepted here.
 *
 * @module
 */
import { Type } from '@sinclair/typebox'
import { idOf, isSecret, newSecret } from '../../ephemeral/tickets.ts'
import { basePath } from '../../page/document.ts'
import { SignInError } from '../../signin/browser/errors.ts'
import { MOST_SCALE, SIZES, type Viewport } from '../../signin/browser/types.ts'
import { ASSETS, goneHtml, hostedPage, STRICT } from '../../signin/page/page.ts'
import { streamOf } from '../../signin/page/stream.ts'
import { cookieOf, sessionIn, visitorOf } from '../../signin/page/visitor.ts'
import type { Viewer } from '../../signin/remote/gateway.ts'
import { answer, brokeOff } from '../answers.ts'
import { clientOf } from '../client-address.ts'
import type { Deps } from '../deps.ts'
import { type Call, type Endpoint, pageEndpoint } from '../endpoint.ts'
import { isHead } from '../head.ts'
import { checked } from '../input.ts'
import { checkOrigin } from '../origin.ts'
import { existing, Problem } from '../problems.ts'
import { HostedRateLimits } from './hosted-rate-limits.ts'

/** The dependencies of the handlers. */
type HostedDeps = Deps & { readonly limits: HostedRateLimits }

const MOST_INPUTS = 200

/** The endpoints of the hosted page. */
export function hostedEndpoints(api: Deps): Endpoint[] {
  const deps: HostedDeps = { ...api, limits: new HostedRateLimits(api.now) }
  const endpoint = (method: Endpoint['method'], path: string, handle: Endpoint['handle']) =>
    pageEndpoint('hosted', { method, path, handle })
  return [
    endpoint('GET', '/login/assets/:name', ({ params }) => asset(params.name ?? '')),
    endpoint('GET', '/login/:token', (call) => page(deps, call)),
    endpoint('POST', '/login/:token/start', (call) => start(deps, call)),
    endpoint('GET', '/login/:token/stream', (call) => stream(deps, call)),
    endpoint('POST', '/login/:token/input', (call) => input(deps, call)),
    endpoint('POST', '/login/:token/end', (call) => end(deps, call)),
  ]
}

function asset(name: string): Response {
  const { body, contentType } = existing(ASSETS.get(name))
  return new Response(body, {
    headers: { ...STRICT, 'cache-control': 'no-cache', 'content-type': contentType },
  })
}

/** The path prefix of links, as a browser sees it: below the service's public URL, which may have a path. */
const linksOf = ({ config }: Deps): string => `${basePath(config.publicUrl)}/login`
const assetsOf = (deps: Deps): string => `${linksOf(deps)}/assets`

async function page(deps: HostedDeps, { request, params }: Call): Promise<Response> {
  const visitor = await visiting(deps, request, params.token ?? '')
  const headers = { ...STRICT, 'content-type': 'text/html; charset=utf-8' }
  if (!visitor) return new Response(goneHtml(assetsOf(deps)), { status: 404, headers })
  const { opened, link, source } = visitor
  const { title, origin } = source
  const leftMs = link.expiresAt - deps.now()
  const { name: account } = await deps.accounts.state(link.account)
  const back = link.returnTo && `${basePath(deps.config.publicUrl)}${link.returnTo}`
  const shown = { title, origin, leftMs, opened, account, back }
  return new Response(hostedPage(shown, assetsOf(deps)), { headers })
}

const Start = Type.Object({
  width: Type.Number(),
  height: Type.Number(),
  touch: Type.Boolean(),
  scale: Type.Number(),
})

/** Opens a link. From then on only this browser can use it. */
async function start(deps: HostedDeps, call: Call): Promise<Response> {
  const { request, params } = call
  checkOrigin(deps.config, request)
  const visitor = await visiting(deps, request, params.token ?? '')
  if (!visitor || visitor.opened === 'elsewhere') throw new Problem('not-found')
  // A repeated request of the browser that has opened the link.
  if (visitor.opened === 'here') return answer({}, 200, STRICT)
  if (deps.shuttingDown()) throw new Problem('shutting-down')
  const viewport = viewportIn(await call.body())
  const secret = newSecret()
  // The session id, a hash of the secret. Only the id is stored.
  const id = idOf(secret)
  const { link, hash, source } = visitor
  const startedAt = deps.now()
  if (!(await deps.signInLinks.open(hash, id, startedAt))) throw new Problem('not-found')
  const { account, expiresAt } = link
  await deps.gateway.open({ id, hash, account, source, viewport, startedAt, expiresAt })
  const path = `${linksOf(deps)}/${params.token}`
  const maxAgeS = Math.ceil((expiresAt - startedAt) / 1000)
  return answer({}, 200, { ...STRICT, 'set-cookie': cookieOf(secret, path, deps.config.publicUrl, maxAgeS) })
}

/** Clamps the viewport to the allowed sizes: the visitor cannot be asked to resize a window. */
function viewportIn(body: Record<string, unknown> | undefined): Viewport {
  const { width, height, touch, scale } = checked(Start, body ?? {})
  const side = (value: number) => Math.round(Math.min(SIZES.most, Math.max(SIZES.least, value)))
  return {
    width: side(width),
    height: side(height),
    touch,
    scale: Math.min(MOST_SCALE, Math.max(1, scale)),
  }
}

async function stream(deps: HostedDeps, call: Call): Promise<Response> {
  const { request } = call
  const viewer = await viewerOf(deps, request)
  const headers = { ...STRICT, 'content-type': 'application/octet-stream', 'x-accel-buffering': 'no' }
  // A HEAD response has no reader, so it must not displace the current viewer.
  if (isHead(request)) return new Response(null, { headers })
  const signal = AbortSignal.any([request.signal, deps.closing])
  const failed = brokeOff(deps, call, 'The stream of a sign-in broke off. Its page connects again.')
  return new Response(streamOf(viewer, signal, failed), { headers })
}

async function input(deps: HostedDeps, call: Call): Promise<Response> {
  const { request } = call
  checkOrigin(deps.config, request)
  const viewer = await viewerOf(deps, request)
  const { inputs } = (await call.body()) ?? {}
  if (!Array.isArray(inputs) || inputs.length > MOST_INPUTS) {
    throw new Problem('validation-failed', {
      detail: `inputs must be a list of at most ${MOST_INPUTS} inputs.`,
    })
  }
  await delivered(viewer.send(inputs))
  // The stream reports what the inputs did.
  return answer({}, 202, STRICT)
}

async function end(deps: HostedDeps, { request }: Call): Promise<Response> {
  checkOrigin(deps.config, request)
  const viewer = await viewerOf(deps, request)
  await delivered(viewer.close())
  return answer({}, 200, STRICT)
}

/** Reports to the page that its input was not delivered. @throws {Problem} */
async function delivered(call: Promise<void>): Promise<void> {
  await call.catch((error) => {
    if (!(error instanceof SignInError)) throw error
    if (error.code === 'flooded') throw new Problem('rate-limited', { extras: { retry_after_s: 1 } })
    if (error.code === 'bad-input') throw new Problem('validation-failed', { detail: 'Invalid input.' })
    if (error.code === 'closed') throw new Problem('not-found')
    throw new Problem('store-unavailable', { detail: 'The input did not reach the browser of the sign-in.' })
  })
}

/** Like {@link visitorOf}, with the hash of the token and the source to sign in at. @throws {Problem} 429 */
async function visiting(deps: HostedDeps, request: Request, token: string) {
  if (!isSecret(token)) return undefined
  const hash = idOf(token)
  const find = () => visitorOf(deps, request, hash)
  const visitor = await deps.limits.find(hash, clientOf(deps, request), find)
  const source = visitor && deps.catalogue.source(visitor.link.source)
  return visitor && source?.login ? { ...visitor, hash, source } : undefined
}

/**
 * The session of the browser that has opened a link. The link itself is not looked up: it ends with the session, but
 * the session's end stays readable for a while.
 *
 * @throws {Problem} 404 if this browser has no session; 429
 */
async function viewerOf(deps: HostedDeps, request: Request): Promise<Viewer> {
  const id = existing(sessionIn(request))
  return existing(await deps.limits.find(id, clientOf(deps, request), () => deps.gateway.view(id)))
}
