/** Runs over all recorded answers. The expected values were read from the recordings by hand. */
import { describe, expect, test } from 'bun:test'
import { runTask } from 'gleaner/plugin/testing'
import { run } from '../../../plugins/marketplace/fixtures/sample.ts'
import { memberItems } from '../../../plugins/marketplace/member-items.ts'
import { memberSearch } from '../../../plugins/marketplace/member-search.ts'
import source from '../../../plugins/marketplace/source.ts'
import { exchangesOf, type RecordedCase } from '../recordings.ts'
import { cases, others } from './cases.ts'

const { recordings } = cases
const runCase = (one: RecordedCase) =>
  runTask(one.task, one.input, { source, exchanges: exchangesOf(recordings, one) })

const PAGE = 'vinted_item_page_fr_202511_flight-chunk_item-and-seller.html'
const USER = 'vinted_user_record_es_202008_old-api.json'

describe('recorded', () => {
  test('every recording is used by a case or listed with a reason', () => {
    const used = cases.cases.flatMap(({ files }) => files)
    expect([...new Set([...used, ...Object.keys(others)])].sort()).toEqual(recordings.files())
    expect(used.filter((file) => file in others)).toEqual([])
  })

  test.each(
    cases.cases.filter(({ ends }) => ends).map((one) => [one.name ?? one.files.join(), one] as const),
  )('%s ends the run with its code and the message of the site', async (_, one) => {
    const { items, error } = await runCase(one)
    expect([items.length, error?.code]).toEqual([0, one.ends])
    expect(error?.message).toBe("code 100 (invalid_authentication_token): Jeton d'authentification invalide")
  })

  test.each([0, 2])('Nike in Italy, slim rows: case %p', async (index) => {
    const { items, rest, error } = await runCase(cases.cases[index]!)
    expect(error).toBeNull()
    expect(rest).toEqual({ next_cursor: null, total_entries: 960, total_pages: 192 })
    const facts = items.map((item) => [
      item.id,
      item.brand,
      item.size,
      item.condition,
      item.price,
      item.promoted,
    ])
    expect(facts).toEqual([
      ['10051317969', 'Nike Air', 'L', 'Nuovo senza cartellino', 6, false],
      ['10035663984', 'Nike', '41', 'Buone', 55, true],
      ['10051526753', 'Nike', '43', 'Buone', 75, true],
      ['10026693491', 'Nike Air', '36.5', 'Ottime', 58, false],
      ['10015383004', 'Nike Air', '39', 'Ottime', 30, false],
    ])
    const money = items.map((item) => [
      item.service_fee,
      item.total_price,
      item.currency,
      item.favourite_count,
    ])
    expect(money).toEqual([
      [1, 7, 'EUR', 25],
      [3.45, 58.45, 'EUR', 29],
      [4.45, 79.45, 'EUR', 8],
      [3.6, 61.6, 'EUR', 14],
      [2.2, 32.2, 'EUR', 8],
    ])
    expect(items.map(({ seller }) => seller?.id)).toEqual([
      '125244555',
      '48889333',
      '48889333',
      '12954406',
      '258496610',
    ])
    expect(items[1]).toMatchObject({
      title: 'Nike Air Max 1 “Grey Gum”',
      url: 'https://www.vinted.it/items/10035663984-nike-air-max-1-grey-gum',
      view_count: 0,
      photo_uploaded_at: null,
      seller: {
        id: '48889333',
        login: 'stefankuijf',
        profile_url: 'https://www.vinted.it/member/48889333-stefankuijf',
        business: false,
      },
    })
    const image =
      'https://images1.vinted.net/t/05_00d73_x5zv13NZTid2hrBUjpK3saxK/f800/867fb021.webp?s=4e7468b8e9beabeb8f5bad12d65b3cb5a9197e63'
    expect([items[1]?.image_url, items[1]?.image_urls]).toEqual([image, [image]])
  })

  test('Nike in the United Kingdom, a classic row', async () => {
    const { items, error } = await runCase(cases.cases[1]!)
    expect(error).toBeNull()
    expect(items).toEqual([
      {
        id: '9552573524',
        title: 'Nike Trainer - UK 5',
        url: 'https://www.vinted.co.uk/items/9552573524-nike-trainer-uk-5',
        price: 7,
        currency: 'GBP',
        service_fee: 0.86,
        total_price: 7.86,
        brand: 'Nike',
        size: '5 junior | EU 38',
        condition: 'Very good',
        image_url: expect.stringContaining('/02_010d4_VLJQB9z5o8H1Dyg9u6w2YoHf/f800/1785665755.jpeg'),
        image_urls: [
          expect.stringContaining('/02_010d4_VLJQB9z5o8H1Dyg9u6w2YoHf/f800/1785665755.jpeg'),
          expect.stringContaining('/04_00068_ozQCccKXHCynf72rGPama29Z/f800/1785665755.jpeg'),
        ],
        favourite_count: 9,
        view_count: 0,
        promoted: true,
        seller: {
          id: '98870513',
          login: 'jwilliamsx',
          profile_url: 'https://www.vinted.co.uk/member/98870513-jwilliamsx',
          business: false,
        },
        photo_uploaded_at: '2026-08-02T10:15:55Z',
      },
    ])
  })

  test('the member record of 2020 is read as in a member search', async () => {
    const { user } = JSON.parse(recordings.text(USER))
    const json = { users: [user], pagination: { total_pages: 1 }, code: 0 }
    const { items } = await run(memberSearch, { query: 'ana' }, [{ request: '/api/v2/users', json }])
    expect(items).toEqual([
      {
        id: '39462440',
        login: 'anaespinosa99',
        profile_url: 'https://www.vinted.es/member/39462440-anaespinosa99',
        photo_url:
          'https://images.vinted.net/thumbs/f800/01_0186b_vtq6VSFoSPeVp6pfFne1tXtR.jpeg?1597357074-e43ed80b60fcfafe1ee42017684606ec744db40b',
        business: null,
        item_count: 1,
        given_item_count: 0,
        taken_item_count: 0,
        followers_count: 0,
        following_count: 0,
        feedback_reputation: 0,
        feedback_count: null,
        positive_feedback_count: 0,
        neutral_feedback_count: 0,
        negative_feedback_count: 0,
        city: null,
        country: 'España',
        country_code: 'ES',
        last_logged_on: '2020-08-19T12:10:37Z',
        is_on_holiday: false,
        about: null,
      },
    ])
  })

  test('the item of a page of 2025 is read as in a wardrobe', async () => {
    const json = { items: [itemOfPage()], pagination: { total_pages: 1 }, code: 0 }
    const member_url = 'https://www.vinted.co.uk/member/57330623-toinou4342'
    const exchanges = [{ request: '/api/v2/wardrobe/57330623/items', json }]
    const { items } = await run(memberItems, { member_url }, exchanges)
    expect(items).toEqual([
      {
        id: '7602819966',
        title: 'Maillot Asse 2025',
        url: 'https://www.vinted.co.uk/items/7602819966',
        price: 90,
        currency: 'EUR',
        service_fee: 5.2,
        total_price: 95.2,
        brand: 'Hummel',
        size: null,
        condition: null,
        image_url: expect.stringContaining('/02_01643_g4nWo6xTWH3h98G8xwyHVs3Z/f800/1763679864.webp'),
        image_urls: [
          expect.stringContaining('/02_01643_g4nWo6xTWH3h98G8xwyHVs3Z/f800/1763679864.webp'),
          expect.stringContaining('/02_024ab_VdjpTeURJDDPmNUCiVgdx8L2/f800/1763679864.webp'),
        ],
        favourite_count: null,
        view_count: null,
        promoted: false,
        seller: {
          id: '57330623',
          login: null,
          profile_url: 'https://www.vinted.co.uk/member/57330623',
          business: null,
        },
        photo_uploaded_at: '2025-11-20T23:04:24Z',
        is_reserved: false,
        is_closed: false,
        is_hidden: false,
        closing_action: null,
      },
    ])
  })

  test('the seller on a page of 2025 is read as in a member search', async () => {
    const { seller_id, seller_photo, ...seller } = itemOfPage()
    const users = [{ ...seller, id: seller_id, photo: seller_photo }]
    const json = { users, pagination: { total_pages: 1 }, code: 0 }
    const { items } = await run(memberSearch, { query: 'toinou' }, [{ request: '/api/v2/users', json }])
    expect(items[0]).toMatchObject({
      id: '57330623',
      login: 'toinou4342',
      photo_url: expect.stringContaining('/04_024be_vayVQHc62CWJKq6QN8vSLNdJ/f800/1761848930.webp'),
      business: false,
      item_count: null,
      feedback_count: 72,
      feedback_reputation: 1,
      city: null,
      country: 'France',
      country_code: null,
      last_logged_on: '2025-11-20T23:00:10Z',
      is_on_holiday: false,
    })
  })
})

/** The item in the only streamed chunk of a page: `15:` and JSON, as a string in a script. */
function itemOfPage(): Record<string, unknown> {
  const [, pushed] = /self\.__next_f\.push\((\[.*?\])\)<\/script>/s.exec(recordings.text(PAGE)) ?? []
  const [, chunk] = JSON.parse(pushed ?? '[]')
  let found: Record<string, unknown> | undefined
  JSON.parse(chunk.slice('15:'.length), (name, value) => {
    if (name === 'item' && value?.photos) found = value
    return value
  })
  if (!found) throw new Error('the page has no item')
  return found
}
