/**
 * Short videos: TikTok. Its lists require requests that are signed by the site's own script. Both tasks therefore open
 * the public page in a browser and read the responses that the page gets.
 *
 * @module
 */
import { defineSource } from 'gleaner/plugin'
import { comments } from './comments.ts'
import { hashtag } from './hashtag.ts'
import { ORIGIN, SIGN_IN } from './site.ts'

export default defineSource({
  name: 'shortvideo',
  title: 'TikTok',
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
  pace: { perSecond: 1, concurrent: 2 },
  interstitials: [{ url: SIGN_IN, ends: 'source-login-required' }],
  tasks: [comments, hashtag],
})
