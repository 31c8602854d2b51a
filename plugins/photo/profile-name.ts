/**
 * The input that names a profile: a username, `@name`, or the URL of the profile.
 *
 * @module
 */
import { type Issue, urlIssues, urlWithin } from 'gleaner/plugin'

const HOSTS = ['www.instagram.com', 'instagram.com']
const NAME = /^(?=.*[a-z0-9_])[a-z0-9._]{1,30}$/i
/** First segments of paths that are not profiles. */
const RESERVED: ReadonlySet<string> = new Set([
  'p',
  'reel',
  'reels',
  'stories',
  'explore',
  'accounts',
  'tv',
  'direct',
])
/** The segments that may follow the name in a URL. */
const TABS: ReadonlySet<string | undefined> = new Set([undefined, 'reels', 'tagged'])

/** The username in an input, in lower case; undefined when there is none. */
export function usernameOf(profile: string): string | undefined {
  const name = isAddress(profile) ? nameIn(profile) : profile.replace(/^@/, '')
  if (name === undefined || !NAME.test(name) || name.toLowerCase().includes('instagram.com')) return undefined
  return RESERVED.has(name.toLowerCase()) ? undefined : name.toLowerCase()
}

/** The issues of the input. URLs of other sites have their own code. */
export function profileIssues(pointer: string, profile: string): Issue[] {
  if (usernameOf(profile) !== undefined) return []
  const foreign = isAddress(profile) ? urlIssues(pointer, withScheme(profile), HOSTS) : []
  if (foreign.length > 0) return foreign
  const detail = 'must be a username, @name, or the address of a profile on www.instagram.com'
  return [{ pointer, code: 'bad-format', detail }]
}

/** Whether a text is a URL: names contain none of these characters, and URLs contain at least a slash. */
const isAddress = (text: string): boolean => /[/:\\]/.test(text)

const withScheme = (text: string): string => (/^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`)

function nameIn(address: string): string | undefined {
  const parts = urlWithin(withScheme(address), HOSTS)
    ?.pathname.split('/')
    .filter((part) => part !== '')
  const [name, tab, ...more] = parts ?? []
  return more.length === 0 && TABS.has(tab) ? name : undefined
}
