/**
 * How pages are routed: who may see them, and what all of their answers have in common.
 *
 * @module
 */
import type { Role } from '../domain/people-events.ts'
import type { Call, Endpoint } from '../http/endpoint.ts'
import { bytesOf } from '../http/input.ts'
import { checkOrigin } from '../http/origin.ts'
import { pathOf } from '../http/pipeline.ts'
import { strictHeaders } from '../page/document.ts'
import type { ConsoleDeps } from './deps.ts'
import {
  asOperator,
  type InAccount,
  inAccount,
  type PageRequest,
  pageRequest,
  type SignedIn,
  signedIn,
} from './frame.ts'
import { Redirect, seeOther } from './redirect.ts'

type Method = 'GET' | 'POST'
type Handler<Given> = (given: Given) => Response | Promise<Response>

/** A page, or what a form of it does. */
export type PageRoute = {
  readonly method: Method
  readonly path: string
  readonly handle: Handler<PageRequest>
}

/** A page for anybody, signed in or not. */
export const openRoute = (method: Method, path: string, handle: Handler<PageRequest>): PageRoute => ({
  ...{ method, path, handle },
})

/** A page for who is signed in; see {@link signedIn}. */
export const personRoute = (method: Method, path: string, handle: Handler<SignedIn>): PageRoute => ({
  ...{ method, path },
  handle: async (given) => handle(await signedIn(given)),
})

/**
 * A page of an account; see {@link inAccount}.
 *
 * @param path below the account's
 * @param least what one must be there at least
 */
export const accountRoute = (
  method: Method,
  path: string,
  least: Role,
  handle: Handler<InAccount>,
): PageRoute => ({
  ...{ method, path: `/console/:account${path}` },
  handle: async (given) => handle(await inAccount(given, least)),
})

/** A page for operator persons; see {@link asOperator}. */
export const operatorRoute = (method: Method, path: string, handle: Handler<SignedIn>): PageRoute => ({
  ...{ method, path },
  handle: async (given) => handle(await asOperator(given)),
})

/** Of every answer. */
export const STRICT = strictHeaders(
  "img-src 'self' data:; form-action 'self'; require-trusted-types-for 'script'; trusted-types gleaner",
  'same-origin',
)

/** An endpoint for a page: no key opens it, and no document tells of it. */
export function routeOf(deps: ConsoleDeps, { method, path, handle }: PageRoute): Endpoint {
  return {
    ...{ method, path, access: { kind: 'public' }, rate: null, checksQuery: true, answers: {} },
    ...{ id: `console${path}`, tag: 'Console', summary: 'A page of the console' },
    async handle(call: Call) {
      if (method === 'POST') checkOrigin(deps.config, call.request)
      // Whoever holds a form back is looked at when it is there: what they might do before does not count.
      const body = method === 'POST' ? await bytesOf(call.request, 'bad-form') : new Uint8Array()
      const answer = await led(() => handle(pageRequest(deps, call, body)))
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
