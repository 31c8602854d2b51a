/**
 * Redirects of browsers.
 *
 * @module
 */

/** Thrown to show another page instead. */
export class Redirect extends Error {
  override readonly name = 'Redirect'
  constructor(
    readonly to: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(`see ${to}`)
  }
}

/** The answer to a form: the browser loads a page by GET, so a reload does not submit the form again. */
export const seeOther = (to: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 303, headers: { location: to, ...headers } })

/** The page that was requested before the sign-in; any other text leads to the console's front page. */
export const nextOf = (base: string, text: string): string => `${base}${isOwnPath(text) ? text : '/console'}`

/** Whether a text is the path of a page of the console, or of the status page, with or without a query. */
export function isOwnPath(text: string): boolean {
  const isOwn = /^\/(status|console(\/[A-Za-z0-9_.~%/?=&:+,-]*)?)$/.test(text) && !text.includes('//')
  // A browser resolves `..`, also if it is encoded, and would leave the console.
  return isOwn && new URL(text, 'http://own').pathname === text.replace(/\?.*/, '')
}
