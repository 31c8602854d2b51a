/**
 * The site's URLs, and the video that an input names.
 *
 * @module
 */
import { type Issue, urlIssues, urlWithin } from 'gleaner/plugin'

export const ORIGIN = 'https://www.tiktok.com'

/** The URL of the sign-in page. */
export const SIGN_IN = /^https?:\/\/(?:[a-z]+\.)?tiktok\.com\/login(?:[/?#]|$)/

/** Hosts of video pages and of short links to them. */
const VIDEO_HOSTS = ['www.tiktok.com', 'tiktok.com', 'm.tiktok.com', 'vm.tiktok.com', 'vt.tiktok.com']

/** The public page of a video. `id` is null for a short link, because only its target contains the id. */
export type VideoPage = { readonly url: string; readonly id: string | null }

/** The fields of the input that name the video. */
export type VideoNames = {
  readonly url?: string | undefined
  readonly username?: string | undefined
  readonly video_id?: string | undefined
}

/** The page of a video, from its URL or its number. @returns undefined when the fields name no video */
export function videoPageOf({ url, username, video_id }: VideoNames): VideoPage | undefined {
  if (url !== undefined) return pageOfUrl(url)
  if (username === undefined || video_id === undefined) return undefined
  return { url: `${ORIGIN}/@${username.replace(/^@/, '')}/video/${video_id}`, id: video_id }
}

function pageOfUrl(text: string): VideoPage | undefined {
  const url = urlWithin(text, VIDEO_HOSTS)
  if (!url) return undefined
  const { hostname, pathname } = url
  const id = videoIdOf(pathname)
  // The site ignores the name before the number, and redirects to the right one.
  if (id !== null) return { url: `${ORIGIN}${/^\/@/.test(pathname) ? pathname : `/@_/video/${id}`}`, id }
  const isShort = /^v[mt]\./.test(hostname)
    ? /^\/[A-Za-z0-9]+\/?$/.test(pathname)
    : /^\/t\/[A-Za-z0-9]+\/?$/.test(pathname)
  return isShort
    ? { url: `https://${hostname === 'm.tiktok.com' ? 'www.tiktok.com' : hostname}${pathname}`, id: null }
    : undefined
}

/** The number in the path of a video page, a photo post's page, or an old mobile page; null for any other path. */
export function videoIdOf(pathname: string): string | null {
  const found = /^\/@[^/]*\/(?:video|photo)\/(\d{1,20})\/?$|^\/v\/(\d{1,20})(?:\.html)?$/.exec(pathname)
  return found?.[1] ?? found?.[2] ?? null
}

/** The issues of the fields that name a video: `url`, or `username` with `video_id`. */
export function videoIssues(sent: VideoNames): Issue[] {
  const { url, username, video_id } = sent
  if (url !== undefined) {
    const foreign = urlIssues('/url', url, VIDEO_HOSTS)
    if (foreign.length > 0 || videoPageOf(sent)) return foreign
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
