/**
 * A source: a public web site, how fast it may be read, and its tasks.
 *
 * @module
 */
import { hostMatches } from './reading/urls.ts'
import type { Task } from './task.ts'

/**
 * How fast a source is read, over all runs of a process.
 *
 * @example
 * const gentle: Pace = { perSecond: 1, concurrent: 1 }
 * gentle.perSecond // => 1
 */
export type Pace = {
  /** requests a second to one host; default 5 */
  readonly perSecond?: number
  /** requests under way at once to one host; default 4. One account has one less at most, where more than one may be */
  readonly concurrent?: number
}

/**
 * What a source is made of.
 *
 * @example
 * const options: SourceOptions = {
 *   name: 'lamps',
 *   title: 'Lamps',
 *   origin: 'https://www.lamps.example',
 *   hosts: ['lamps.example', '*.lampcdn.example'],
 *   interstitials: [{ url: /\/sign-in/, ends: 'source-login-required' }],
 *   tasks: [],
 * }
 * defineSource(options).hosts?.length // => 2
 */
export type SourceOptions = {
  /** lower-case letters, digits and `_`; the first part of its tasks' keys */
  readonly name: string
  readonly title: string
  /** where it is, without a path: `https://en.wikipedia.org`. SOURCE_<NAME>_ORIGIN replaces it */
  readonly origin: string
  /**
   * The hosts that requests may go to: names, or `*.example.org` for all names below one. The origin's host is
   * always among them. Matched against the host name of every request and every redirect.
   */
  readonly hosts?: readonly string[]
  /** Hosts that pages in a browser may load scripts, styles and data from beside `hosts`, written as there. */
  readonly assetHosts?: readonly string[]
  readonly pace?: Pace
  /** What its requests say they are, for sources that answer browsers alone; default the service's own name. */
  readonly userAgent?: string
  /** Addresses of pages that stand for a block, consent or sign-in; a redirect to one is not followed. */
  readonly interstitials?: readonly Interstitial[]
  /** How a person signs in, for sources that show some things to members only. */
  readonly login?: Login
  readonly tasks: readonly Task[]
}

/**
 * A page of the source that is shown instead of the content, known by the address of a redirect to it.
 *
 * @example
 * const consent: Interstitial = { url: /^https:\/\/consent\./, ends: 'source-blocked' }
 * consent.url.test('https://consent.lamps.example/save') // => true
 */
export type Interstitial = {
  /** matched against the absolute URL of a redirect's `Location` */
  readonly url: RegExp
  readonly ends: 'source-blocked' | 'source-login-required' | 'restricted' | 'private' | 'not-found'
}

/**
 * How a person signs in at a source, in a remote browser that is shown to them, and how that is noticed. What the
 * browser has stored by then is the login; runs of tasks that need one begin with it.
 *
 * @example
 * const login: Login = {
 *   url: '/sign-in',
 *   hosts: ['accounts.lamps.example'],
 *   signedIn: { cookies: ['session', 'device@accounts.lamps.example'] },
 *   check: '/my/lamps',
 * }
 * defineSource({ name: 'lamps', title: 'Lamps', origin: 'https://lamps.example', login, tasks: [] }).login?.url // => '/sign-in'
 */
export type Login = {
  /** the sign-in page: absolute, or a path on the origin */
  readonly url: string
  /** hosts that the remote browser may reach while a person signs in, beside `hosts` and `assetHosts`, written as there */
  readonly hosts?: readonly string[]
  /**
   * The person is signed in when all these cookies are there with a value, and, if `url` is given, the address that is
   * shown matches it. A cookie is a name, or `name@host` when it is not sent to the origin but to another host.
   */
  readonly signedIn: { readonly cookies: readonly string[]; readonly url?: RegExp }
  /**
   * A cheap address, absolute or a path on the origin, that sends visitors who are not signed in to one of the `interstitials`,
   * or answers them 401 or 403. It is asked before a run when the login has not proved itself for ten minutes.
   */
  readonly check?: string
}

/**
 * A declared source.
 *
 * @example
 * const source: Source = defineSource({ name: 'lamps', title: 'Lamps', origin: 'https://lamps.example', tasks: [] })
 * source.name // => 'lamps'
 */
