import { describe, expect, test } from 'bun:test'
import { isAddress, sameAddress } from './address.ts'

describe('the same house', () => {
  test.each([
    ['506 East Howell Street, Seattle, WA', '506 E Howell St'],
    ['506 E Howell St Unit W303', '506 E Howell St Unit W303'],
    ['506 E Howell St #w303', '506 E Howell St Unit W303'],
    ['506 E Howell St', '506 E Howell St Unit W303'],
    ['506 Howell', '506 E Howell St'],
    ['506 E Howell', '506 Howell St'],
    ['9657 18th Avenue Southwest Seattle', '9657 18th Ave SW'],
    ['12 St. Charles Ave New Orleans', '12 Saint Charles Avenue'],
    ['Apt 4, 12 Main St', '12 Main St Apt 4'],
    ['12 Ste Catherine St', '12 Ste. Catherine St Unit PH'],
    ['12 Main St Ste 200', '12 Main St Suite 200'],
    ['12-14 O’Hara Ct.', "12-14 O'Hara Court"],
    ['7 Rue Sainte-Thérèse', '7 Rue Sainte-Therese, Montréal, QC'],
  ])('%s: %s', (query, listing) => {
    expect(sameAddress(query, listing)).toBe(true)
  })
})

describe('another house', () => {
  test.each([
    ['506 E Howell St', '508 E Howell St'],
    ['506 E Howell St', '506 W Howell St'],
    ['506 Howell St', '506 Howell Ave'],
    ['506 Howell St', '506 Howard St'],
    ['506 Howell St', '506'],
    ['506', '506 Howell St'],
    ['12 Main St #4', '12 Main St #5'],
    ['12 Main St #4', '12 Main St'],
    ['Main St', '12 Main St'],
    ['', ''],
  ])('%s: %s', (query, listing) => {
    expect(sameAddress(query, listing)).toBe(false)
  })
})

test.each([
  ['506 E Howell St', true],
  ['12-14 Main', true],
  ['Apt 4, 12 Main St', true],
  ['#4 12 Main St', true],
  ['98101', false],
  ['Howell', false],
])('%s begins like an address: %p', (text, is) => {
  expect(isAddress(text)).toBe(is)
})

test.each(['#', '# ', 'Ste ', 'Unit '])('%j over and over takes linear time, not minutes', (part) => {
  for (const rest of [part.repeat(200_000), part + ' '.repeat(500_000)])
    expect(sameAddress('12 Main Street', `14 Main St ${rest}.`)).toBe(false)
})
