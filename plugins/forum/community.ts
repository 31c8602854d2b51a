/**
 * The forms in which a client names a community.
 *
 * @module
 */
import { BadInput, type Issue, Type, urlIssues, urlWithin } from 'gleaner/plugin'

/** The site's hosts that URLs of communities may have. */
const HOSTS = [
  'www.reddit.com',
  'old.reddit.com',
  'new.reddit.com',
  'np.reddit.com',
  'reddit.com',
  'i.reddit.com',
  'm.reddit.com',
]

/** The valid names: of a community, of a user's own community (`u_name`), or of the site's first community. */
const NAME = '(u_[A-Za-z0-9_-]{3,20}|[A-Za-z0-9][A-Za-z0-9_]{1,20}|reddit\\.com)'
const BARE = new RegExp(`^(?:/?r/)?${NAME}/?$`, 'i')
const PATH = new RegExp(`^/r/${NAME}(?:/|$)`, 'i')
/** A text that starts like a URL of any scheme. */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i

const FORM = 'a community: its name, r/name, or its address, such as https://www.reddit.com/r/name'

/** An input field that names a community. Check it with `communityIssues` too. */
export const Community = Type.String({
  minLength: 1,
  maxLength: 500,
  'x-must-be': FORM,
  description: 'Its name, `r/name`, or its address, such as `https://www.reddit.com/r/name`.',
})

/**
 * The name of a community, given in any of the forms.
 *
 * @throws {BadInput} for a text that `communityIssues` rejects
 */
export function communityOf(text: string): string {
  const name = nameIn(text)
  if (name === undefined) throw new BadInput('not the name of a community')
  return name
}

/** Like `communityOf`, but undefined for an invalid text. */
export const nameIn = (text: string): string | undefined =>
  (BARE.exec(text) ?? PATH.exec(urlWithin(text, HOSTS)?.pathname ?? ''))?.[1]

/** A community as the site writes it, `r/name`; undefined when none was sent. */
export const shownName = (text: string | undefined): string | undefined => text && `r/${nameIn(text)}`

/** For `refine`: the issue of a text that names no community; none when it was not sent. */
export function communityIssues(pointer: string, text: string | undefined): Issue[] {
  if (text === undefined || nameIn(text) !== undefined) return []
  const foreign = ADDRESS.test(text) ? urlIssues(pointer, text, HOSTS) : []
  return foreign.length > 0 ? foreign : [{ pointer, code: 'bad-format', detail: `must be ${FORM}` }]
}

/** For `refine`: the issue of a text that is not the URL of a community; none when it was not sent. */
export function communityUrlIssues(pointer: string, text: string | undefined): Issue[] {
  const foreign = urlIssues(pointer, text, HOSTS)
  return foreign.length > 0 ? foreign : communityIssues(pointer, text)
}
