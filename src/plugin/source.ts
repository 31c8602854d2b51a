/**
 * A source: a public web site with its rate limits and its tasks.
 *
 * @module
 */
import type { RequestedAs } from './browser-headers.ts'
import { hostMatches } from './reading/urls.ts'
import { type Task, taskFault } from './task.ts'

/**
 * Limits on the rate of requests.
 *
 * @example
 * const limits: PaceLimits = { perSecond: 0.8, burst: 20, perMinute: 40, concurrent: 1 }
 * limits.burst // => 20
 */
export type PaceLimits = {
  /** requests per second on average; default 5 */
  readonly perSecond?: number
  /** requests that may start at once after a rest; default one second's, at least 1 */
  readonly burst?: number
  /** requests in any minute; default no limit beside `perSecond` */
  readonly perMinute?: number
  /**
   * concurrent requests; default 4. While a request hangs for over 3 seconds, one more is allowed, for an account that
   * has no request under way
   */
  readonly concurrent?: number
}

/**
 * The rate limits of a source, for each of its hosts or for all together, over all runs of all nodes. Accounts take
 * turns within them.
 *
 * @example
 * const gentle: Pace = { perSecond: 1, concurrent: 1, hosts: { '*.lampcdn.example': { perSecond: 10 } } }
 * gentle.perSecond // => 1
 */
export type Pace = PaceLimits & {
  /** whether the requests to all hosts count together, where a site counts so; default: each host has its own limits */
  readonly together?: boolean
  /** other limits for single hosts, named as in `hosts` of the source; each of these hosts counts for itself */
  readonly hosts?: Readonly<Record<string, PaceLimits>>
  /** the limits while the operator has named no contact for the service's `User-Agent` (CONTACT) */
  readonly withoutContact?: PaceLimits
  /**
   * The limits where SOURCE_<FAMILY>_ORIGIN replaces the origin: another site is asked, with rules of its own. Default:
   * the source's `perSecond` and `concurrent`, but at least 5 a second, 4 at once
   */
  readonly replaced?: PaceLimits
  /**
   * How long the site asks for no more requests, in milliseconds, for sites that say it in other headers than
   * `Retry-After`. Called for every response; undefined: it does not ask
   */
  readonly rest?: (headers: Headers) => number | undefined
}

/**
 * The declaration of a source, for {@link defineSource}.
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
  /** lower-case letters, digits and `_`, starting with a letter; the first part of the keys of the source's tasks */
  readonly name: string
  readonly title: string
  /** the origin of the public site, without a path: `https://en.wikipedia.org`. SOURCE_<FAMILY>_ORIGIN replaces it */
  readonly origin: string
  /**
   * The hosts that requests may go to: names, or `*.example.org` for all subdomains of a name. The origin's host is
   * always allowed. The host name of every request and every redirect is checked.
   */
  readonly hosts?: readonly string[]
  /** More hosts, in the same form, that pages in a browser may load scripts, styles and data from. Default none. */
  readonly assetHosts?: readonly string[]
  /**
   * More hosts, in the same form, of the images in items. The console fetches an image from them for a person who asks
   * to see it, unless the source has a login. Default none.
   */
  readonly imageHosts?: readonly string[]
  readonly pace?: Pace
  /** The `User-Agent` of requests; default the service's own. A request's own header wins. For sites that serve only browsers: {@link import('./browser-headers.ts').BROWSER}, with which requests have all headers of one. */
  readonly userAgent?: string
  /** Block, consent and sign-in pages. A redirect to one is not followed: it ends the run. Default none. */
  readonly interstitials?: readonly Interstitial[]
  /** How a person signs in, for sources with content for members only. */
  readonly login?: Login
  /**
   * The operator's credentials for the site's official API: upper-case names of settings, each read from
   * SOURCE_<FAMILY>_<NAME>. A task gets them in `context.credentials` when all of them are set. Default none.
   */
  readonly credentials?: readonly string[]
  readonly tasks: readonly Task[]
}

