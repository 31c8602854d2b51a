/**
 * Routes of pages: access, and the headers of all answers.
 *
 * @module
 */
import type { Role } from '../domain/roles.ts'
import { type Call, type Endpoint, pageEndpoint } from '../http/endpoint.ts'
import { bytesOf } from '../http/input.ts'
import { checkOrigin } from '../http/origin.ts'
import { strictHeaders } from '../page/document.ts'
import { cookieIn } from './cookie.ts'
import { Redirect, seeOther } from './redirect.ts'
import { forgottenForm } from './unsent-form.ts'
import {
  type AccountVisitor,
  accountVisitorOf,
  noteUse,
  operatorOf,
  type PageRequest,
  pageRequest,
  type Visitor,
  visitorOf,
} from './visitor.ts'

type Method = 'GET' | 'POST'
type Handler<Who> = (visitor: Who) => Response | Promise<Response>

/** A page, or the action of a form. */
export type PageRoute = {
  readonly method: Method
  readonly path: string
  readonly handle: (request: PageRequest) => Promise<Response>
}

/** A kind of pages. @param admit checks the visitor's access, and returns what the handler gets */
const pagesFor =
  <Who>(admit: (request: PageRequest) => Who | Promise<Who>) =>
  (method: Method, path: string, handle: Handler<Who>): PageRoute => ({
    method,
    path,
    handle: async (request) => handle(await admit(request)),
  })

/** A page for everybody, signed in or not. */
export const openRoute = pagesFor((request) => request)

/** Pages for signed-in people. A form that they send replaces the one that they could not send; see unsent-form.ts. */
const signedInPagesFor =
  <Who extends Visitor>(admit: (request: PageRequest) => Promise<Who>) =>
  (method: Method, path: string, handle: Handler<Who>): PageRoute =>
    pagesFor(admit)(method, path, async (visitor) => {
      const answer = await handle(visitor)
      const { publicUrl } = visitor.deps.config
      if (method === 'POST' && cookieIn(visitor.call.request, publicUrl, 'form') !== undefined)
        answer.headers.append('set-cookie', forgottenForm(publicUrl))
      return answer
    })

/** A page for signed-in people; see {@link visitorOf}. */
export const personRoute = signedInPagesFor(visitorOf)

/** A page for operators; see {@link operatorOf}. */
export const operatorRoute = signedInPagesFor(operatorOf)

/**
 * A page of an account; see {@link accountVisitorOf}. It counts as a read of the account, and as a use of the session.
 *
 * @param path below the account's path
 * @param least the least role in the account
 */
export const accountRoute = (
  method: Method,
  path: string,
  least: Role,
  handle: Handler<AccountVisitor>,
): PageRoute =>
  signedInPagesFor(async (request) => {
    const visitor = await accountVisitorOf(request, least)
    await visitor.call.count('read', visitor.accountId)
    await noteUse(visitor)
    return visitor
  })(method, `/console/:account${path}`, handle)

/** The headers of every answer. */
export const STRICT = strictHeaders(
  "img-src 'self' data:; form-action 'self'; require-trusted-types-for 'script'; trusted-types 'none'",
  'same-origin',
)

/** The endpoint of a page. */
export function routeOf(deps: PageRequest['deps'], { method, path, handle }: PageRoute): Endpoint {
  return pageEndpoint('console', {
    method,
    path,
    async handle(call: Call) {
      if (method === 'POST') checkOrigin(deps.config, call.request)
      // Reads the form before checking access, since rights may change while a client delays the form.
      const body = method === 'POST' ? await bytesOf(call.request, 'bad-form') : new Uint8Array()
      const answer = await handle(pageRequest(deps, call, body)).catch((error) => {
        if (error instanceof Redirect) return seeOther(error.to, error.headers)
        throw error
      })
      for (const [name, value] of Object.entries(STRICT))
        if (!answer.headers.has(name)) answer.headers.set(name, value)
      return answer
    },
  })
}

/** Whether a browser requests a page. */
export const isPageRequest = ({ headers }: Request): boolean =>
  /text\/html/i.test(headers.get('accept') ?? '')
