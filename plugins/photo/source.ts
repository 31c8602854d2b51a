/**
 * Instagram: public profiles with their photos and videos. With a login, also profiles that are visible to members
 * only.
 *
 * @module
 */
import { BROWSER, defineSource } from 'gleaner/plugin'
import { MEDIA_HOSTS } from './download.ts'
import { profileDownload } from './profile-download.ts'

export default defineSource({
  name: 'photo',
  title: 'Photos (Instagram)',
  origin: 'https://www.instagram.com',
  hosts: ['instagram.com', 'i.instagram.com', ...MEDIA_HOSTS],
  userAgent: BROWSER,
  // The pace applies to each host. Media servers allow this rate, and an export makes few requests to the API.
  pace: { perSecond: 10, concurrent: 4 },
  interstitials: [
    {
      // Visitors who are not signed in are redirected to the sign-in page or the home page.
      url: /^https?:\/\/(?:[\w-]+\.)?instagram\.com\/(?:accounts\/login(?:[/?#]|$)|[?#]|$)/,
      ends: 'source-login-required',
    },
    {
      url: /^https?:\/\/(?:[\w-]+\.)?instagram\.com\/(?:challenge|consent|accounts\/suspended)(?:[/?#]|$)/,
      ends: 'source-blocked',
    },
  ],
  login: {
    url: '/accounts/login/',
    signedIn: { cookies: ['sessionid'] },
    // The settings of the account, which redirect visitors to the sign-in page.
    check: { url: '/accounts/edit/' },
  },
  tasks: [profileDownload],
})
