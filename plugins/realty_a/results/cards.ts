/**
 * Reads the rendered cards of a result page that has no model. They show fewer fields than the model.
 *
 * @module
 */
import { textOrNull } from 'gleaner/plugin'

/** The longest page that is parsed, in characters. A page of 25 cards has fewer than 1,000,000. */
const LONGEST = 2_000_000
const CARD = '[data-testid^="propertyCard-"]'
const PAGES = 'select[aria-label="Navigate to page"] option'

/**
 * A model with the values that the cards of a page show.
 *
 * @param parse parses HTML into a DOM; called only for pages with cards
 * @returns undefined when the page has no cards, or is too long to be parsed in the memory of a run
 */
export function modelOfCards(html: string, parse: (html: string) => Document): unknown {
  if (html.length > LONGEST || !html.includes('data-testid="propertyCard-')) return undefined
  const page = parse(html)
  const options = [...page.querySelectorAll(PAGES)]
  const indexes = options.map((option) => option.getAttribute('value'))
  const selected = options.findIndex((option) => option.hasAttribute('selected'))
  return {
    properties: [...page.querySelectorAll(CARD)].map(rowOf),
    resultCount: textIn(page, '[class*="ResultsCount_"] span'),
    pagination: {
      total: options.length > 0 ? options.length : null,
      page: selected < 0 ? null : selected + 1,
      next: selected < 0 ? null : indexes[selected + 1],
      last: indexes.at(-1),
    },
  }
}

/** A card as a row of the model. */
function rowOf(card: Element): unknown {
  const address = linkIn(card, 'a[href*="/properties/"]')
  const price = textIn(card, '[class*="PropertyPrice_price__"]')
  const amount = /^£([\d,]+)/.exec(price ?? '')?.[1]?.replaceAll(',', '')
  return {
    id: /\/properties\/(\d+)/.exec(address ?? '')?.[1],
    propertyUrl: address,
    displayAddress: textIn(card, '[data-testid="property-address"]'),
    price: {
      amount,
      currencyCode: amount === undefined ? null : 'GBP',
      displayPrices: [
        {
          displayPrice: price,
          displayPriceQualifier: textIn(card, '[class*="PropertyPrice_priceQualifier"]'),
        },
      ],
    },
    bedrooms: textIn(card, '[class*="PropertyInformation_bedroomsCount"]'),
    bathrooms: textIn(card, '[class*="PropertyInformation_bathContainer"] span'),
    propertySubType: textIn(card, '[class*="PropertyInformation_propertyType"]'),
    summary: textIn(card, '[data-testid="property-description"]'),
    images: [...card.querySelectorAll('img[data-testid^="property-img-"]')].map((image) => ({
      srcUrl: image.getAttribute('src'),
    })),
    addedOrReduced: textIn(card, '[class*="MarketedBy_addedOrReduced"]'),
    customer: customerOf(card),
    channel: /[?&]channel=(?:RES_)?([A-Z_]+)/.exec(address ?? '')?.[1],
    featuredProperty: card.querySelector('[class*="PropertyPrice_featured"]') !== null,
    development: card.querySelector('[data-testid="property-tag-New Home"]') !== null,
  }
}

function customerOf(card: Element): unknown {
  const logo = 'a[data-testid^="property-branch-logo"]'
  const url = linkIn(card, logo)
  return {
    branchDisplayName: card.querySelector(logo)?.getAttribute('title'),
    branchId: /-(\d+)\.html$/.exec(url ?? '')?.[1],
    contactTelephone: linkIn(card, 'a[data-testid="contact-agent-phone-number"]')?.replace(/^tel:/, ''),
    branchLandingPageUrl: url,
  }
}

const textIn = (part: ParentNode, selector: string): string | null =>
  textOrNull(part.querySelector(selector)?.textContent)

const linkIn = (part: ParentNode, selector: string): string | null =>
  textOrNull(part.querySelector(selector)?.getAttribute('href'))
