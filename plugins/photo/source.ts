/**
 * Instagram: public profiles with their photos and videos. With a login, also profiles that are visible to members
 * only.
 *
 * @module
 */
import { at, BROWSER, defineSource } from 'gleaner/plugin'
import { profileDownload } from './profile-download.ts'
import { APP_ID } from './read/site/site.ts'
import { MEDIA_HOSTS } from './write/download.ts'

const MEDIA_PACE = { perSecond: 10, concurrent: 4 }

export default defineSource({
  name: 'photo',
  title: 'Photos (Instagram)',
  origin: 'https://www.instagram.com',
  hosts: ['instagram.com', ...MEDIA_HOSTS],
  userAgent: BROWSER,
  pace: {
    perSecond: 1,
    burst: 4,
    concurrent: 4,
    hosts: Object.fromEntries(MEDIA_HOSTS.map((host) => [host, MEDIA_PACE])),
  },
  interstitials: [
    {
      // Visitors are redirected to the sign-in page or the home page. A verification stops a member's login until its
      // owner completes it, so it refuses the login too; for visitors it is a block (read/site/refusals.ts).
      url: /^https?:\/\/(?:[\w-]+\.)?instagram\.com\/(?:(?:accounts\/(?:login|suspended)|auth_platform|challenge)(?:[/?#]|$)|[?#]|$)/,
      ends: 'source-login-required',
    },
    { url: /^https?:\/\/(?:[\w-]+\.)?instagram\.com\/consent(?:[/?#]|$)/, ends: 'source-blocked' },
  ],
  login: {
    url: '/accounts/login/',
    signedIn: { cookies: ['sessionid', 'ds_user_id'] },
    // The account's own profile, which every working login can read.
    check: {
      url: '/api/v1/users/{ds_user_id}/info/',
      names: (body) => (at(body, 'user', 'pk') ?? null) !== null,
      // The site's own requests to this address have it.
      as: 'fetch',
      headers: { 'x-ig-app-id': APP_ID },
    },
  },
  tasks: [profileDownload],
})
