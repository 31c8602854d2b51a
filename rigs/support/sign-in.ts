/**
 * A person who signs in at the mock site without a browser, for tests.
 *
 * @module
 */
import type { User } from '../../tools/mock-sites/sign-in/users.ts'

/** A visitor with cookies, without scripts. */
export class Visitor {
  readonly cookies = new Map<string, string>()
  /** the received `Set-Cookie` lines, in order */
  readonly set: string[] = []

  /** @param origin of the site, as configured in the service */
  constructor(private readonly origin: string) {}

  /** One request; redirects are not followed. */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(this.origin + path, { redirect: 'manual', ...init, headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.set.push(line)
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }

  /** The page at a path, after all redirects. */
  async page(path: string, init?: RequestInit): Promise<string> {
    let response = await this.ask(path, init)
    for (;;) {
      const location = response.headers.get('location')
      if (location === null) return response.text()
      await response.body?.cancel()
      response = await this.ask(location.slice(new URL(this.origin).pathname.length))
    }
  }

  /** Fills in the form of a page and submits it to its action. @returns the next page */
  send(page: string, path: string, fields: Readonly<Record<string, string>>): Promise<string> {
    const hidden = [...page.matchAll(/<input type="hidden" name="(\w+)" value="(\w+)">/g)]
    const form = new URLSearchParams({
      ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])),
      ...fields,
    })
    return this.page(path, { method: 'POST', body: form })
  }

  /** Does all steps. @param path of the sign-in. @returns the next page */
  async signIn(path: string, { name, password, code }: User, remember = false): Promise<string> {
    let page = await this.page(path)
    page = await this.send(page, path, { value: name })
    page = await this.send(page, path, { value: password, ...(remember ? { remember: 'yes' } : {}) })
    return this.send(page, path, { value: code })
  }
}
