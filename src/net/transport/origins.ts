/**
 * Destinations of a source's requests when its origin is replaced (SOURCE_<FAMILY>_ORIGIN).
 *
 * @module
 */
import { responseOf, type Transport } from './transport.ts'

/** Translates between addresses of the public site and addresses of the replaced origin. */
export class Origins {
  private readonly base: URL | undefined
  private readonly prefix: string

  /** @param replaced SOURCE_<FAMILY>_ORIGIN, optionally with a path; undefined when the origin is not replaced */
  constructor(replaced: string | undefined) {
    this.base = replaced === undefined ? undefined : new URL(replaced)
    this.prefix = (this.base?.pathname ?? '').replace(/\/+$/, '')
  }

  get isReplaced(): boolean {
    return this.base !== undefined
  }

  /** Where a request for a public address goes. */
  actual(url: URL): URL {
    if (!this.base) return url
    return new URL(`${this.base.origin}${this.prefix}${url.pathname}${url.search}`)
  }

  /** Translates a `Location` to a public address where it has one. @throws {TypeError} when it is not a valid URL */
  redirected(location: string, from: URL): URL {
    const target = new URL(location, this.actual(from))
    if (!this.base || target.origin !== this.base.origin) return target
    const { prefix } = this
    const below = target.pathname === prefix || target.pathname.startsWith(`${prefix}/`)
    const path = below ? target.pathname.slice(prefix.length) || '/' : target.pathname
    return new URL(`${from.origin}${path}${target.search}${target.hash}`)
  }

  /** Replaces the addresses of a replaced origin in a text by public ones. */
  disguise(text: string, publicOrigin: string): string {
    if (!this.base) return text
    return text
      .replaceAll(this.base.origin + this.prefix, publicOrigin)
      .replaceAll(this.base.origin, publicOrigin)
      .replaceAll(this.base.host, new URL(publicOrigin).host)
  }
}

/** A transport whose requests and responses name the public site, while the requests go to a replaced origin. */
export function withOrigin(origins: Origins, transport: Transport): Transport {
  if (!origins.isReplaced) return transport
  return async (request) => {
    const url = new URL(request.url)
    const response = await transport(new Request(origins.actual(url), request))
    const location = response.headers.get('location')
    if (location === null || !URL.canParse(location, url)) return response
    const headers = new Headers(response.headers)
    headers.set('location', origins.redirected(location, url).href)
    return responseOf(response.status, headers, response.body)
  }
}
