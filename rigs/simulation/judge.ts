/**
 * The invariants after any run, checked on the log and on the answers that clients received. Of the program they use
 * only the names of events.
 *
 * @module
 */
import type { Tenant } from './clients.ts'
import type { Grant } from './operator.ts'
import type { Received } from './receivers.ts'

/** An event in the log. */
export type Written = {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: the judge knows no schema
  readonly data: any
  readonly account: string
  /** by its author's clock, RFC 3339 */
  readonly at: string
  /** when it was really written, in milliseconds since 1970 */
  readonly written: number
  /** the id of the event or request that caused it */
  readonly cause: string
  /** its author, such as `person:<person_id>` */
  readonly actor: string | undefined
}

/** `calm`: no faults; `mild`: no worker lost a lease by a fault; `breeze`: nodes died while others could take over. */
export type Weather = 'calm' | 'mild' | 'breeze' | 'storm'

const ENDS = ['RunSucceeded', 'RunFailed', 'RunErrored', 'RunCancelled', 'RunExpired']
/** The latest time after the end of its lease at which a run is taken over, in milliseconds. */
const TAKEN_OVER_MS = 3500
/** The longest time between the count of the charges for an end and the end, in milliseconds. */
const COUNTED_MS = 2500
const isEnd = ({ type }: Written) => ENDS.includes(type)

/** The violations, each as a sentence. */
export function judge(
  log: readonly Written[],
  tenants: readonly Tenant[],
  received: readonly Received[],
  grants: readonly Grant[],
  weather: Weather,
): string[] {
  const streams = Map.groupBy(log, ({ stream }) => stream)
  const of = (category: string) => [...streams].filter(([stream]) => stream.startsWith(`${category}-`))
  return [
    ...of('run').flatMap(([stream, events]) => runIsWhole(stream, events)),
    ...of('account').flatMap(([stream, events]) => booksBalance(stream, events)),
    ...of('account').flatMap(([stream, events]) => lowIsAnnounced(stream, events)),
    ...runsArePaid(log),
    ...(weather === 'storm' ? [] : of('run').flatMap(([stream, events]) => isTakenOver(stream, events, log))),
    ...grants.flatMap((grant) => isGrantedOnce(grant, log)),
    ...tenants.flatMap((tenant) => [
      ...answersHold(tenant, streams),
      ...feedIsWhole(tenant, log),
      ...deliveriesAreWhole(tenant, log, received),
    ]),
    ...received
      .filter(({ url, source }) => !url.includes(`/${source.replace('/accounts/', '')}/`))
      .map(({ url, id }) => `event ${id} of another account was sent to ${url}`),
  ]
}

/** A run is requested once and ends once, nothing follows its end, and attempts are consecutive. */
function runIsWhole(stream: string, events: readonly Written[]): string[] {
  const types = events.map(({ type }) => type)
  if (types[0] === 'RunNotAdmitted')
    return types.length === 1 ? [] : [`${stream} was closed, and has ${types[1]} afterwards`]
  const wrong: string[] = []
  if (types[0] !== 'RunRequested' || types.lastIndexOf('RunRequested') > 0)
    wrong.push(`${stream} begins with ${types.slice(0, 3)}`)
  const ends = events.filter(isEnd)
  if (ends.length !== 1) wrong.push(`${stream} has ${ends.length} ends: ${types}`)
  else if (!isEnd(events.at(-1) as Written)) wrong.push(`${stream} has events after its end: ${types}`)
  let attempt = 0
  let claim = ''
  let isLeased = false
  let leasedUntil = ''
  // A worker that shuts down hands its run back; that attempt does not count.
  let next = 1
  for (const { id, type, data, cause, at } of events) {
    if (data.lease_until !== undefined) leasedUntil = data.lease_until
    if (type === 'RunRequeued' && data.reason === 'worker-lost' && at < leasedUntil)
      wrong.push(`${stream} was taken from its worker at ${at}, although its lease was until ${leasedUntil}`)
    if (type === 'RunStarted') {
      claim = id
      if (isLeased || data.attempt !== next) wrong.push(`${stream} was started twice: ${types}`)
      attempt = data.attempt
      isLeased = true
    } else if (type === 'RunRequeued') {
      isLeased = false
      next = data.reason === 'shutdown' ? attempt : attempt + 1
    } else if (type === 'RunProgressed' && (!isLeased || data.attempt !== attempt))
      wrong.push(`${stream}: attempt ${data.attempt} wrote, but attempt ${attempt} had the run`)
    else if (type === 'ResultStored' && (!isLeased || cause !== claim))
      wrong.push(`${stream}: a result of an attempt that does not have the run: ${types}`)
  }
  return wrong
}

const AMOUNTS: Readonly<Record<string, number>> = {
  CreditsGranted: 1,
  CreditsCharged: -1,
  CreditsRefunded: 1,
}

