/**
 * How pages are routed, and what all of their answers have in common.
 *
 * @module
 */
import type { Call, Endpoint } from '../http/endpoint.ts'
import { checkOrigin } from '../http/origin.ts'
import { pathOf } from '../http/pipeline.ts'
import type { ConsoleDeps } from './deps.ts'
import { bodyOf } from './form.ts'
import { Redirect, seeOther } from './redirect.ts'

/** A page, or what a form of it does. */
export type PageRoute = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  handle(call: Call): Response | Promise<Response>
}

/** Of every answer: no page is kept by anybody, shown in anybody's frame, or loads anything that is not ours. */
export const STRICT = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types gleaner",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
} as const

/** An endpoint for a page: no key opens it, and no document tells of it. */
export function routeOf(deps: ConsoleDeps, { method, path, handle }: PageRoute): Endpoint {
  return {
    ...{ method, path, access: { kind: 'public' }, rate: null, checksQuery: true, answers: {} },
    ...{ id: `console${path}`, tag: 'Console', summary: 'A page of the console' },
    async handle(call: Call) {
      if (method === 'POST') {
        checkOrigin(deps.config, call.request)
        // Whoever holds a form back is looked at when it is there: what they might do before does not count.
        await bodyOf(call.request)
      }
      const answer = await led(() => handle(call))
      for (const [name, value] of Object.entries(STRICT))
        if (!answer.headers.has(name)) answer.headers.set(name, value)
      return answer
    },
  }
}

async function led(handle: () => Response | Promise<Response>): Promise<Response> {
  try {
    return await handle()
  } catch (error) {
    if (error instanceof Redirect) return seeOther(error.to)
    throw error
  }
}

/** Whether a browser asks for a page of the console. */
export function isPageRequest({ url, headers }: Request): boolean {
  const path = pathOf(url)
  const isConsole = path === '/console' || path.startsWith('/console/')
  return isConsole && /text\/html/i.test(headers.get('accept') ?? '')
}
