/**
 * Vinted, a marketplace for second-hand items: one site for each country, all with the same API.
 *
 * @module
 */
import { BROWSER, defineSource } from 'gleaner/plugin'
import { HOSTS } from './domains.ts'
import { memberItems } from './member-items.ts'
import { memberSearch } from './member-search.ts'
import { search } from './search.ts'
import { searchFiltered } from './search-filtered.ts'

export default defineSource({
  name: 'marketplace',
  title: 'Marketplace (Vinted)',
  origin: 'https://www.vinted.co.uk',
  hosts: HOSTS,
  userAgent: BROWSER,
  // The site limits the requests of one IP address, but does not publish the limit.
  pace: { perSecond: 2, concurrent: 2 },
  interstitials: [
    { url: /^https:\/\/(?:[a-z0-9-]+\.)*captcha-delivery\.com\//, ends: 'source-blocked' },
    {
      url: /^https:\/\/(?:www\.)?vinted\.[a-z.]+\/member\/(?:signup|login|session)\b/,
      ends: 'source-login-required',
    },
  ],
  tasks: [search, searchFiltered, memberSearch, memberItems],
})
