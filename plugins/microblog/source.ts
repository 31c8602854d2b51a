/**
 * Microblog: X. The site shows searches and timelines to members only, and its lists require requests that are signed
 * by the site's own script. Both tasks therefore open the page with a saved login and read the responses that the
 * page gets, or else the page as it is rendered.
 *
 * @module
 */
import { BROWSER, defineSource } from 'gleaner/plugin'
import { search } from './search.ts'
import { ORIGIN } from './site.ts'
import { timeline } from './timeline.ts'

export default defineSource({
  name: 'microblog',
  title: 'Microblog (X)',
  origin: ORIGIN,
  hosts: ['x.com', '*.x.com', 'twitter.com', '*.twitter.com'],
  // scripts, styles and images of the site
  assetHosts: ['*.twimg.com'],
  // The site refuses documents to clients that say what they are.
  userAgent: BROWSER,
  pace: { perSecond: 1, concurrent: 2 },
  interstitials: [
    {
      // the sign-in pages, and the pages where the owner of a locked account must verify their identity
      url: /^https?:\/\/(?:[\w-]+\.)?(?:x|twitter)\.com\/(?:i\/flow\/login|i\/jf\/onboarding|login|logout|account\/access)(?:[/?#]|$)/,
      ends: 'source-login-required',
    },
  ],
  login: {
    url: 'https://x.com/i/flow/login',
    // hosts of the captchas that a sign-in may show
    hosts: ['*.arkoselabs.com', 'challenges.cloudflare.com'],
    signedIn: { cookies: ['auth_token', 'ct0'] },
    check: { url: '/home' },
  },
  tasks: [search, timeline],
})
