/**
 * Instagram: public profiles, with their photos and videos; signed in also those that are shown to members alone.
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
  // The pace holds for each host: media servers bear more, and of the API an export asks little.
  pace: { perSecond: 10, concurrent: 4 },
  interstitials: [
    {
      // Who is not signed in is sent to the sign-in page, or home.
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
    // The settings of the account: visitors are sent to the sign-in page.
    check: '/accounts/edit/',
  },
  tasks: [profileDownload],
})
