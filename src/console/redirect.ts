/**
 * Redirects of browsers.
 *
 * @module
 */

/** Thrown to show another page instead. */
export class Redirect extends Error {
  override readonly name = 'Redirect'
  constructor(readonly to: string) {
    super(`see ${to}`)
  }
}

/** The answer to a form: the browser loads a page by GET, so a reload does not submit the form again. */
export const seeOther = (to: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 303, headers: { location: to, ...headers } })

/** The console path that was requested before the sign-in; any other text leads to the console's front page. */
export function nextOf(base: string, text: string): string {
  const isOwn = /^\/console(\/[A-Za-z0-9_.~%/?=&:+,-]*)?$/.test(text) && !text.includes('//')
  // A browser resolves `..`, also if it is encoded, and would leave the console.
  const isResolved = isOwn && new URL(text, 'http://own').pathname === text.replace(/\?.*/, '')
  return `${base}${isResolved ? text : '/console'}`
}
