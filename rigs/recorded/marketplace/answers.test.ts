/** Runs over all recorded and made answers. The expected values were read from the files by hand. */
import { describe, expect, test } from 'bun:test'
import { type Exchange, runTask } from 'gleaner/plugin/testing'
import { search } from '../../../plugins/marketplace/catalog/search.ts'
import { API, GATEWAY, PAGE, run } from '../../../plugins/marketplace/fixtures/sample.ts'
import { memberItems } from '../../../plugins/marketplace/members/member-items.ts'
import { memberSearch } from '../../../plugins/marketplace/members/member-search.ts'
import source from '../../../plugins/marketplace/source.ts'
import { exchangesOf, type RecordedCase } from '../recordings.ts'
import { cases, others } from './cases.ts'

const { recordings } = cases
const runCase = (one: RecordedCase) =>
  runTask(one.task, one.input, { source, exchanges: exchangesOf(recordings, one) })

const ITEM_PAGE = 'recorded/vinted_item_page_fr_202511_flight-chunk_item-and-seller.html'
const USER = 'recorded/vinted_user_record_es_202008_old-api.json'

describe('recorded', () => {
  test('every recording is used by a case or listed with a reason', () => {
    const used = cases.cases.flatMap(({ files }) => files)
    expect([...new Set([...used, ...Object.keys(others)])].sort()).toEqual(recordings.files())
    expect(used.filter((file) => file in others)).toEqual([])
  })

  test.each(
    cases.cases.filter(({ ends }) => ends).map((one) => [one.name ?? one.files.join(), one] as const),
  )('%s ends the run with its code', async (_, one) => {
    const { items, error } = await runCase(one)
    expect([items.length, error?.code]).toEqual([0, one.ends])
  })

  test('a refusal for lack of a session is told in the words of the site', async () => {
    const { error } = await runCase(caseOf('vinted_error_401_no-session-cookie.json, of a wardrobe'))
    expect(error?.message).toBe("code 100 (invalid_authentication_token): Jeton d'authentification invalide")
  })

  test.each([0, 2, 3])('Nike in Italy, slim rows: case %p', async (index) => {
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

  test('Nike in the United Kingdom, a row of the older shape, as in a wardrobe', async () => {
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
        is_reserved: null,
        is_closed: null,
        is_hidden: null,
        closing_action: null,
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

const caseOf = (name: string): RecordedCase => {
  const recordedCase = cases.cases.find((one) => (one.name ?? one.files.join()) === name)
  if (!recordedCase) throw new Error(`no case ${name}`)
  return recordedCase
}

describe('made after reports', () => {
  test('two pages of the service: a promoted row repeats, and the later page has the time of the first', async () => {
    const { items, rest, error } = await runCase(caseOf('two pages of the service'))
    expect(error).toBeNull()
    expect(rest).toEqual({ next_cursor: null, total_entries: 5, total_pages: 2 })
    expect(items.map((it) => [it.id, it.brand, it.size, it.condition, it.total_price])).toEqual([
      ['10110000001', 'Ikea', null, 'Very good', 13.3],
      ['10110000002', null, '28', 'New without tags', 9.63],
      ['10110000003', 'Mango', 'M / 38 / 10', 'Good', 47.95],
      ['10110000004', 'Zara Home', null, 'New with tags', 7],
    ])
    expect(items[2]).toMatchObject({
      url: 'https://www.vinted.co.uk/items/10110000003-wool-coat',
      seller: { id: '230000003', login: 'sample_seller_3', business: true },
      photo_uploaded_at: null,
    })
    expect(items.map((it) => (it.image_urls as string[]).length)).toEqual([2, 1, 3, 1])
  })

  test('an empty answer of the service is a success', async () => {
    const { items, rest, error } = await runCase(caseOf('made/vinted_svc-catalogue_items_empty.made.json'))
    expect([items, error]).toEqual([[], null])
    expect(rest).toEqual({ next_cursor: null, total_entries: 0, total_pages: 0 })
  })

  test('the catalogue page gives the same items as the service, as far as it shows them', async () => {
    const { items, rest, error } = await runCase(caseOf('made/vinted_catalog_page_stream.made.html'))
    expect(error).toBeNull()
    expect(rest).toEqual({ next_cursor: null, total_entries: 4, total_pages: 1 })
    expect(items.map((it) => [it.id, it.title, it.brand, it.size, it.condition, it.service_fee])).toEqual([
      ['10110000001', 'Desk lamp, brass', 'Ikea', null, 'Very good', 1.3],
      ['10110000002', "Kids' rain boots", null, '28', 'New without tags', 1.13],
      ['10110000003', 'Wool coat', 'Mango', 'M / 38 / 10', 'Good', null],
      ['10110000005', '$2 bargain scarf', 'H&M', null, 'Satisfactory', 0.8],
    ])
    const served = await runCase(caseOf('two pages of the service'))
    const seller = {
      login: null,
      profile_url: 'https://www.vinted.co.uk/member/230000001',
      business: false,
    }
    expect(items[0]).toEqual({
      ...(served.items[0] as Record<string, unknown>),
      view_count: null,
      seller: { id: '230000001', ...seller },
    })
    expect(items[2]).toMatchObject({
      image_url: 'https://images1.vinted.net/t/01_00703_ExampleOnly31/310x430/1780000003.webp?s=example31',
      image_urls: [],
      total_price: null,
    })
  })

  test('a wardrobe has rows of the older shape beside relative URLs', async () => {
    const { items, error } = await runCase(caseOf('made/vinted_wardrobe_items.made.json'))
    expect(error).toBeNull()
    expect(items.map((it) => [it.title, it.price, it.currency, it.brand, it.size, it.condition])).toEqual([
      ['Linen dress', 14, 'GBP', 'Toast', 'S / 36 / 8', 'Very good'],
      ['Old jumper', 5, 'GBP', null, 'M', 'Satisfactory'],
    ])
    expect(items.map((it) => [it.view_count, it.is_reserved, it.is_closed, it.closing_action])).toEqual([
      [40, true, false, null],
      [9, false, true, 'sold'],
    ])
    expect(items[0]).toMatchObject({ url: 'https://www.vinted.co.uk/items/10110000050-linen-dress' })
  })

  test('a member has the country as the site writes it now', async () => {
    const { items, error } = await runCase(caseOf('made/vinted_users.made.json'))
    expect(error).toBeNull()
    expect(items).toMatchObject([
      {
        id: '230000077',
        login: 'sample.closet',
        profile_url: 'https://www.vinted.pt/member/230000077-sample.closet',
        item_count: 2,
        feedback_reputation: 1,
        city: 'Porto',
        country: 'Portugal',
        country_code: 'PT',
        last_logged_on: '2026-11-20T18:00:00Z',
        about: null,
      },
    ])
  })

  const refusals: Refusal[] = recordings.there
    ? JSON.parse(recordings.text('made/vinted_refusals.made.json'))
    : []
  test.each(refusals.map((one, i) => [`${one.what} (${i})`, one] as const))(
    'a search that is refused everywhere with: %s',
    async (_, { status, body, headers }) => {
      const answer = { status, headers, ...(typeof body === 'string' ? { body } : { json: body }) }
      const exchanges = [GATEWAY, API, PAGE].map((request) => ({ request, ...answer, repeats: true }))
      const { items, error } = await run(search, { query: 'lamp' }, [
        { request: '/', body: '', repeats: true },
        ...(exchanges as Exchange[]),
      ])
      const code =
        status === 429 ? 'source-rate-limited' : CHANGED.has(status) ? 'source-changed' : 'source-blocked'
      expect([items.length, error?.code]).toEqual([0, code])
    },
  )
})

type Refusal = {
  readonly what: string
  readonly status: number
  readonly body: unknown
  readonly headers?: Record<string, string>
}

/** Statuses of addresses that the site has no more, or that no longer take these parameters. */
const CHANGED = new Set([400, 404])

/** The item in the only streamed chunk of a page: `15:` and JSON, as a string in a script. */
function itemOfPage(): Record<string, unknown> {
  const [, pushed] = /self\.__next_f\.push\((\[.*?\])\)<\/script>/s.exec(recordings.text(ITEM_PAGE)) ?? []
  const [, chunk] = JSON.parse(pushed ?? '[]')
  let listing: Record<string, unknown> | undefined
  JSON.parse(chunk.slice('15:'.length), (name, value) => {
    if (name === 'item' && value?.photos) listing = value
    return value
  })
  if (!listing) throw new Error('the page has no item')
  return listing
}
