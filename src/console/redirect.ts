/**
 * Leading a browser elsewhere.
 *
 * @module
 */

/** Thrown by what finds that another page is to be shown. */
export class Redirect extends Error {
  override readonly name = 'Redirect'
  constructor(readonly to: string) {
    super(`see ${to}`)
  }
}

/** After a form: the browser asks for the page anew, so that a reload sends nothing again. */
export const seeOther = (to: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 303, headers: { location: to, ...headers } })

/** A path of the console that was asked for before the sign-in; anything else leads to its front. */
export function nextOf(base: string, text: string): string {
  const isOwn = /^\/console(\/[A-Za-z0-9_.~%/?=&:+,-]*)?$/.test(text) && !text.includes('//')
  return `${base}${isOwn ? text : '/console'}`
}