/**
 * A page that the source shows instead of its content, recognized by the URL of a redirect to it.
 *
 * @example
 * const consent: Interstitial = { url: /^https:\/\/consent\./, ends: 'source-blocked' }
 * consent.url.test('https://consent.lamps.example/save') // => true
 */
export type Interstitial = {
  /** matched against the absolute URL of a redirect's `Location`; without the flags g and y */
  readonly url: RegExp
  /** the error code of the run */
  readonly ends: 'source-blocked' | 'source-login-required' | 'restricted' | 'private' | 'not-found'
}

/**
 * How a person signs in at a source in a remote browser, and how the service detects it. The browser's state after the
 * sign-in (cookies and storage) is saved as the login. Runs of tasks with `needs.login` start with this state.
 *
 * @example
 * const login: Login = {
 *   url: '/sign-in',
 *   hosts: ['accounts.lamps.example'],
 *   signedIn: { cookies: ['session', 'device@accounts.lamps.example'] },
 *   check: { url: '/my/lamps' },
 * }
 * defineSource({ name: 'lamps', title: 'Lamps', origin: 'https://lamps.example', login, tasks: [] }).login?.url // => '/sign-in'
 */
export type Login = {
  /** the sign-in page: an absolute URL, or a path on the origin */
  readonly url: string
  /** more hosts, in the same form as `hosts` and `assetHosts`, that the remote browser may reach during the sign-in */
  readonly hosts?: readonly string[]
  /**
   * The person is signed in when all these cookies exist with a value and, if `url` is given, the URL of the current
   * page matches it. A cookie is a name, or `name@host` if it is sent to another host than the origin.
   */
  readonly signedIn: { readonly cookies: readonly string[]; readonly url?: RegExp }
  /** How to find out whether a login still works. Without it, only a run finds out. */
  readonly check?: LoginCheck
}

/**
 * A cheap request that tells whether a login still works. The service makes it before a run if the login was not
 * confirmed in the last ten minutes, and after a run whose task threw LoginNeeded: the login is given up only if the
 * check is refused too. Refused means 401, 403, or a redirect to one of the `interstitials` that end as
 * `source-login-required`. Any other failure proves nothing.
 *
 * @example
 * const check: LoginCheck = { url: '/me.json', names: (body) => at(body, 'user', 'id') !== undefined }
 * check.names?.({ user: null }) // => false
 */
export type LoginCheck = {
  /** an absolute URL, or a path on the origin. `{name}` stands for the value of that cookie of the login */
  readonly url: string
  /**
   * Whether the JSON of a successful response names the signed-in person: false refuses the login. Default: every
   * successful response confirms it
   */
  readonly names?: (body: unknown) => boolean
  readonly headers?: Readonly<Record<string, string>>
  /** the headers of a browser, in which the login was made; as in `context.fetch` */
  readonly as?: RequestedAs
}

/**
 * A declared source.
 *
 * @example
 * const source: Source = defineSource({ name: 'lamps', title: 'Lamps', origin: 'https://lamps.example', tasks: [] })
 * source.name // => 'lamps'
 */
export type Source = SourceOptions

/** All objects that `defineSource` returned, to recognize a default export that is not a source. */
const defined = new WeakSet<object>()

/** Whether a plugin's default export was returned by this kit's `defineSource`. */
export const isSource = (value: unknown): value is Source =>
  typeof value === 'object' && value !== null && defined.has(value)

/**
 * Declares a source. The `source.ts` of a plugin's folder must export the result as its default export.
 *
 * @returns the same object
 * @throws {TypeError} naming the first fault of the declaration
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

/** Settings of a source that are the service's own. */
const RESERVED: ReadonlySet<string> = new Set(['ORIGIN', 'PROXY', 'COUNTRY', 'PACE'])

