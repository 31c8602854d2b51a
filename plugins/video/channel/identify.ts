/**
 * Identifies the channel that a client names: by its id, its handle, or one of its URLs.
 *
 * @module
 */
import { at, BadInput, type Issue, SourceChanged, textOrNull, urlIssues, urlWithin } from 'gleaner/plugin'
import type { Client } from '../site/client.ts'

export const CHANNEL_HOSTS = ['www.youtube.com', 'youtube.com', 'm.youtube.com']

export type Identity = {
  readonly channel_id?: string
  readonly channel_url?: string
  readonly handle?: string
}

const FIELDS = ['channel_id', 'channel_url', 'handle'] as const
const CHANNEL_ID = /^UC[\w-]{22}$/
/** First path segments of URLs that do not belong to a channel. */
const ELSEWHERE =
  /^(?:watch|shorts|playlist|results|feed|embed|live|clip|hashtag|post|gaming|music|premium|account|redirect|v|e|s|t|api|youtubei)$/i

/** The issues of the fields that name a channel, exactly one of which must be sent. */
export function identityIssues(input: Identity): Issue[] {
  const [first, ...others] = FIELDS.filter((field) => input[field] !== undefined)
  if (first === undefined)
    return [{ pointer: '', code: 'missing-field', detail: `must have exactly one of ${FIELDS.join(', ')}` }]
  if (others.length > 0)
    return others.map((field) => ({
      pointer: `/${field}`,
      code: 'conflict',
      detail: `cannot be combined with ${first}: send exactly one of ${FIELDS.join(', ')}`,
    }))
  return [...handleIssues(input.handle), ...addressIssues(input.channel_url)]
}

const handleIssues = (handle: string | undefined): Issue[] =>
  handle === undefined || /^@?[\p{L}\p{M}\p{N}_.·-]{1,100}$/u.test(handle)
    ? []
    : [{ pointer: '/handle', code: 'bad-format', detail: 'must be a handle, such as @name' }]

function addressIssues(text: string | undefined): Issue[] {
  const foreign = urlIssues('/channel_url', text, CHANNEL_HOSTS)
  if (text === undefined || foreign.length > 0 || pathOf(text) !== undefined) return foreign
  return [{ pointer: '/channel_url', code: 'bad-format', detail: 'must be the address of a channel' }]
}

/** The path of a channel's URL without its tab: `/@name`, `/channel/UC…`, `/c/name`, `/user/name`, `/name`. */
function pathOf(address: string): string | undefined {
  const parts =
    urlWithin(address, CHANNEL_HOSTS)
      ?.pathname.split('/')
      .filter((part) => part !== '') ?? []
  const [kind, name] = parts.map(decode)
  if (kind === undefined || kind.length > 100 || /[\s/\\?#%]/.test(`${kind}${name ?? ''}`)) return undefined
  if (kind === 'channel') return name !== undefined && CHANNEL_ID.test(name) ? `/channel/${name}` : undefined
  if (kind === 'c' || kind === 'user') return name && name.length <= 100 ? `/${kind}/${name}` : undefined
  return ELSEWHERE.test(kind) || kind === '@' ? undefined : `/${kind}`
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return '%'
  }
}

/** The path of the channel that a client names. The input must have passed {@link identityIssues}. */
export const channelPathOf = ({ channel_id, channel_url = '', handle }: Identity): string =>
  channel_id !== undefined
    ? `/channel/${channel_id}`
    : ((handle === undefined ? pathOf(channel_url) : `/@${handle.replace(/^@/, '')}`) ?? '/')

/** What an address leads to if it is not a page: another address, a video, a search. */
const OTHER_ENDPOINT = /(?<!^browse)Endpoint$/

/** The maximum number of look-ups. More would be a loop. */
const MOST_HOPS = 3

/**
 * The id of the channel with a path. A path without an id is looked up; the look-up may lead to a newer path.
 *
 * @throws {SourceError} `not-found` when there is no such channel, `bad-input` when the path is not that of a channel
 */
export async function channelIdOf(client: Client, channelPath: string): Promise<string> {
  let path: string | undefined = channelPath
  for (let hop = 0; path !== undefined && hop < MOST_HOPS; hop++) {
    if (path.startsWith('/channel/')) return path.slice('/channel/'.length)
    const endpoint = at(await client.resolve(`https://www.youtube.com${path}`), 'endpoint')
    if (endpoint === undefined) throw new SourceChanged('the look-up of an address has no endpoint')
    const id = textOrNull(at(endpoint, 'browseEndpoint', 'browseId'))
    const isKnown = id !== null || Object.keys(endpoint ?? {}).some((name) => OTHER_ENDPOINT.test(name))
    if (!isKnown) throw new SourceChanged('the look-up of an address leads nowhere')
    if (id !== null && CHANNEL_ID.test(id)) return id
    const onward = textOrNull(at(endpoint, 'urlEndpoint', 'url'))
    path = onward === null ? undefined : pathOf(onward)
  }
  throw new BadInput('the address is not that of a channel')
}
