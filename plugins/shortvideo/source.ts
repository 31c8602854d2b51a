/**
 * Short videos: TikTok. Its lists of comments, details of hashtags and embed pages answer plain requests. What they do
 * not give is read in a browser, from the responses that the public page gets.
 *
 * @module
 */
import { at, BROWSER, defineSource } from 'gleaner/plugin'
import { comments } from './comments/task.ts'
import { hashtag } from './hashtag/task.ts'
import { ORIGIN, SIGN_IN } from './site.ts'

export default defineSource({
  name: 'shortvideo',
  title: 'Short videos (TikTok)',
  origin: ORIGIN,
  hosts: ['tiktok.com', '*.tiktok.com'],
  // scripts, styles and the signing library of the site
  assetHosts: [
    '*.tiktokcdn.com',
    '*.tiktokcdn-us.com',
    '*.tiktokcdn-eu.com',
    '*.ttwstatic.com',
    '*.tiktokv.com',
    '*.tiktokv.us',
    '*.byteoversea.com',
    '*.ibytedtos.com',
  ],
  userAgent: BROWSER,
  // The site counts the requests of an address to all its hosts.
  pace: { perSecond: 0.5, perMinute: 30, concurrent: 1, together: true },
  interstitials: [{ url: SIGN_IN, ends: 'source-login-required' }],
  login: {
    url: '/login',
    signedIn: { cookies: ['sessionid'] },
    check: {
      // The account's own data, which needs no signature. An answer that asks for a captcha proves nothing.
      url: '/passport/web/account/info/',
      as: 'fetch',
      names: (body) => at(body, 'message') !== 'error' || Boolean(at(body, 'data', 'captcha')),
    },
  },
  tasks: [comments, hashtag],
})
