/**
 * Short links to posts, such as `vm.tiktok.com/ZMabc123`.
 *
 * @module
 */
import { LoginNeeded, NotFound, SourceChanged, SourceError } from 'gleaner/plugin'
import { GONE, refusalIn } from '../refusals.ts'
import { isOwnHost, type Post, postOf, SIGN_IN } from '../site.ts'
import { type Asking, HEADERS } from './requests.ts'

/** An unknown link is the client's; other refusals are the site's. */
const UNKNOWN = { ...GONE, 404: NotFound, 410: NotFound }
const REDIRECTS = [301, 302, 303, 307, 308]
/** A short link may lead to another one. */
const MOST_HOPS = 3

/**
 * The post that a short link leads to. It is read from the redirect: the page behind it may be a script challenge.
 *
 * @throws {NotFound} for a link to anything else
 */
export async function linkedPost(context: Asking, link: string): Promise<Post> {
  let url = link
  for (let hop = 0; hop < MOST_HOPS; hop++) {
    const reply = await context.fetch(url, {
      as: 'document',
      headers: HEADERS,
      accept: REDIRECTS,
      errors: UNKNOWN,
    })
    const location = reply.headers.get('location')
    if (location === null || !URL.canParse(location, url))
      throw refusalIn(await reply.text()) ?? new SourceChanged('the short link does not redirect')
    const target = new URL(location, url)
    if (SIGN_IN.test(target.href)) throw new LoginNeeded('the short link leads to the sign-in page')
    if (!isOwnHost(target.hostname))
      throw new SourceError('source-redirected', 'the short link leads to another site')
    const post = postOf({ url: target.href })
    if (!post) break
    if ('id' in post) return post
    url = post.link
  }
  throw new NotFound('the link does not lead to a post')
}