/** The balance of each entry is the sum of the entries so far, and is never negative. */
function booksBalance(stream: string, events: readonly Written[]): string[] {
  let balance = 0
  const wrong: string[] = []
  for (const { type, data } of events) {
    balance += (AMOUNTS[type] ?? 0) * (data.amount ?? 0)
    if (balance < 0) wrong.push(`${stream} has a balance of ${balance} credits`)
    if (data.balance_after !== undefined && data.balance_after !== balance)
      wrong.push(`${stream} states ${data.balance_after} credits but has ${balance}`)
  }
  return wrong
}

/** CreditsLow follows exactly the charges that take the balance from at or above the level to below it. */
function lowIsAnnounced(stream: string, events: readonly Written[]): string[] {
  let balance = 0
  let level = 0
  return events.flatMap(({ type, data }, i) => {
    const before = balance
    if (type === 'CreditsLevelSet') level = data.level ?? 0
    if (AMOUNTS[type] !== undefined) balance = data.balance_after
    const isDue = type === 'CreditsCharged' && before >= level && balance < level
    const next = events[i + 1]
    const isThere = next?.type === 'CreditsLow' && next.data.balance === balance && next.data.level === level
    if (isDue) return isThere ? [] : [`${stream} fell to ${balance} credits without CreditsLow`]
    return next?.type === 'CreditsLow' ? [`${stream} has CreditsLow after ${type} at ${balance} credits`] : []
  })
}

/** The charges of a run are those that its end names, each once. Everything is refunded except the use of a success. */
function runsArePaid(log: readonly Written[]): string[] {
  const wrong: string[] = []
  const booked = Map.groupBy(
    log.filter(({ type }) => type === 'CreditsCharged' || type === 'CreditsRefunded'),
    ({ data }) => data.run_id as string,
  )
  const sum = (entries: readonly Written[], type: string) =>
    entries.reduce((total, entry) => total + (entry.type === type ? entry.data.amount : 0), 0)
  const requested = new Map(
    log.filter(({ type }) => type === 'RunRequested').map(({ data }) => [data.run_id, data]),
  )
  for (const [run, entries] of booked) {
    const [charged, refunded] = [sum(entries, 'CreditsCharged'), sum(entries, 'CreditsRefunded')]
    const kickoffs = entries.filter(({ type, data }) => type === 'CreditsCharged' && data.block === undefined)
    const blocks = entries.flatMap(({ type, data }) => (type === 'CreditsCharged' ? (data.block ?? []) : []))
    if (kickoffs.length !== 1) wrong.push(`${run} was charged ${kickoffs.length} times`)
    if (new Set(blocks).size !== blocks.length) wrong.push(`${run} paid for a block twice: ${blocks}`)
    const end = log.find((event) => isEnd(event) && event.data.run_id === run)
    if (!end) {
      if (charged !== refunded)
        wrong.push(`${run} never started, but ${charged - refunded} credits were not refunded`)
      continue
    }
    const before = entries.filter((entry) => log.indexOf(entry) < log.indexOf(end))
    // A worker that counts as lost may pay for a block right after the charges were counted for the end.
    const counted = before.findIndex(
      (_, i) => sum(before.slice(0, i + 1), 'CreditsCharged') === end.data.charged,
    )
    const uncounted = before[counted + 1]
    if (counted < 0 || (uncounted && Date.parse(end.at) - arrival(log, uncounted) > COUNTED_MS))
      wrong.push(
        `${run} states charges of ${end.data.charged}, but was charged ${sum(before, 'CreditsCharged')}`,
      )
    const kept = end.data.charged - end.data.refunded
    if (charged - refunded !== kept)
      wrong.push(`${run} kept ${charged - refunded} credits but states ${kept} (${end.type})`)
    if (end.type !== 'RunSucceeded' && kept !== 0)
      wrong.push(`${run} ended with ${end.type} and cost ${kept} credits`)
    if (kickoffs[0]?.data.amount !== requested.get(run)?.price)
      wrong.push(`${run} was charged ${kickoffs[0]?.data.amount} at its kickoff`)
  }
  for (const [run, { price }] of requested)
    if (price > 0 && !booked.has(run)) wrong.push(`${run} was never charged`)
  return wrong
}

/** When an event was appended, in milliseconds since 1970. It may have been decided long before. */
const arrival = (log: readonly Written[], event: Written): number =>
  Math.max(...log.slice(0, log.indexOf(event) + 1).map(({ at }) => Date.parse(at)))

/** A run that lost its worker is taken over before its time limit. */
function isTakenOver(stream: string, events: readonly Written[], log: readonly Written[]): string[] {
  const end = events.at(-1)
  if (end?.type !== 'RunExpired') return []
  const leased = events.findLast(({ data }) => data.lease_until !== undefined)
  const requeued = events.findLast(({ type }) => type === 'RunRequeued')
  if (requeued && events.indexOf(requeued) === events.length - 2) {
    const since = Date.parse(requeued.at) + 1000
    // Runs that were requeued earlier come first.
    const isBefore = (other: string) =>
      log.some((event) => event.type === 'RunRequeued' && event.stream === other && event.at <= requeued.at)
    const others = log.filter(
      ({ type, account, at, stream: other }) =>
        type === 'RunStarted' && account === end.account && Date.parse(at) > since && !isBefore(other),
    )
    return others.length === 0
      ? []
      : [`${stream} waited until its end, although ${others.length} other runs were started`]
  }
  if (leased === undefined) return []
  const aloneMs = Date.parse(end.at) - Date.parse(leased.data.lease_until)
  return aloneMs > TAKEN_OVER_MS ? [`${stream} had no worker for ${aloneMs} ms before ${end.type}`] : []
}

