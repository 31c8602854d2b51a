/**
 * Routes of pages: access, and the headers of all answers.
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

/** A page, or the action of a form. */
export type PageRoute = {
  readonly method: Method
  readonly path: string
  readonly handle: Handler<PageRequest>
}

/** A page for everybody, signed in or not. */
export const openRoute = (method: Method, path: string, handle: Handler<PageRequest>): PageRoute => ({
  ...{ method, path, handle },
})

/** A page for signed-in people; see {@link signedIn}. */
export const personRoute = (method: Method, path: string, handle: Handler<SignedIn>): PageRoute => ({
  ...{ method, path },
  handle: async (given) => handle(await signedIn(given)),
})

/**
 * A page of an account; see {@link inAccount}.
 *
 * @param path below the account's path
 * @param least the least role in the account
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

/** A page for operators; see {@link asOperator}. */
export const operatorRoute = (method: Method, path: string, handle: Handler<SignedIn>): PageRoute => ({
  ...{ method, path },
  handle: async (given) => handle(await asOperator(given)),
})

/** The headers of every answer. */
export const STRICT = strictHeaders(
  "img-src 'self' data:; form-action 'self'; require-trusted-types-for 'script'; trusted-types gleaner",
  'same-origin',
)

/** An endpoint for a page. It accepts no API keys, and no API document lists it. */
export function routeOf(deps: ConsoleDeps, { method, path, handle }: PageRoute): Endpoint {
  return {
    ...{ method, path, access: { kind: 'public' }, rate: null, checksQuery: true, answers: {} },
    ...{ id: `console${path}`, tag: 'Console', summary: 'A page of the console' },
    async handle(call: Call) {
      if (method === 'POST') checkOrigin(deps.config, call.request)
      // Reads the form before checking access, since rights may change while a client delays the form.
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

/** Whether a browser requests a page of the console. */
export function isPageRequest({ url, headers }: Request): boolean {
  const path = pathOf(url)
  const isConsole = path === '/console' || path.startsWith('/console/')
  return isConsole && /text\/html/i.test(headers.get('accept') ?? '')
}
