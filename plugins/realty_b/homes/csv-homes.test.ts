import { expect, test } from 'bun:test'
import { csvHomesOf } from './csv-homes.ts'

test('columns are found by the prefixes of their names, in any order', () => {
  const header =
    'LOT SIZE,URL (SEE FOR INFO),ADDRESS,PRICE,ZIP OR POSTAL CODE,HOA/MONTH,$/SQUARE FEET,SQUARE FEET'
  const row = '7200,https://www.redfin.com/WA/Fernton/1-Oak-St/home/12,1 Oak St,500000,98368,45,250,2000'
  const homes = csvHomesOf({ note: () => undefined }, `${header}\n${row}\n`)
  expect(homes).toHaveLength(1)
  expect(homes[0]).toMatchObject({
    property_id: '12',
    street_address: '1 Oak St',
    price: 500_000,
    lot_size_sqft: 7200,
    living_area_sqft: 2000,
    price_per_sqft: 250,
    hoa_monthly: 45,
    country: 'US',
    currency: 'USD',
  })
})

test('a Canadian postal code sets the country to CA and the currency to CAD', () => {
  const homes = csvHomesOf(
    { note: () => undefined },
    'URL,ADDRESS,PRICE,ZIP\n/BC/Fernton/home/5,2 Elm Rd,1,V6B 1A1\n',
  )
  expect(homes[0]).toMatchObject({ country: 'CA', currency: 'CAD', url: null })
})