function faultOf(source: SourceOptions): string | undefined {
  const {
    name,
    origin,
    hosts = [],
    assetHosts = [],
    imageHosts = [],
    pace = {},
    interstitials = [],
    tasks,
  } = source
  const { login, credentials = [] } = source
  if (!/^[a-z][a-z0-9_]*$/.test(name))
    return `source name "${name}" must be lower-case letters, digits and _, beginning with a letter`
  if (!URL.canParse(origin) || new URL(origin).origin !== origin || !/^https?:/.test(origin))
    return `origin "${origin}" of ${name} must be a bare origin, such as https://www.example.org`
  for (const host of [...hosts, ...assetHosts, ...imageHosts, ...(login?.hosts ?? [])]) {
    if (!/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host))
      return `host "${host}" of ${name} must be a name in lower case, or *.name`
  }
  for (const limits of [pace, pace.replaced, pace.withoutContact, ...Object.values(pace.hosts ?? {})]) {
    const { perSecond, burst, perMinute, concurrent } = limits ?? {}
    const wrong = [perSecond, burst, perMinute, concurrent].find((it) => it !== undefined && !(it > 0))
    if (wrong !== undefined) return `pace of ${name} must be above 0, not ${wrong}`
  }
  const setting = credentials.find((each) => !/^[A-Z][A-Z0-9_]*$/.test(each) || RESERVED.has(each))
  if (setting !== undefined)
    return `credentials "${setting}" of ${name} must be upper-case letters, digits and _`
  for (const { url } of interstitials) {
    // With these flags `test` resumes at lastIndex, so every other redirect would not match and be followed.
    if (url.global || url.sticky) return `interstitial ${url} of ${name} must not have the flags g or y`
  }
  if (!Array.isArray(tasks)) return `tasks of ${name} must be a list`
  const wrong = tasks.map(taskFault).find((fault) => fault !== undefined) ?? loginFault(source)
  if (wrong) return wrong
  const foreign = tasks.find((task) => !task.key.startsWith(`${name}.`))
  if (foreign) return `task ${foreign.key} must begin with "${name}."`
  const keys = tasks.map((task) => task.key)
  const twice = keys.find((key, i) => keys.indexOf(key) !== i)
  return twice && `task ${twice} is declared twice`
}

/** A cookie's name (RFC 6265), and optionally the host that it is sent to. */
const COOKIE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:@([a-z0-9-]+(?:\.[a-z0-9-]+)+))?$/

/** The first fault of a login; undefined when it has none. The source's name, origin and hosts must be valid. */
function loginFault({ name, origin, hosts = [], login, tasks }: SourceOptions): string | undefined {
  const needy = tasks.find(({ needs }) => needs?.login)
  if (!login) return needy && `task ${needy.key} needs a login, which ${name} does not declare`
  const { url, signedIn, check } = login
  const own = [new URL(origin).hostname, ...hosts]
  const all = [...own, ...(login.hosts ?? [])]
  if (!isOn(url, origin, all)) return `login.url "${url}" of ${name} must be on its origin or hosts`
  if (check !== undefined && !isOn(check.url, origin, own))
    return `login.check.url "${check.url}" of ${name} must be on its origin or hosts`
  if (signedIn.cookies.length === 0)
    return `login of ${name} must name at least one cookie of a signed-in visitor`
  for (const cookie of signedIn.cookies) {
    const [cookieName, host] = COOKIE.exec(cookie) ?? []
    if (cookieName === undefined) return `cookie "${cookie}" of ${name} must be a cookie name or name@host`
    if (host !== undefined && !hostMatches(host, all))
      return `cookie "${cookie}" of ${name} must be on one of its hosts`
  }
  // With these flags `test` resumes at lastIndex, so every other URL would not match.
  return signedIn.url?.global || signedIn.url?.sticky
    ? `login.signedIn.url ${signedIn.url} of ${name} must not have the flags g or y`
    : undefined
}

/** Whether an address is a path on the origin, or a URL on one of the hosts. */
function isOn(address: string, origin: string, hosts: readonly string[]): boolean {
  if (!/^(?:\/(?!\/)|https?:\/\/)/.test(address) || !URL.canParse(address, origin)) return false
  const url = new URL(address, origin)
  const isOwn = url.origin === origin || (url.port === '' && hostMatches(url.hostname, hosts))
  return isOwn && !url.username && !url.password
}