export type Source = SourceOptions

/**
 * The `User-Agent` of a desktop browser, for `userAgent` of a source.
 *
 * @example
 * const source = defineSource({ name: 'lamps', title: 'Lamps', origin: 'https://lamps.example', userAgent: BROWSER, tasks: [] })
 * source.userAgent?.startsWith('Mozilla/5.0') // => true
 */
export const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

/** What `defineSource` made, so that a default export of another kind is known as such. */
const defined = new WeakSet<object>()

/** Whether a plugin's default export was made by this kit's `defineSource`. */
export const isSource = (value: unknown): value is Source =>
  typeof value === 'object' && value !== null && defined.has(value)

/**
 * Declares a source. A plugin folder's `source.ts` has it as its default export.
 *
 * @throws {TypeError} naming what is wrong with the declaration
 * @example
 * const source = defineSource({ name: 'lamps', title: 'Lamps', origin: 'https://lamps.example', tasks: [] })
 * source.origin // => 'https://lamps.example'
 */
export function defineSource(options: SourceOptions): Source {
  const wrong = faultOf(options)
  if (wrong) throw new TypeError(wrong)
  defined.add(options)
  return options
}

function faultOf(source: SourceOptions): string | undefined {
  const { name, origin, hosts = [], assetHosts = [], pace = {}, interstitials = [], login, tasks } = source
  if (!/^[a-z][a-z0-9_]*$/.test(name))
    return `source name "${name}" must be lower-case letters, digits and _, beginning with a letter`
  if (!URL.canParse(origin) || new URL(origin).origin !== origin || !/^https?:/.test(origin))
    return `origin "${origin}" of ${name} must be a bare origin, such as https://www.example.org`
  for (const host of [...hosts, ...assetHosts, ...(login?.hosts ?? [])]) {
    if (!/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host))
      return `host "${host}" of ${name} must be a name in lower case, or *.name`
  }
  for (const number of [pace.perSecond, pace.concurrent]) {
    if (number !== undefined && !(number > 0)) return `pace of ${name} must be above 0, not ${number}`
  }
  for (const { url } of interstitials) {
    // Such an expression remembers where it stopped: every other redirect would pass.
    if (url.global || url.sticky) return `interstitial ${url} of ${name} must not have the flags g or y`
  }
  const wrong = loginFault(source)
  if (wrong) return wrong
  const foreign = tasks.find((task) => !task.key.startsWith(`${name}.`))
  if (foreign) return `task ${foreign.key} must begin with "${name}."`
  const keys = tasks.map((task) => task.key)
  const twice = keys.find((key, i) => keys.indexOf(key) !== i)
  return twice && `task ${twice} is declared twice`
}

/** A cookie's name (RFC 6265), and perhaps the host that it is sent to. */
const COOKIE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:@([a-z0-9-]+(?:\.[a-z0-9-]+)+))?$/

/** The fault in words; undefined when there is none. @param source whose name, origin and hosts are as they must be */
function loginFault({ name, origin, hosts = [], login, tasks }: SourceOptions): string | undefined {
  const needy = tasks.find(({ needs }) => needs?.login)
  if (!login) return needy && `task ${needy.key} needs a login, which ${name} does not declare`
  const { url, signedIn, check } = login
  const own = [new URL(origin).hostname, ...hosts]
  const all = [...own, ...(login.hosts ?? [])]
  if (!isOn(url, origin, all)) return `login.url "${url}" of ${name} must be on its origin or hosts`
  if (check !== undefined && !isOn(check, origin, own))
    return `login.check "${check}" of ${name} must be on its origin or hosts`
  if (signedIn.cookies.length === 0)
    return `login of ${name} must name at least one cookie of a signed-in visitor`
  for (const cookie of signedIn.cookies) {
    const [found, host] = COOKIE.exec(cookie) ?? []
    if (found === undefined) return `cookie "${cookie}" of ${name} must be a cookie name or name@host`
    if (host !== undefined && !hostMatches(host, all))
      return `cookie "${cookie}" of ${name} must be on one of its hosts`
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
