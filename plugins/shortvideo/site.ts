/**
 * The site's URLs, and the post that an input names.
 *
 * @module
 */
import { type Issue, shortUrl, urlIssues, urlWithin } from 'gleaner/plugin'

export const ORIGIN = 'https://www.tiktok.com'

/** The URL of the sign-in page. */
export const SIGN_IN = /^https?:\/\/(?:[a-z]+\.)?tiktok\.com\/login(?:[/?#]|$)/

/** Hosts of posts and of short links to them. */
const POST_HOSTS = ['www.tiktok.com', 'tiktok.com', 'm.tiktok.com', 'vm.tiktok.com', 'vt.tiktok.com']

/** Whether a host has posts or short links to them. */
export const isOwnHost = (hostname: string): boolean => POST_HOSTS.includes(hostname)

/** A post, with the address of its page. */
export type Post = { readonly id: string; readonly page: string }
/** A short link to a post, whose target has the number. */
export type ShortLink = { readonly link: string }

/** The fields of the input that name the post. */
export type PostNames = {
  readonly url?: string | undefined
  readonly username?: string | undefined
  readonly video_id?: string | undefined
}

/** The post that the fields name, or a link to it; undefined when they name none. */
export function postOf({ url, username, video_id }: PostNames): Post | ShortLink | undefined {
  if (url !== undefined) return postAt(url)
  return username === undefined || video_id === undefined
    ? undefined
    : postWithId(video_id, username.replace(/^@/, ''))
}

/**
 * The site ignores the name before the number, and redirects to the right one. Photo posts have their state only on the
 * page of a video.
 */
const postWithId = (id: string, name = '_'): Post => ({ id, page: `${ORIGIN}/@${name}/video/${id}` })

function postAt(text: string): Post | ShortLink | undefined {
  const url = urlWithin(text, POST_HOSTS)
  if (!url) return undefined
  const { hostname, pathname } = url
  const [, name, id] = /^\/@([^/]*)\/(?:video|photo)\/(\d{1,20})\/?$/.exec(pathname) ?? []
  if (id !== undefined) return postWithId(id, name || undefined)
  const [, old] = /^\/v\/(\d{1,20})(?:\.html)?$/.exec(pathname) ?? []
  if (old !== undefined) return postWithId(old)
  const isShort = /^v[mt]\./.test(hostname)
    ? /^\/[A-Za-z0-9]+\/?$/.test(pathname)
    : /^\/t\/[A-Za-z0-9]+\/?$/.test(pathname)
  if (!isShort) return undefined
  return { link: `https://${hostname === 'm.tiktok.com' ? 'www.tiktok.com' : hostname}${pathname}` }
}

/** A post by its author and its number, or a short link to it. The input must have passed {@link postIssues}. */
export function nameOf(names: PostNames): string {
  const post = postOf(names)
  if (!post) return ''
  return 'link' in post ? shortUrl(post.link) : shortUrl(post.page).replace(/^tiktok\.com\/(?:@_\/)?/, '')
}

/** The issues of the fields that name a post: `url`, or `username` with `video_id`. */
export function postIssues(input: PostNames): Issue[] {
  const { url, username, video_id } = input
  if (url !== undefined) {
    const foreign = urlIssues('/url', url, POST_HOSTS)
    if (foreign.length > 0 || postOf(input)) return foreign
    const detail =
      'must be the address of a video, such as https://www.tiktok.com/@name/video/7300000000000000000'
    return [{ pointer: '/url', code: 'no-video', detail }]
  }
  const missing = (field: string): Issue => ({
    pointer: `/${field}`,
    code: 'required',
    detail: 'is required: send url, or username and video_id',
  })
  if (username === undefined && video_id === undefined) return [missing('url')]
  return username === undefined ? [missing('username')] : video_id === undefined ? [missing('video_id')] : []
}
