/**
 * The forms in which a client names a community.
 *
 * @module
 */
import { BadInput, type Issue, Type, urlIssues, urlWithin } from 'gleaner/plugin'

/** The site's hosts under which clients have addresses of communities. */
const HOSTS = [
  'www.reddit.com',
  'old.reddit.com',
  'new.reddit.com',
  'np.reddit.com',
  'reddit.com',
  'i.reddit.com',
  'm.reddit.com',
]

/** A name as the site has them: a community's, a user's own (`u_name`), or that of its very first one. */
const NAME = '(u_[A-Za-z0-9_-]{3,20}|[A-Za-z0-9][A-Za-z0-9_]{1,20}|reddit\\.com)'
const BARE = new RegExp(`^(?:/?r/)?${NAME}/?$`, 'i')
const PATH = new RegExp(`^/r/${NAME}(?:/|$)`, 'i')
/** Begins like an address, of whatever kind. */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i

const FORM = 'a community: its name, r/name, or its address, such as https://www.reddit.com/r/name'

/** An input field that names a community; `communityIssues` says what its schema can't. */
export const Community = Type.String({
  minLength: 1,
  maxLength: 500,
  'x-must-be': FORM,
  description: `Must be ${FORM}.`,
})

/**
 * The name in any of the forms.
 *
 * @throws {BadInput} for what `communityIssues` has an issue with
 */
export function communityOf(text: string): string {
  const name = nameIn(text)
  if (name === undefined) throw new BadInput('not the name of a community')
  return name
}

/** The same, undefined where there is none. */
export const nameIn = (text: string): string | undefined =>
  (BARE.exec(text) ?? PATH.exec(urlWithin(text, HOSTS)?.pathname ?? ''))?.[1]

/** For `refine`: the issue of a text that names no community; none when it was not sent. */
export function communityIssues(pointer: string, sent: string | undefined): Issue[] {
  if (sent === undefined || nameIn(sent) !== undefined) return []
  const foreign = ADDRESS.test(sent) ? urlIssues(pointer, sent, HOSTS) : []
  return foreign.length > 0 ? foreign : [{ pointer, code: 'bad-format', detail: `must be ${FORM}` }]
}

/** For `refine`: the issue of what is no address of a community; none when it was not sent. */
export function communityUrlIssues(pointer: string, sent: string | undefined): Issue[] {
  const foreign = urlIssues(pointer, sent, HOSTS)
  return foreign.length > 0 ? foreign : communityIssues(pointer, sent)
}