/** A confirmed grant was made, and no grant was made twice. */
function isGrantedOnce({ account, amount, isAnswered }: Grant, log: readonly Written[]): string[] {
  const grants = log.filter(({ type, data }) => type === 'CreditsGranted' && data.amount === amount)
  if (grants.some((event) => event.account !== account))
    return [`a grant for ${account} went to another account`]
  if (grants.length > 1) return [`a grant was made ${grants.length} times`]
  return isAnswered && grants.length === 0 ? ['a grant was confirmed, but is not in the log'] : []
}

/** Everything that was confirmed happened, to the account of the caller, once per Idempotency-Key. */
function answersHold(tenant: Tenant, streams: ReadonlyMap<string, readonly Written[]>): string[] {
  const wrong: string[] = []
  const runs = new Map<string, string>()
  for (const { run, idempotencyKey, path } of tenant.kickoffs) {
    if (run === undefined) continue
    const [requested] = streams.get(`run-${run}`) ?? []
    if (requested?.type !== 'RunRequested') wrong.push(`${run} was admitted, but is not in the log`)
    else if (requested.account !== tenant.id) wrong.push(`${run} belongs to ${requested.account}`)
    else if (`/v1/${requested.data.task_key.replace('.', '/')}` !== path)
      wrong.push(`${run} belongs to another task`)
    const other = runs.get(run)
    if (other !== undefined) wrong.push(`${run} was the answer to two calls: ${other}, ${idempotencyKey}`)
    runs.set(run, idempotencyKey ?? 'one without a key')
  }
  for (const run of tenant.cancelled) {
    const types = (streams.get(`run-${run}`) ?? []).map(({ type }) => type)
    if (!types.includes('RunCancelRequested') && !types.includes('RunCancelled'))
      wrong.push(`the cancellation of ${run} was confirmed, but is not in the log`)
  }
  for (const [id, { revoked }] of tenant.keys) {
    const types = (streams.get(`key-${id}`) ?? []).map(({ type }) => type)
    if (!types.includes('KeyCreated')) wrong.push(`${id} was shown, but is not in the log`)
    if (revoked === 'yes' && !types.includes('KeyRevoked'))
      wrong.push(`the revocation of ${id} was confirmed, but is not in the log`)
  }
  const calls = tenant.kickoffs.length
  const admitted = [...streams.values()].filter(
    ([first]) => first?.type === 'RunRequested' && first.account === tenant.id,
  )
  const lost = tenant.lostKickoffs
  if (admitted.length > calls + lost)
    wrong.push(`${tenant.id} has ${admitted.length} runs after ${calls + lost} calls`)
  return wrong
}

/** A subscriber received each event of its account once, in the order of the log. */
function feedIsWhole(tenant: Tenant, log: readonly Written[]): string[] {
  const own = log.filter(({ account }) => account === tenant.id).map(({ id }) => id)
  const received = tenant.feed.map(({ id }) => id)
  const foreign = tenant.feed.filter(({ account }) => account !== tenant.id)
  if (foreign.length > 0) return [`the feed of ${tenant.id} has events of ${foreign[0]?.account}`]
  const at = received.findIndex((id, i) => id !== own[i])
  if (at >= 0) return [`the feed of ${tenant.id} has ${received[at]} at ${at}, but the log has ${own[at]}`]
  return own.length === received.length
    ? []
    : [`the feed of ${tenant.id} has ${received.length} of ${own.length} events`]
}

/** An endpoint received each event of its types since its creation. */
export function deliveriesAreWhole(
  tenant: Tenant,
  log: readonly Written[],
  received: readonly Received[],
): string[] {
  return tenant.endpoints.flatMap(({ url, types, id, state }) => {
    if (state !== 'enabled') return []
    const created = log.findIndex(({ type, data }) => type === 'WebhookCreated' && data.webhook_id === id)
    if (created < 0) return [`${id} was created, but is not in the log`]
    const changes = log.filter(
      ({ type, data }) => /^Webhook(Dis|En)abled$/.test(type) && data.webhook_id === id,
    )
    if (changes.at(-1)?.type === 'WebhookDisabled') return []
    const taken = new Set(received.filter((each) => each.url === url && each.isTaken).map((each) => each.id))
    const missing = log
      .slice(created)
      .filter((event) => event.account === tenant.id && types.includes(event.type) && !taken.has(event.id))
    return missing.length === 0 ? [] : [`${id} never received ${missing.length} events: ${missing[0]?.id}`]
  })
}
