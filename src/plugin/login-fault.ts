/**
 * What is wrong with how a source declares its login.
 *
 * @module
 */
import type { SourceOptions } from './source.ts'
import { hostMatches } from './urls.ts'

/** A cookie's name (RFC 6265), and perhaps the host that it is sent to. */
const COOKIE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:@([a-z0-9-]+(?:\.[a-z0-9-]+)+))?$/

/** The fault in words; undefined when there is none. @param source whose name, origin and hosts are as they must be */
export function loginFault({ name, origin, hosts = [], login, tasks }: SourceOptions): string | undefined {
  const needy = tasks.find(({ needs }) => needs?.login)
  if (!login) return needy && `task ${needy.key} needs a login, which ${name} does not declare`
  const { url, signedIn, check } = login
  const own = [new URL(origin).hostname, ...hosts]
  const all = [...own, ...(login.hosts ?? [])]
  if (!isOn(url, origin, all)) return `login.url "${url}" of ${name} must lie on its origin or hosts`
  if (check !== undefined && !isOn(check, origin, own))
    return `login.check "${check}" of ${name} must lie on its origin or hosts`
  if (signedIn.cookies.length === 0) return `login of ${name} must name a cookie that says who is signed in`
  for (const cookie of signedIn.cookies) {
    const [found, host] = COOKIE.exec(cookie) ?? []
    if (found === undefined) return `cookie "${cookie}" of ${name}: a name, or name@host`
    if (host !== undefined && !hostMatches(host, all))
      return `cookie "${cookie}" of ${name} must be one of its hosts`
  }
  // Such an expression remembers where it stopped: every other address would not match.
  return signedIn.url?.global || signedIn.url?.sticky
    ? `login.signedIn.url ${signedIn.url} of ${name} must not have the flags g or y`
    : undefined
}

/** A path on the origin, or an address of one of the hosts. */
function isOn(address: string, origin: string, hosts: readonly string[]): boolean {
  if (!/^(?:\/(?!\/)|https?:\/\/)/.test(address) || !URL.canParse(address, origin)) return false
  const url = new URL(address, origin)
  const isOwn = url.origin === origin || (url.port === '' && hostMatches(url.hostname, hosts))
  return isOwn && !url.username && !url.password
}
