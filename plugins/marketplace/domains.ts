/**
 * The known domains of the marketplace, and the inputs that name a domain or a member.
 *
 * @module
 */
import { domainWithin, type Issue, named, Type, urlIssues, urlWithin } from 'gleaner/plugin'

/** Every known domain with its visitors' language. */
const LANGUAGES: Readonly<Record<string, string>> = {
  'vinted.co.uk': 'en-GB',
  'vinted.fr': 'fr-FR',
  'vinted.de': 'de-DE',
  'vinted.it': 'it-IT',
  'vinted.es': 'es-ES',
  'vinted.nl': 'nl-NL',
  'vinted.be': 'fr-BE',
  'vinted.pl': 'pl-PL',
  'vinted.pt': 'pt-PT',
  'vinted.lt': 'lt-LT',
  'vinted.lv': 'lv-LV',
  'vinted.ee': 'et-EE',
  'vinted.si': 'sl-SI',
  'vinted.lu': 'fr-LU',
  'vinted.at': 'de-AT',
  'vinted.cz': 'cs-CZ',
  'vinted.sk': 'sk-SK',
  'vinted.hu': 'hu-HU',
  'vinted.ro': 'ro-RO',
  'vinted.hr': 'hr-HR',
  'vinted.fi': 'fi-FI',
  'vinted.dk': 'da-DK',
  'vinted.se': 'sv-SE',
  'vinted.ie': 'en-IE',
  'vinted.gr': 'el-GR',
  'vinted.com': 'en-US',
}

const DOMAINS = Object.keys(LANGUAGES)
const DEFAULT = 'vinted.co.uk'
const countries = new Intl.DisplayNames('en', { type: 'region' })
/** The names of the domains: their countries. */
const NAMES = Object.entries(LANGUAGES).map(
  ([domain, language]) => [domain, countries.of(language.slice(-2)) ?? domain] as const,
)

/** The hosts of pages, which inputs may name: all known domains, with and without `www.`. */
export const SITES: readonly string[] = DOMAINS.flatMap((domain) => [domain, `www.${domain}`])

/** The host of a domain's API. Only one domain has `www.` in it. */
const apiHostOf = (domain: string): string =>
  domain === 'vinted.com' ? `api.www.${domain}` : `api.${domain}`

/** The hosts of all requests. */
export const HOSTS: readonly string[] = [...SITES, ...DOMAINS.map(apiHostOf)]

/** The site of one domain. */
export type Site = {
  readonly domain: string
  /** `https://www.<domain>`: the origin of pages and of the URLs of items */
  readonly origin: string
  /** the origin of the API that the pages call */
  readonly apiOrigin: string
  /** the visitors' language, such as `fr-FR` */
  readonly language: string
}

/**
 * The input field that names a domain: bare, with www, or as an origin. Use `domainIssues` to reject unknown domains.
 */
export const Domain = () =>
  Type.Optional(
    Type.String({
      default: DEFAULT,
      title: 'Country',
      description: 'The site of the country: a domain, with or without www, or its https origin.',
      'x-names': named(NAMES),
    }),
  )

/** For `refine`: the issue of an unknown domain. */
export function domainIssues(text: string | undefined): Issue[] {
  if (text === undefined || domainWithin(text, SITES)) return []
  return [{ pointer: '/domain', code: 'foreign-url', detail: `must be one of ${DOMAINS.join(', ')}` }]
}

/**
 * The site that a client's `domain` names.
 *
 * @param domain a domain without issues; default the domain of the United Kingdom
 */
export const siteOf = (domain: string = DEFAULT): Site => siteAt(domainWithin(domain, SITES) ?? DEFAULT)

function siteAt(host: string): Site {
  const domain = host.replace(/^www\./, '')
  return {
    domain,
    origin: `https://www.${domain}`,
    apiOrigin: `https://${apiHostOf(domain)}`,
    language: LANGUAGES[domain] ?? 'en-GB',
  }
}

/** A member, as named by the URL of a profile. */
export type Member = { readonly site: Site; readonly id: string }

/** The login after the number is written in several ways or omitted: only the number matters. */
const PROFILE = /^\/member\/([1-9]\d{0,18})(?:-[^/]*)?(?:\/|$)/

/**
 * The member whose profile has a URL.
 *
 * @returns undefined when the URL is not a profile on a known domain
 */
export function memberAt(url: string): Member | undefined {
  const within = urlWithin(url, SITES)
  const id = PROFILE.exec(within?.pathname ?? '')?.[1]
  return within && id !== undefined ? { site: siteAt(within.hostname), id } : undefined
}

/** For `refine`: the issue of a URL that is not a member's profile. */
export function memberIssues(text: string | undefined): Issue[] {
  const foreign = urlIssues('/member_url', text, SITES)
  if (foreign.length > 0 || text === undefined || memberAt(text)) return foreign
  const detail = 'must be the address of a member, such as https://www.vinted.co.uk/member/123-name'
  return [{ pointer: '/member_url', code: 'bad-format', detail }]
}
