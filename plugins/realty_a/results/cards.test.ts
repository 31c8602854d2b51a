import { expect, test } from 'bun:test'
import { closedRoute, runTask } from 'gleaner/plugin/testing'
import { lookUp, pageAt } from '../fixtures/sample.ts'
import { search } from '../search.ts'
import source from '../source.ts'

const card = (n: number, inner: string) => `<div data-testid="propertyCard-${n}">${inner}</div>`
const rich = card(
  0,
  `<a href="/properties/41#/?channel=RES_BUY"><img data-testid="property-img-1" src="https://m.example/1.jpeg"></a>
  <div data-testid="property-price"><div class="PropertyPrice_price__x1">£1,220,000</div>
  <div class="PropertyPrice_priceQualifier__x2">Offers Over</div><div class="PropertyPrice_featured__x3">FEATURED</div></div>
  <div data-testid="property-address"><address>Mill Lane, Fernton</address></div>
  <span class="PropertyInformation_propertyType__x4">Detached</span>
  <span class="PropertyInformation_bedroomsCount__x5">3</span>
  <div class="PropertyInformation_bathContainer__x6"><span>2</span></div>
  <p data-testid="property-description">A mill &amp; a pond.</p>
  <span class="MarketedBy_addedOrReduced__x7">Added today</span><span data-testid="property-tag-New Home">New Home</span>
  <a data-testid="property-branch-logo-0" title="Fern Homes" href="/estate-agents/agent/Fern-Homes/Fernton-12.html"></a>
  <a data-testid="contact-agent-phone-number" href="tel:01000 1">01000 1 <i>Local call rate</i></a>`,
)
const bare = card(
  1,
  '<a href="/properties/42#/?channel=RES_BUY"></a><div class="PropertyPrice_price__x">POA</div>',
)
const pages = (selected: number) =>
  `<select aria-label="Navigate to page">${[0, 24, 48]
    .map((index, i) => `<option value="${index}"${i === selected ? ' selected' : ''}>${i + 1}</option>`)
    .join('')}</select>`
const count = '<div class="ResultsCount_resultsCount__x"><p><span>1,054</span> results</p></div>'
const run = (body: string, index = 0) =>
  runTask(
    search,
    { query: 'Fern', cursor: String(index) },
    {
      source,
      exchanges: [lookUp(), pageAt(index, body), closedRoute('GET /api/property-search/listing/search')],
    },
  )

test('a page without its model is read from its cards', async () => {
  const { items, rest, error } = await run(count + rich + bare + pages(0))
  expect(error).toBeNull()
  expect(rest).toEqual({
    next_cursor: '24',
    total_results: 1054,
    page: 1,
    total_pages: 3,
    location: { identifier: 'REGION^7', name: 'Fernshire' },
  })
  expect(items[0]).toEqual({
    id: '41',
    url: 'https://www.rightmove.co.uk/properties/41#/?channel=RES_BUY',
    address: 'Mill Lane, Fernton',
    price: 1_220_000,
    currency: 'GBP',
    price_display: '£1,220,000',
    price_qualifier: 'Offers Over',
    price_frequency: null,
    bedrooms: 3,
    bathrooms: 2,
    property_type: 'Detached',
    tenure: null,
    size_text: null,
    latitude: null,
    longitude: null,
    summary: 'A mill & a pond.',
    key_features: [],
    image_urls: ['https://m.example/1.jpeg'],
    status: null,
    added_or_reduced: 'Added today',
    listing_update_reason: null,
    listing_updated_at: null,
    first_listed_at: null,
    agent: {
      name: 'Fern Homes',
      branch_id: '12',
      phone: '01000 1',
      url: 'https://www.rightmove.co.uk/estate-agents/agent/Fern-Homes/Fernton-12.html',
    },
    channel: 'BUY',
    featured: true,
    auction: null,
    new_build: true,
  })
  expect(items[1]).toMatchObject({ id: '42', price: null, currency: null, price_display: 'POA', agent: null })
})

test('the last page of cards has no cursor, and a page after it is empty', async () => {
  expect((await run(count + bare + pages(2), 48)).rest).toMatchObject({ next_cursor: null, page: 3 })
  const behind = await run(count + bare + pages(2), 72)
  expect([behind.items.length, behind.rest.page]).toEqual([0, 4])
})

test('a card without a property is no home: the JSON is asked', async () => {
  const { requests } = await run(card(0, '<p>Sorry</p>'))
  expect(new URL(requests.at(-1)!.url).pathname).toBe('/api/property-search/listing/search')
})
