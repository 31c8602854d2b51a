/**
 * The invariants about people, checked on the log, the keys of the vault and the answers that people received.
 *
 * @module
 */
import type { Written } from './judge.ts'

/** The violations, each as a sentence. @param vault the keys of all its objects */
export function judgePeople(log: readonly Written[], vault: readonly string[]): string[] {
  const streams = Map.groupBy(log, ({ stream }) => stream)
  const of = (category: string) => [...streams].filter(([stream]) => stream.startsWith(`${category}-`))
  return [
    ...of('person').flatMap(([stream, events]) => personIsWhole(stream, events)),
    ...of('address').flatMap(([stream, events]) => addressIsOnes(stream, events, streams)),
    ...of('account').flatMap(([stream, events]) => hasOwner(stream, events)),
    ...nothingIsLeft(log, streams, vault),
  ]
}

/** A person joins once. Nothing follows the deletion of their profile. */
function personIsWhole(stream: string, events: readonly Written[]): string[] {
  const types = events.map(({ type }) => type)
  const joins = types.filter((type) => type === 'PersonJoined').length
  const erased = types.indexOf('PersonErased')
  return [
    ...(joins > 1 ? [`${stream} joined ${joins} times`] : []),
    ...(erased >= 0 && erased < types.length - 1 ? [`${stream} has events after its end: ${types}`] : []),
  ]
}

/** An address belongs to one person at a time: the next owner gets it after the previous one released it or ended. */
function addressIsOnes(
  stream: string,
  events: readonly Written[],
  streams: ReadonlyMap<string, readonly Written[]>,
): string[] {
  let holder: string | undefined
  let released: Written | undefined
  const wrong: string[] = []
  for (const event of events) {
    const { type, data, cause } = event
    if (type === 'AddressReleased') {
      holder = undefined
      released = event
    } else if (type === 'AddressClaimed') {
      // The person who takes an address over releases it for the previous owner.
      if (released?.cause === cause) holder = released.data.person_id
      const before = streams.get(`person-${holder}`)?.map((event) => event.type) ?? []
      if (holder !== undefined && !before.includes('PersonErased'))
        wrong.push(`${stream} was taken from ${holder} by ${data.person_id}`)
      holder = data.person_id
    }
  }
  return wrong
}

/** Actions on other people, which only an owner may take. */
const OF_OWNERS = ['MemberInvited', 'InvitationWithdrawn', 'MemberRoleChanged', 'MemberRemoved']

/**
 * An account that ever had an owner keeps one as long as it has members. Only a current owner invites or changes
 * others.
 */
function hasOwner(stream: string, events: readonly Written[]): string[] {
  const roles = new Map<string, string>()
  for (const { type, data, actor } of events) {
    const [, person] = /^person:(.+)$/.exec(actor ?? '') ?? []
    if (person !== undefined && OF_OWNERS.includes(type) && data.person_id !== person)
      if (roles.get(person) !== 'owner') return [`${stream}: ${type} by ${person}, who is not an owner`]
    if (type === 'MemberAdded' || type === 'MemberRoleChanged') roles.set(data.person_id, data.role)
    else if (type === 'MemberRemoved') roles.delete(data.person_id)
    else continue
    if (![...roles.values()].includes('owner')) return [`${stream} has no owner after ${type}`]
  }
  return []
}

/** The vault holds nothing of people who were erased or never joined, and everything that the log names. */
function nothingIsLeft(
  log: readonly Written[],
  streams: ReadonlyMap<string, readonly Written[]>,
  vault: readonly string[],
): string[] {
  const isThere = (person: string) => {
    const types = streams.get(`person-${person}`)?.map(({ type }) => type) ?? []
    return types.includes('PersonJoined') && !types.includes('PersonErased')
  }
  const owners = new Set(vault.flatMap((key) => /^per_[0-9a-z]+/.exec(key)?.[0] ?? []))
  const left = [...owners].filter((person) => !isThere(person))
  const joined = log.flatMap(({ type, data }) => (type === 'PersonJoined' ? [data.person_id as string] : []))
  const lost = joined.filter((person) => isThere(person) && !owners.has(person))
  return [
    ...left.map((person) => `the vault still holds data of ${person}, who was erased or never joined`),
    ...lost.map((person) => `the vault lacks the data of ${person}, who has joined`),
  ]
}
